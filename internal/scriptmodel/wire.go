// SPDX-License-Identifier: Apache-2.0

package scriptmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// event is one server-sent event: its name, which is also the payload's type.
type event struct {
	name string
	data map[string]any
}

// dialect is one provider's way to say a text.
type dialect interface {
	whole(r Request, text string) map[string]any // not streamed
	opening(r Request) []event                   // streamed, before a hold
	rest(r Request, text string) []event         // streamed, after it
}

// eventWriter streams events and flushes each, as a model that thinks would.
type eventWriter struct {
	w http.ResponseWriter
	f http.Flusher
}

func newEventWriter(w http.ResponseWriter) eventWriter {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	f, _ := w.(http.Flusher)
	return eventWriter{w, f}
}

// event writes one event. Errors are not returned: a client that is gone also
// cancels the request's context, which is where it is noticed.
func (o eventWriter) event(e event) {
	data := map[string]any{"type": e.name}
	for k, v := range e.data {
		data[k] = v
	}
	b, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("scriptmodel: an event of plain maps did not marshal: %v", err))
	}
	fmt.Fprintf(o.w, "event: %s\ndata: %s\n\n", e.name, b)
	if o.f != nil {
		o.f.Flush()
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone needs no answer
}

// writeModels lists one model in the shape that both dialects' clients accept.
func writeModels(w http.ResponseWriter) {
	writeJSON(w, http.StatusOK, map[string]any{
		"object":   "list",
		"has_more": false,
		"data":     []any{map[string]any{"type": "model", "object": "model", "id": "fake-model", "display_name": "Fake"}},
	})
}

// anthropic speaks Anthropic Messages.
type anthropic struct{}

func (anthropic) message(r Request, content []any, stop any) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("msg_%06d", r.Seq), "type": "message", "role": "assistant", "model": r.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 1},
	}
}

func (d anthropic) whole(r Request, text string) map[string]any {
	return d.message(r, []any{map[string]any{"type": "text", "text": text}}, "end_turn")
}

func (d anthropic) opening(r Request) []event {
	return []event{{"message_start", map[string]any{"message": d.message(r, []any{}, nil)}}}
}

func (anthropic) rest(_ Request, text string) []event {
	return []event{
		{"content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text", "text": ""}}},
		{"content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": "text_delta", "text": text}}},
		{"content_block_stop", map[string]any{"index": 0}},
		{"message_delta", map[string]any{
			"delta": map[string]any{"stop_reason": "end_turn", "stop_sequence": nil},
			"usage": map[string]any{"output_tokens": 5},
		}},
		{"message_stop", nil},
	}
}

// responses speaks OpenAI Responses.
type responses struct{}

func (responses) response(r Request, status string, output []any) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("resp_%06d", r.Seq), "object": "response", "status": status, "model": r.Model,
		"output": output,
		"usage": map[string]any{
			"input_tokens": 10, "input_tokens_details": map[string]any{"cached_tokens": 0},
			"output_tokens": 5, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
			"total_tokens": 15,
		},
	}
}

func (responses) item(r Request, status string, content ...any) map[string]any {
	if content == nil {
		content = []any{}
	}
	return map[string]any{
		"id": fmt.Sprintf("msg_%06d", r.Seq), "type": "message", "role": "assistant",
		"status": status, "content": content,
	}
}

func outputText(text string) map[string]any {
	return map[string]any{"type": "output_text", "text": text, "annotations": []any{}}
}

func (d responses) whole(r Request, text string) map[string]any {
	return d.response(r, "completed", []any{d.item(r, "completed", outputText(text))})
}

func (d responses) opening(r Request) []event {
	return []event{{"response.created", map[string]any{"response": d.response(r, "in_progress", []any{})}}}
}

func (d responses) rest(r Request, text string) []event {
	at := map[string]any{"output_index": 0, "content_index": 0, "item_id": fmt.Sprintf("msg_%06d", r.Seq)}
	with := func(extra map[string]any) map[string]any {
		for k, v := range at {
			extra[k] = v
		}
		return extra
	}
	done := d.item(r, "completed", outputText(text))
	return []event{
		{"response.output_item.added", map[string]any{"output_index": 0, "item": d.item(r, "in_progress")}},
		{"response.content_part.added", with(map[string]any{"part": outputText("")})},
		{"response.output_text.delta", with(map[string]any{"delta": text})},
		{"response.output_text.done", with(map[string]any{"text": text})},
		{"response.content_part.done", with(map[string]any{"part": outputText(text)})},
		{"response.output_item.done", map[string]any{"output_index": 0, "item": done}},
		{"response.completed", map[string]any{"response": d.response(r, "completed", []any{done})}},
	}
}
