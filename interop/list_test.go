// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// lists returns every list of commands that frames bring the client for session,
// in order, each entry raw: from responses that set a session up and from updates.
func lists(t *testing.T, frames []frame, session string) [][]json.RawMessage {
	t.Helper()
	var all [][]json.RawMessage
	for _, f := range frames {
		if !f.FromAgent {
			continue
		}
		var v struct {
			Commands  []json.RawMessage `json:"availableCommands"`
			SessionID string            `json:"sessionId"`
			Update    struct {
				Commands []json.RawMessage `json:"availableCommands"`
			} `json:"update"`
		}
		switch {
		case f.Method == "session/update":
			if json.Unmarshal(f.Params, &v) == nil && v.SessionID == session && v.Update.Commands != nil {
				all = append(all, v.Update.Commands)
			}
		case f.Method == "" && f.Result != nil:
			// Only a new or forked session's response names the session.
			if json.Unmarshal(f.Result, &v) == nil && v.SessionID == session && v.Commands != nil {
				all = append(all, v.Commands)
			}
		}
	}
	return all
}

// current is the list that the client of s has now: the last one counts (ACP-U4).
func (s *session) current() map[string]command {
	s.c.t.Helper()
	var setup struct {
		Commands []command `json:"availableCommands"`
	}
	if err := json.Unmarshal(s.setup, &setup); err != nil {
		s.c.t.Fatal(err)
	}
	list := setup.Commands
	for _, u := range updates(s.c.since(0), s.id) {
		if u.Kind == "available_commands_update" {
			list = u.Commands
		}
	}
	return byName(s.c.t, list)
}

// byName indexes a list and checks what holds for every list: unique names
// without white space (ACP-A4), skills with a description and without input (ACP-A3).
func byName(t *testing.T, list []command) map[string]command {
	t.Helper()
	m := map[string]command{}
	for _, c := range list {
		if _, twice := m[c.Name]; twice {
			t.Errorf("%q is listed twice", c.Name)
		}
		m[c.Name] = c
		if c.Type != "skill" {
			continue
		}
		if c.Description == "" || strings.ContainsAny(c.Description, "\r\n") || c.Input != nil || strings.ContainsAny(c.Name, " \t$/") {
			t.Errorf("a malformed skill entry: %+v", c)
		}
	}
	return m
}

// Must show 2 and 3: the capability is advertised, skills are skills with their
// file, commands stay commands.
func TestSkillsAreListed(t *testing.T) {
	each(t, func(r *rig) {
		c, init := r.client(how{})
		var v struct {
			Capabilities struct {
				Session struct {
					Prompt struct {
						Skill *struct {
							Inline json.RawMessage `json:"inline"`
						} `json:"skill"`
						Image json.RawMessage `json:"image"`
					} `json:"prompt"`
				} `json:"session"`
			} `json:"capabilities"`
		}
		if err := json.Unmarshal(init, &v); err != nil {
			r.t.Fatal(err)
		}
		p := v.Capabilities.Session.Prompt
		if p.Skill == nil || len(p.Skill.Inline) == 0 || p.Skill.Inline[0] != '{' {
			r.t.Errorf("initialize does not answer session.prompt.skill.inline (ACP-C2): %s", init)
		}
		if p.Image == nil {
			r.t.Errorf("the agent's own prompt capabilities are gone: %s", init)
		}

		s := r.open(c)
		list := s.current()
		files := map[string]string{
			"cl-one": skillFile(r.ws.dir, ".claude", "cl-one"), "cl-two": skillFile(r.ws.dir, ".claude", "cl-two"),
			"ag-one": skillFile(r.ws.dir, ".agents", "ag-one"), "ag-two": skillFile(r.ws.dir, ".agents", "ag-two"),
			"ext-one": skillFile(r.ws.extra, ".agents", "ext-one"), "ext-two": skillFile(r.ws.extra, ".claude", "ext-two"),
		}
		for name, file := range files {
			if got := list[name]; got.Type != "skill" || got.Path != file {
				r.t.Errorf("%s is listed as %+v, want a skill at %s", name, got, file)
			}
		}
		if got, ok := list["for-model"]; ok {
			r.t.Errorf("a skill that is not for users is listed (ACP-A7): %+v", got)
		}
		if got := list["compact"]; got.Type != "command" {
			r.t.Errorf("the agent's own command is listed as %+v", got)
		}
		n := map[string]int{}
		for _, e := range list {
			n[e.Type]++
		}
		r.t.Logf("%s: %d skills, %d commands", r.agent.name, n["skill"], n["command"])
	})
}

// Must show 5: without the capability no skill entry reaches the client, ours are
// commands, the agent's entries arrive byte for byte, and /name runs ours.
func TestClientWithoutSkills(t *testing.T) {
	each(t, func(r *rig) {
		c, _ := r.client(how{noSkills: true})
		s := r.open(c)
		ours := map[string]string{"claude": "ag-one", "codex": "cl-one"}[r.agent.name]
		marker := map[string]string{"claude": "BODY-ag-one-agents", "codex": "BODY-cl-one-claude"}[r.agent.name]
		if got := s.current()[ours]; got.Type != "command" {
			r.t.Errorf("%s is listed as %+v, want a command (ACP-A2)", ours, got)
		}
		own := lists(r.t, r.teed(), s.id)
		if len(own) == 0 {
			r.t.Fatal("the agent sent no list")
		}
		given := lists(r.t, c.since(0), s.id)
		for _, entry := range own[0] {
			if !slices.ContainsFunc(given[0], func(e json.RawMessage) bool { return string(e) == string(entry) }) {
				r.t.Errorf("the agent's entry did not arrive byte for byte: %s", entry)
			}
		}

		tn := s.prompt(text("/" + ours + " tell me"))
		tn.gave(marker, 1)
		tn.gave("tell me", 1)
		tn.echoed(s, text("/"+ours+" tell me"))

		for _, f := range c.since(0) {
			if f.FromAgent && strings.Contains(f.Raw, `"type":"skill"`) {
				r.t.Errorf("a skill reached a client without the capability (ACP-A1): %.300s", f.Raw)
			}
		}
		if f := c.response(s.send(skill(ours), text("do"))); f.Error == nil || f.Error.Code != -32602 {
			r.t.Errorf("a skill block from a client that has none in its list: %+v, want -32602", f.Error)
		}
	})
}

// Must show 7: what changes on disk changes the list, once for each distinct list,
// while the agent is idle; a deleted skill is refused at once.
func TestDiskChanges(t *testing.T) {
	each(t, func(r *rig) {
		c, _ := r.client(how{})
		s := r.open(c)
		s.prompt(text("hello")) // claude's first turn changes its list; be past that
		at := c.mark()

		// until waits for the list in which name fulfils is, and says how long it took.
		until := func(what, name string, is func(command, bool) bool) {
			r.t.Helper()
			since, from := time.Now(), c.mark()
			if e, ok := s.current()[name]; is(e, ok) {
				return // it came while the file was being written
			}
			c.waitUpdate(from, what, func(u update) bool {
				if u.Kind != "available_commands_update" || u.SessionID != s.id {
					return false
				}
				e, ok := byName(r.t, u.Commands)[name]
				return is(e, ok)
			})
			r.t.Logf("%s: %s in the list after %d ms", r.agent.name, what, time.Since(since).Milliseconds())
		}
		named := func(desc string) func(command, bool) bool {
			return func(e command, ok bool) bool { return ok && e.Type == "skill" && strings.Contains(e.Description, desc) }
		}
		gone := func(_ command, ok bool) bool { return !ok }

		for _, kind := range []string{".agents", ".claude"} { // one the agent reads, one it does not
			name := "fresh" + strings.TrimPrefix(kind, ".")
			r.ws.write(r.ws.dir, kind, name, "---\nname: "+name+"\ndescription: Added. Use when asked.\n---\nBODY-fresh\n")
			until("added "+kind, name, named("Added."))
			r.ws.write(r.ws.dir, kind, name, "---\nname: "+name+"\ndescription: Edited. Use when asked.\n---\nBODY-edited\n")
			until("edited "+kind, name, named("Edited."))
			s.prompt(skill(name), text("go")).gave("BODY-edited", 1)
			r.ws.rename(kind, name, name+"-2")
			until("renamed "+kind, name+"-2", named("Edited."))
			until("old name gone "+kind, name, gone)

			r.ws.remove(kind, name+"-2")
			if f := c.response(s.send(skill(name+"-2"), text("go"))); f.Error == nil || f.Error.Code != -32602 {
				r.t.Errorf("%s: a deleted skill was not refused at once: %s", kind, f.Raw)
			}
			until("deleted "+kind, name+"-2", gone)
		}

		all := lists(r.t, c.since(at), s.id)
		r.t.Logf("%s: %d lists", r.agent.name, len(all))
		for i := 1; i < len(all); i++ {
			if string(raw(r.t, all[i])) == string(raw(r.t, all[i-1])) {
				r.t.Errorf("list %d repeats the one before (ACP-A8)", i)
			}
		}
	})
}

// A name in the workspace and in the additional directory: both can be chosen
// (DSC-4), whatever the agent makes of it, and what is listed is what is run
// (must show 3).
func TestSameNameTwice(t *testing.T) {
	each(t, func(r *rig) {
		name, marker := own(r)[0].name, own(r)[0].marker
		mine := skillFile(r.ws.dir, map[string]string{"claude": ".claude", "codex": ".agents"}[r.agent.name], name)
		bodies := map[string]string{mine: marker}
		for _, kind := range []string{".agents", ".claude"} {
			file := r.ws.write(r.ws.extra, kind, name, "---\nname: "+name+"\ndescription: The other one. Use when asked.\n---\nBODY-other-"+kind[1:]+"\n")
			bodies[file] = "BODY-other-" + kind[1:]
		}
		c, _ := r.client(how{})
		s := r.open(c)
		list := s.current()
		if got := list[name]; got.Path != mine {
			r.t.Errorf("%s is %+v, want the workspace's (DSC-1)", name, got)
		}
		seen := 0
		for called, e := range list {
			body, ok := bodies[e.Path]
			if e.Type != "skill" || !ok {
				continue
			}
			seen++
			blocks := []any{skill(called), text(" go on")}
			tn := s.prompt(blocks...)
			tn.gave(body, 1)
			tn.gave("BODY-", 1)
			tn.echoed(s, blocks...)
		}
		r.t.Logf("%s: %d skills of %d files named %s", r.agent.name, seen, len(bodies), name)
		if seen < 2 {
			r.t.Errorf("%d entries for the skills named %s", seen, name)
		}
	})
}
