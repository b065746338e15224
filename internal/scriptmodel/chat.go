// SPDX-License-Identifier: Apache-2.0

package scriptmodel

import "fmt"

// chat speaks OpenAI Chat Completions.
type chat struct{}

// answer is what a whole answer and the chunks of a stream have around their choice.
func (chat) answer(r Request, object string, choices ...any) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("chatcmpl-%06d", r.Seq), "object": object, "created": r.At.Unix(), "model": r.Model,
		"choices": choices,
	}
}

func (chat) usage() map[string]any {
	return map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
}

func (chat) finish(a Answer) string {
	if len(a.Calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func (chat) call(r Request, i int, c Call) map[string]any {
	return map[string]any{
		"index": i, "id": callID(r, i), "type": "function",
		"function": map[string]any{"name": c.Name, "arguments": c.Arguments},
	}
}

func (chat) failure(a Answer) map[string]any { return plainFailure(a) }

func (d chat) whole(r Request, a Answer) map[string]any {
	message := map[string]any{"role": "assistant", "content": nil}
	if a.Text != "" {
		message["content"] = a.Text
	}
	var calls []any
	for i, c := range a.Calls {
		calls = append(calls, d.call(r, i, c))
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	out := d.answer(r, "chat.completion", map[string]any{"index": 0, "message": message, "finish_reason": d.finish(a)})
	out["usage"] = d.usage()
	return out
}

func (d chat) chunk(r Request, delta map[string]any, finish any) event {
	return event{"", d.answer(r, "chat.completion.chunk", map[string]any{"index": 0, "delta": delta, "finish_reason": finish})}
}

func (d chat) opening(r Request) []event {
	return []event{d.chunk(r, map[string]any{"role": "assistant", "content": ""}, nil)}
}

func (d chat) rest(r Request, a Answer) []event {
	var out []event
	if a.Text != "" {
		out = append(out, d.chunk(r, map[string]any{"content": a.Text}, nil))
	}
	for i, c := range a.Calls {
		out = append(out, d.chunk(r, map[string]any{"tool_calls": []any{d.call(r, i, c)}}, nil))
	}
	last := d.chunk(r, map[string]any{}, d.finish(a))
	usage := event{"", d.answer(r, "chat.completion.chunk")}
	usage.data["choices"], usage.data["usage"] = []any{}, d.usage()
	return append(out, last, usage, event{})
}
