// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"strconv"
	"strings"
)

// chatRequest is the body of a request of Chat Completions, with what all servers
// understand and nothing else.
type chatRequest struct {
	Model         string         `json:"model"`
	Messages      []chatMessage  `json:"messages"`
	Tools         []chatTool     `json:"tools,omitempty"`
	Stream        bool           `json:"stream"`
	StreamOptions map[string]any `json:"stream_options,omitempty"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"` // a string, a list of chatContent, or nil
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatContent struct {
	Type     string         `json:"type"`
	Text     string         `json:"text,omitempty"`
	ImageURL map[string]any `json:"image_url,omitempty"`
}

type chatCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

func chatBody(name string, r *Request) *chatRequest {
	b := &chatRequest{Model: name, Stream: true, StreamOptions: map[string]any{"include_usage": true}}
	if r.System != "" {
		b.Messages = append(b.Messages, chatMessage{Role: "system", Content: r.System})
	}
	for _, m := range r.Messages {
		b.add(m)
	}
	for _, t := range r.Tools {
		c := chatTool{Type: "function"}
		c.Function.Name, c.Function.Description, c.Function.Parameters = t.Name, t.Description, t.Schema
		b.Tools = append(b.Tools, c)
	}
	return b
}

// add adds a message; one with results becomes several.
func (b *chatRequest) add(m Message) {
	out := chatMessage{Role: m.Role}
	var content []chatContent
	images := false
	for _, p := range m.Parts {
		switch p.Type {
		case Text:
			content = append(content, chatContent{Type: "text", Text: p.Text})
		case Image:
			images = true
			content = append(content, chatContent{Type: "image_url", ImageURL: map[string]any{"url": "data:" + p.MimeType + ";base64," + p.Data}})
		case Result:
			text := p.Text
			if p.Error {
				text = "Error: " + text
			}
			b.Messages = append(b.Messages, chatMessage{Role: "tool", ToolCallID: p.ID, Content: text})
		case Call:
			c := chatCall{Index: len(out.ToolCalls), ID: p.ID, Type: "function"}
			c.Function.Name, c.Function.Arguments = p.Name, arguments(p.Input)
			out.ToolCalls = append(out.ToolCalls, c)
		}
	}
	switch {
	case images:
		out.Content = content
	case len(content) > 0:
		texts := make([]string, len(content))
		for i, c := range content {
			texts[i] = c.Text
		}
		out.Content = strings.Join(texts, "\n\n")
	case out.ToolCalls == nil:
		return
	}
	b.Messages = append(b.Messages, out)
}

// arguments is the input of a call as it was sent: an object as JSON, and what was no
// JSON as it was, which some servers refuse and which is therefore kept from them.
func arguments(input json.RawMessage) string {
	if len(input) == 0 || input[0] != '{' {
		return "{}"
	}
	return string(input)
}

// chatChunk is a piece of a stream, or a whole answer.
type chatChunk struct {
	Object  string `json:"object"`
	Choices []struct {
		Delta   *chatDelta `json:"delta"`
		Message *chatDelta `json:"message"`
		Finish  string     `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Details    struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chatDelta struct {
	Content          string     `json:"content"`
	ReasoningContent string     `json:"reasoning_content"` // of most servers that show it
	Reasoning        string     `json:"reasoning"`         // of others
	Refusal          string     `json:"refusal"`
	ToolCalls        []chatCall `json:"tool_calls"`
}

// chatReply is a reply that is being put together.
type chatReply struct {
	emit    func(Delta)
	message Message
	text    strings.Builder
	calls   []*chatCall
	stop    string
	refused bool
	usage   Usage
}

func (c *chatReply) take(chunk *chatChunk) {
	if u := chunk.Usage; u != nil {
		c.usage = Usage{Input: u.Prompt, Output: u.Completion, CachedRead: u.Details.Cached}
	}
	if len(chunk.Choices) == 0 {
		return
	}
	choice := chunk.Choices[0]
	d := choice.Delta
	if d == nil {
		d = choice.Message
	}
	if d != nil {
		if thought := d.ReasoningContent + d.Reasoning; thought != "" {
			c.emit(Delta{DeltaThought, thought})
		}
		if text := d.Content + d.Refusal; text != "" {
			c.refused = c.refused || d.Refusal != ""
			c.text.WriteString(text)
			c.emit(Delta{DeltaText, text})
		}
		for _, call := range d.ToolCalls {
			c.call(call)
		}
	}
	if choice.Finish != "" {
		c.stop = choice.Finish
	}
}

// call takes a piece of a call. It belongs to the one of its index, unless it brings
// another id: some servers give all calls the same index.
func (c *chatReply) call(piece chatCall) {
	var at *chatCall
	for _, k := range c.calls {
		if k.Index == piece.Index {
			at = k // the latest of that index
		}
	}
	if at == nil || piece.ID != "" && at.ID != "" && piece.ID != at.ID {
		at = &chatCall{Index: piece.Index}
		c.calls = append(c.calls, at)
	}
	if piece.ID != "" {
		at.ID = piece.ID
	}
	at.Function.Name += piece.Function.Name
	at.Function.Arguments += piece.Function.Arguments
}

// reply is what has come so far.
func (c *chatReply) reply() *Reply {
	m := Message{Role: Assistant}
	if c.text.Len() > 0 {
		m.Parts = append(m.Parts, TextPart(c.text.String()))
	}
	for i, k := range c.calls {
		id := k.ID
		if id == "" {
			id = "call_" + strconv.Itoa(i)
		}
		m.Parts = append(m.Parts, Part{Type: Call, ID: id, Name: k.Function.Name, Input: input(k.Function.Arguments)})
	}
	r := &Reply{Message: m, Stop: StopEnd, Usage: c.usage}
	switch {
	case c.stop == "length":
		r.Stop = StopMaxTokens
	case c.stop == "content_filter" || c.refused:
		r.Stop = StopRefusal
	case len(c.calls) > 0: // whatever the server calls it
		r.Stop = StopCalls
	}
	return r
}

// input is a call's arguments: an object, or what the model wrote in its place as a
// string.
func input(arguments string) json.RawMessage {
	text := strings.TrimSpace(arguments)
	if text == "" {
		return json.RawMessage("{}")
	}
	if text[0] == '{' && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(arguments) // a string can always be written
	return quoted
}
