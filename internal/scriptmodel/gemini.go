// SPDX-License-Identifier: Apache-2.0

package scriptmodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// gemini speaks Gemini's generateContent and streamGenerateContent, the latter as
// server-sent events (alt=sse), which is what clients ask for.
type gemini struct{}

func (gemini) whole(r Request, a Answer) map[string]any {
	parts := []any{}
	if a.Text != "" {
		parts = append(parts, map[string]any{"text": a.Text})
	}
	for i, c := range a.Calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{
			"id": callID(r, i), "name": c.Name, "args": json.RawMessage(c.Arguments),
		}})
	}
	return map[string]any{
		"candidates": []any{map[string]any{
			"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": parts},
		}},
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
		"modelVersion":  r.Model, "responseId": fmt.Sprintf("resp_%06d", r.Seq),
	}
}

// opening has no event: that the stream is there says as much.
func (gemini) opening(Request) []event { return nil }

func (d gemini) rest(r Request, a Answer) []event { return []event{{"", d.whole(r, a)}} }

func (gemini) failure(a Answer) map[string]any {
	return map[string]any{"error": map[string]any{"code": a.Status, "message": a.Text, "status": "SCRIPTED_ERROR"}}
}

// geminiContent is one message.
type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text         string `json:"text"`
		FunctionCall *struct {
			Args json.RawMessage `json:"args"`
		} `json:"functionCall"`
		FunctionResponse *struct {
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
		InlineData *struct {
			MimeType string `json:"mimeType"`
			Data     string `json:"data"`
		} `json:"inlineData"`
	} `json:"parts"`
}

// parseGemini fills in what the body and the path say.
func (r *Request) parseGemini(path string) {
	r.Kind = Turn
	name, action, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	r.Model, r.Stream = name, action == "streamGenerateContent"
	var body struct {
		System   geminiContent   `json:"systemInstruction"`
		Contents []geminiContent `json:"contents"`
		Tools    []struct {
			Functions []json.RawMessage `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if json.Unmarshal(r.Body, &body) != nil {
		return
	}
	body.System.Role = "system"
	r.addGemini(body.System)
	for _, c := range body.Contents {
		r.addGemini(c)
	}
	for _, t := range body.Tools {
		for _, f := range t.Functions {
			r.addTool(f)
		}
	}
	if len(body.Tools) == 0 {
		r.Kind = Side
	}
}

func (r *Request) addGemini(c geminiContent) {
	role := c.Role
	switch role {
	case "model":
		role = "assistant"
	case "":
		role = "user"
	}
	for _, p := range c.Parts {
		r.text(role, p.Text)
		if p.FunctionCall != nil {
			r.text("assistant", string(p.FunctionCall.Args))
		}
		if p.FunctionResponse != nil {
			r.addStrings("tool", p.FunctionResponse.Response)
		}
		if p.InlineData != nil && strings.HasPrefix(p.InlineData.MimeType, "image/") {
			r.image(p.InlineData.Data)
		}
	}
}

// addStrings collects every text inside of a value: what a function returned has
// no form that all agents keep to.
func (r *Request) addStrings(role string, raw json.RawMessage) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			r.text(role, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k])
			}
		}
	}
	walk(v)
}
