// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Must show 12: agents make titles of the text they are sent. No title that the
// client is given, in updates, in the list of sessions or when the session is
// resumed, shows what we put in a block's place.
func TestTitles(t *testing.T) {
	each(t, func(r *rig) {
		for _, tt := range []struct {
			name   string
			blocks []any
		}{
			{"own skill first", []any{skill(own(r)[0].name), text(" please help me with the garden")}},
			{"own skill alone", []any{skill(own(r)[1].name)}},
			{"own skill inside", []any{text("please help me with "), skill(own(r)[0].name), text(" in the garden")}},
			{"foreign skill first", []any{skill(foreign(r).name), text(" please help me with the garden")}},
			{"foreign skill alone", []any{skill(foreign(r).name)}},
		} {
			r.t.Run(tt.name, func(t *testing.T) {
				r := *r
				r.t = t
				c, _ := r.client(how{})
				s := r.open(c)
				s.prompt(tt.blocks...)
				s.prompt(text("and now the kitchen")) // titles may come with a later turn
				c.must("session/list", map[string]any{"cwd": r.ws.dir})
				titles := titlesIn(t, c.since(0))
				if len(titles) == 0 {
					t.Error("the agent gave no title, the test shows nothing")
				}
				c.close()
				c, _ = r.client(how{})
				r.resume(c, s.id)
				c.must("session/list", map[string]any{"cwd": r.ws.dir})
				titles = append(titles, titlesIn(t, c.since(0))...)
				slices.Sort(titles)
				for _, title := range slices.Compact(titles) {
					t.Logf("%s: %q", r.agent.name, title)
					for _, ours := range []string{"BODY-", "<skill", "</skill", "SKILL.md", "[$", "$ag-", "/cl-", "Base directory", r.ws.dir} {
						if strings.Contains(title, ours) {
							t.Errorf("a title shows what the agent was sent, %q: %s", ours, title)
						}
					}
				}
			})
		}
	})
}

// titlesIn returns the titles of sessions in frames, in order.
func titlesIn(t *testing.T, frames []frame) []string {
	t.Helper()
	var list []string
	for _, f := range frames {
		if u, ok := f.update(); ok {
			if u.Kind == "session_info_update" && u.Title != nil {
				list = append(list, *u.Title)
			}
			continue
		}
		var v struct {
			Sessions []struct {
				Title string `json:"title"`
			} `json:"sessions"`
		}
		if !f.FromAgent || f.Result == nil || json.Unmarshal(f.Result, &v) != nil {
			continue
		}
		for _, s := range v.Sessions {
			if s.Title != "" {
				list = append(list, s.Title)
			}
		}
	}
	return list
}
