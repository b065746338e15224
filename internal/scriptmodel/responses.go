// SPDX-License-Identifier: Apache-2.0

package scriptmodel

import "fmt"

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

func (responses) call(r Request, i int, status string, c Call) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("fc_%06d_%d", r.Seq, i), "type": "function_call", "status": status,
		"call_id": callID(r, i), "name": c.Name, "arguments": c.Arguments,
	}
}

func outputText(text string) map[string]any {
	return map[string]any{"type": "output_text", "text": text, "annotations": []any{}}
}

func (responses) failure(a Answer) map[string]any { return plainFailure(a) }

// items are the answer's output: the text first, then the calls.
func (d responses) items(r Request, a Answer) []any {
	items := []any{}
	if a.Text != "" {
		items = append(items, d.item(r, "completed", outputText(a.Text)))
	}
	for i, c := range a.Calls {
		items = append(items, d.call(r, i, "completed", c))
	}
	return items
}

func (d responses) whole(r Request, a Answer) map[string]any {
	return d.response(r, "completed", d.items(r, a))
}

func (d responses) opening(r Request) []event {
	return []event{{"response.created", map[string]any{"response": d.response(r, "in_progress", []any{})}}}
}

func (d responses) rest(r Request, a Answer) []event {
	items := d.items(r, a)
	var out []event
	at := 0
	if a.Text != "" {
		out = append(out, d.text(r, a.Text, items[0])...)
		at++
	}
	for i, c := range a.Calls {
		where := map[string]any{"output_index": at, "item_id": fmt.Sprintf("fc_%06d_%d", r.Seq, i)}
		open := c
		open.Arguments = ""
		out = append(out,
			event{"response.output_item.added", map[string]any{"output_index": at, "item": d.call(r, i, "in_progress", open)}},
			event{"response.function_call_arguments.delta", with(where, "delta", c.Arguments)},
			event{"response.function_call_arguments.done", with(where, "arguments", c.Arguments)},
			event{"response.output_item.done", map[string]any{"output_index": at, "item": items[at]}})
		at++
	}
	return append(out, event{"response.completed", map[string]any{"response": d.response(r, "completed", items)}})
}

func (d responses) text(r Request, text string, done any) []event {
	where := map[string]any{"output_index": 0, "content_index": 0, "item_id": fmt.Sprintf("msg_%06d", r.Seq)}
	return []event{
		{"response.output_item.added", map[string]any{"output_index": 0, "item": d.item(r, "in_progress")}},
		{"response.content_part.added", with(where, "part", outputText(""))},
		{"response.output_text.delta", with(where, "delta", text)},
		{"response.output_text.done", with(where, "text", text)},
		{"response.content_part.done", with(where, "part", outputText(text))},
		{"response.output_item.done", map[string]any{"output_index": 0, "item": done}},
	}
}

// with is a copy of m with one member more.
func with(m map[string]any, key string, value any) map[string]any {
	out := map[string]any{key: value}
	for k, v := range m {
		out[k] = v
	}
	return out
}
