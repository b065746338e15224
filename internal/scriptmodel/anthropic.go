// SPDX-License-Identifier: Apache-2.0

package scriptmodel

import (
	"encoding/json"
	"fmt"
)

// anthropic speaks Anthropic Messages.
type anthropic struct{}

func (anthropic) message(r Request, content []any, stop any) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("msg_%06d", r.Seq), "type": "message", "role": "assistant", "model": r.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 1},
	}
}

func (anthropic) stop(a Answer) string {
	if len(a.Calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func (anthropic) failure(a Answer) map[string]any { return plainFailure(a) }

func (d anthropic) whole(r Request, a Answer) map[string]any {
	content := []any{}
	if a.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": a.Text})
	}
	for i, c := range a.Calls {
		content = append(content, map[string]any{"type": "tool_use", "id": callID(r, i), "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	return d.message(r, content, d.stop(a))
}

func (d anthropic) opening(r Request) []event {
	return []event{{"message_start", map[string]any{"message": d.message(r, []any{}, nil)}}}
}

func (d anthropic) rest(r Request, a Answer) []event {
	var out []event
	block := func(start, delta map[string]any) {
		at := len(out) / 3 // three events a block
		out = append(out,
			event{"content_block_start", map[string]any{"index": at, "content_block": start}},
			event{"content_block_delta", map[string]any{"index": at, "delta": delta}},
			event{"content_block_stop", map[string]any{"index": at}})
	}
	if a.Text != "" {
		block(map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": a.Text})
	}
	for i, c := range a.Calls {
		block(map[string]any{"type": "tool_use", "id": callID(r, i), "name": c.Name, "input": map[string]any{}},
			map[string]any{"type": "input_json_delta", "partial_json": c.Arguments})
	}
	return append(out,
		event{"message_delta", map[string]any{
			"delta": map[string]any{"stop_reason": d.stop(a), "stop_sequence": nil},
			"usage": map[string]any{"output_tokens": 5},
		}},
		event{"message_stop", nil})
}
