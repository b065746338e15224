// SPDX-License-Identifier: Apache-2.0

package scriptmodel

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// Kind says what a request is for.
type Kind string

// The kinds of requests that agents send.
const (
	Turn   Kind = "turn"   // a step of the conversation that the user sees
	Side   Kind = "side"   // text asked for behind the user's back: a title, a topic
	Count  Kind = "count"  // how many tokens a text has
	Models Kind = "models" // which models there are
	Other  Kind = "other"  // anything else: probes, telemetry
)

// Dialect is the protocol of a request for text.
type Dialect string

// The dialects spoken.
const (
	Anthropic Dialect = "anthropic" // Anthropic Messages
	Responses Dialect = "responses" // OpenAI Responses
	Chat      Dialect = "chat"      // OpenAI Chat Completions
	Gemini    Dialect = "gemini"    // Gemini generateContent
)

// Text is one text that the model was given, in the order of the request.
type Text struct {
	Role string // "system", "user", "developer", "assistant", "tool"
	Text string
}

// Request is one recorded request. Its fields are not to be changed.
type Request struct {
	Seq     int // position in the record, from 0
	At      time.Time
	Kind    Kind
	Dialect Dialect // empty unless Kind is Turn or Side
	Method  string
	Path    string
	Header  http.Header
	Body    []byte // as it came
	Model   string
	Stream  bool

	texts  []Text
	images [][]byte
	tools  []Tool
}

// Texts returns everything textual that the model was given: system text, then
// the messages in order, tool results and tool arguments included, tool
// descriptions not.
func (r Request) Texts() []Text { return r.texts }

// New returns the texts behind the last one of the assistant: what this request
// adds to the conversation. System text is not part of it.
func (r Request) New() []Text {
	var fresh []Text
	for _, t := range r.texts {
		switch t.Role {
		case "assistant":
			fresh = nil
		case "system":
		default:
			fresh = append(fresh, t)
		}
	}
	return fresh
}

// Count says how often marker occurs in all that the model was given.
func (r Request) Count(marker string) int { return count(r.texts, marker) }

// CountNew says how often marker occurs in what this request adds, see [Request.New].
func (r Request) CountNew(marker string) int { return count(r.New(), marker) }

// Tools returns the tools that the model is offered, in order.
func (r Request) Tools() []Tool { return r.tools }

// Tool returns the tool whose name is name, or ends with it: agents put a
// server's name in front of those of an MCP server. It reports whether there is one.
func (r Request) Tool(name string) (Tool, bool) {
	for _, t := range r.tools {
		if strings.HasSuffix(t.Name, name) {
			return t, true
		}
	}
	return Tool{}, false
}

// Images returns the images that the request carries, decoded, in order.
func (r Request) Images() [][]byte { return r.images }

func count(texts []Text, marker string) int {
	n := 0
	for _, t := range texts {
		n += strings.Count(t.Text, marker)
	}
	return n
}

func newRequest(hr *http.Request, body []byte) Request {
	r := Request{
		At: time.Now(), Kind: Other, Method: hr.Method, Path: hr.URL.Path,
		Header: hr.Header.Clone(), Body: body,
	}
	path := strings.TrimPrefix(r.Path, "/v1")
	action := path[strings.LastIndexByte(path, ':')+1:] // of Gemini: /v1beta/models/NAME:ACTION
	switch {
	case hr.Method == http.MethodPost && path == "/messages":
		r.Dialect = Anthropic
		r.parse()
	case hr.Method == http.MethodPost && path == "/responses":
		r.Dialect = Responses
		r.parse()
	case hr.Method == http.MethodPost && path == "/chat/completions":
		r.Dialect = Chat
		r.parse()
	case hr.Method == http.MethodPost && (action == "generateContent" || action == "streamGenerateContent"):
		r.Dialect = Gemini
		r.parseGemini(path)
	case hr.Method == http.MethodPost && (action == "countTokens" || strings.HasSuffix(path, "/count_tokens")):
		r.Kind = Count
	case hr.Method == http.MethodGet && path == "/models":
		r.Kind = Models
	}
	return r
}

// content is one block, item or message, of every dialect but Gemini. They nest: an
// Anthropic tool result holds blocks, a message holds parts.
type content struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Text      string          `json:"text"`
	Content   json.RawMessage `json:"content"`   // text or blocks
	Output    json.RawMessage `json:"output"`    // of a Responses tool call: text or parts
	Input     json.RawMessage `json:"input"`     // arguments of an Anthropic tool call
	Arguments json.RawMessage `json:"arguments"` // of a Responses tool call
	ToolCalls []struct {
		Function struct {
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"` // of a Chat message
	ImageURL json.RawMessage `json:"image_url"` // of Responses a text, of Chat an object
	Title    string          `json:"title"`
	Source   *struct {
		Type string `json:"type"`
		Data string `json:"data"`
	} `json:"source"`
}

// parse fills in what the body says. A body that is not JSON stays a turn
// without texts: the test that looks for its marker will say so.
func (r *Request) parse() {
	r.Kind = Turn
	var body struct {
		Model        string            `json:"model"`
		Stream       bool              `json:"stream"`
		System       json.RawMessage   `json:"system"`       // Anthropic: text or blocks
		Instructions json.RawMessage   `json:"instructions"` // Responses: text
		Messages     json.RawMessage   `json:"messages"`
		Input        json.RawMessage   `json:"input"`
		Tools        []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(r.Body, &body) != nil {
		return
	}
	r.Model, r.Stream = body.Model, body.Stream
	r.add("system", body.System)
	r.add("system", body.Instructions)
	r.add("user", body.Messages)
	r.add("user", body.Input)
	for _, t := range body.Tools {
		r.addTool(t)
	}
	if len(body.Tools) == 0 || r.suggestion() {
		r.Kind = Side
	}
}

// suggestion says whether the request is Claude's question for the prompt that
// the user might type next. It carries the whole conversation and all tools, as
// a turn does; requests for a title and the like carry no tools at all.
func (r *Request) suggestion() bool {
	if len(r.texts) == 0 {
		return false
	}
	return strings.HasPrefix(r.texts[len(r.texts)-1].Text, "[SUGGESTION MODE:")
}

// add collects from raw, which is a text, one content or a list of contents.
func (r *Request) add(role string, raw json.RawMessage) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return
	}
	switch raw[0] {
	case '"':
		var s string
		if json.Unmarshal(raw, &s) == nil {
			r.text(role, s)
		}
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			for _, c := range list {
				r.add(role, c)
			}
		}
	case '{':
		var c content
		if json.Unmarshal(raw, &c) == nil {
			r.addContent(role, c)
		}
	}
}

func (r *Request) addContent(role string, c content) {
	if c.Role != "" {
		role = c.Role
	}
	switch c.Type {
	case "tool_use", "function_call", "custom_tool_call", "reasoning", "thinking":
		role = "assistant"
	case "tool_result", "function_call_output", "custom_tool_call_output":
		role = "tool"
	}
	r.text(role, c.Title)
	r.text(role, c.Text)
	for _, raw := range []json.RawMessage{c.Input, c.Arguments} {
		if len(raw) > 0 && string(raw) != "null" {
			r.text(role, string(raw))
		}
	}
	r.add(role, c.Content)
	r.add(role, c.Output)
	for _, call := range c.ToolCalls {
		r.text("assistant", call.Function.Arguments)
	}
	if c.Source != nil {
		switch {
		case c.Source.Type == "text":
			r.text(role, c.Source.Data)
		case c.Type == "image":
			r.image(c.Source.Data)
		}
	}
	if _, data, ok := strings.Cut(imageURL(c.ImageURL), ";base64,"); ok {
		r.image(data)
	}
}

// imageURL reads the address of an image, which is a text or an object with one.
func imageURL(raw json.RawMessage) string {
	var url string
	if json.Unmarshal(raw, &url) == nil {
		return url
	}
	var object struct {
		URL string `json:"url"`
	}
	_ = json.Unmarshal(raw, &object) // what is neither has no address
	return object.URL
}

func (r *Request) text(role, s string) {
	if s != "" {
		r.texts = append(r.texts, Text{role, s})
	}
}

func (r *Request) image(b64 string) {
	// An image that does not decode is kept as nil, so that the count is right.
	data, _ := base64.StdEncoding.DecodeString(b64)
	r.images = append(r.images, data)
}
