// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"encoding/json"
	"strings"
	"testing"
)

// Must show 6: what cannot be resolved rejects the whole prompt. Nothing reaches
// the agent, no update is sent, and the session works on (ACP-P4).
func TestRejectedPrompts(t *testing.T) {
	each(t, func(r *rig) {
		mine := own(r)
		tests := []struct {
			name   string
			blocks []any
			at     string // the index of the block at fault
		}{
			{"unknown name", []any{skill("nowhere"), text("x")}, "0"},
			{"wrong case", []any{skill(strings.ToUpper(mine[0].name)), text("x")}, "0"},
			{"the agent's own syntax", []any{skill("$" + mine[0].name)}, "0"},
			{"empty name", []any{text("x"), skill("")}, "1"},
			{"missing name", []any{json.RawMessage(`{"type":"skill"}`)}, "0"},
			{"name of another type", []any{text("x"), text("y"), json.RawMessage(`{"type":"skill","name":7}`)}, "2"},
			{"null name", []any{json.RawMessage(`{"type":"skill","name":null}`)}, "0"},
			{"a command's name", []any{skill("compact"), text("x")}, "0"},
			{"a skill for the model only", []any{skill("for-model"), text("x")}, "0"},
			{"good and bad", []any{skill(mine[0].name), text("x"), skill("nowhere")}, "2"},
		}
		c, _ := r.client(how{})
		s := r.open(c)
		s.prompt(text("hello")) // the agent is past what it sends on a first turn
		for _, tt := range tests {
			r.run(c, tt.name, func(t *testing.T) {
				at, told, asked := c.mark(), promptsTold(r), len(r.model.Requests())
				f := c.response(s.send(tt.blocks...))
				switch {
				case f.Error == nil:
					t.Fatalf("accepted: %s", f.Result)
				case f.Error.Code != -32602:
					t.Errorf("refused with %s, want -32602", f.Error)
				}
				said := f.Error.Message + string(f.Error.Data)
				if !strings.Contains(said, "ACP-P") {
					t.Errorf("the error does not name the rule: %s", f.Error)
				}
				if !strings.Contains(said, "prompt["+tt.at+"]") && !strings.Contains(said, `"block":`+tt.at) {
					t.Errorf("the error does not name block %s: %s", tt.at, f.Error)
				}
				// A round trip through the agent: what it might have said is here by then.
				c.must("session/list", map[string]any{"cwd": r.ws.dir})
				for _, u := range updates(c.since(at), s.id) {
					if u.Kind != "available_commands_update" && u.Kind != "session_info_update" {
						t.Errorf("an update was sent: %s", u.Kind)
					}
				}
				if got := promptsTold(r); got != told {
					t.Errorf("the agent was told %d prompts", got-told)
				}
				if got := len(r.model.Turns()); got > asked {
					t.Errorf("the model was asked")
				}
			})
		}
		tn := s.prompt(skill(mine[0].name), text(" works on"))
		tn.gave(mine[0].marker, 1)
		tn.gave("nowhere", 0)
		tn.echoed(s, skill(mine[0].name), text(" works on"))
	})
}

// promptsTold counts the prompts that reached the agent.
func promptsTold(r *rig) int {
	n := 0
	for _, f := range r.teed() {
		if !f.FromAgent && f.Method == "session/prompt" {
			n++
		}
	}
	return n
}
