// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"fmt"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// ACP-C: capabilities.
func capabilityChecks() []Check {
	checks := []Check{
		{ID: "C2/shape", Rule: "ACP-C2", Title: "advertises session.prompt.skill, and inline in it, as objects or not at all", needs: needSession, run: capShape},
		{ID: "C2/level", Rule: "ACP-C2", Title: "takes skill blocks where --level says", run: capLevel},
		{ID: "C3/advertised", Rule: "ACP-C3", Title: "advertises session.prompt.skill if it sends skill entries", needs: needSession, run: capAdvertised},
		{ID: "C4/version-1", Rule: "ACP-C4", Title: "sends no skill entries in version 1", run: capVersionOne},
	}
	for _, no := range []struct{ id, caps string }{
		{"empty", `{"session":{}}`},
		{"null", `{"session":{"commands":{"skill":null}}}`},
		{"not-object", `{"session":{"commands":{"skill":true}}}`},
	} {
		checks = append(checks, Check{ID: "C1/" + no.id, Rule: "ACP-C1", Title: "takes " + no.caps + " for a client without skills",
			needs: needSession | needSkill, run: func(t *T) { noSkillEntries(t, no.caps) }})
	}
	return checks
}

func capShape(t *T) {
	d := t.connect(knowsSkills)
	at := []string{"capabilities", "session", "prompt", "skill"}
	for range 2 {
		v := rawjson.Get(d.init.Result(), at...)
		if v != nil && string(v) != "null" && !rawjson.IsObject(v) {
			t.Failf([]Frame{d.init}, "%s is %s: what is supported is an object", joinPath(at), v)
		}
		at = append(at, "inline")
	}
}

func joinPath(path []string) string {
	s := path[0]
	for _, p := range path[1:] {
		s += "." + p
	}
	return s
}

func capLevel(t *T) {
	switch want := t.opts.Level; want {
	case "", levelAuto:
		t.Skipf("no level was asked for; this agent's is %s", t.probe.level())
	case t.probe.level():
	default:
		d := t.connect(knowsSkills)
		t.Failf([]Frame{d.init}, "the agent's level is %s and not %s", t.probe.level(), want)
	}
}

func capAdvertised(t *T) {
	d := t.connect(knowsSkills)
	support := supportOf(rawjson.Get(d.init.Result(), "capabilities"))
	for _, e := range d.chat().list() {
		if e.kind() == "skill" && !support.Skill {
			t.Failf([]Frame{d.init, e.frame}, "the list has skill entries, and session.prompt.skill is not advertised")
		}
	}
	if !support.Skill {
		t.Skipf("the agent has no skills: it neither lists one nor advertises session.prompt.skill")
	}
}

func capVersionOne(t *T) {
	d := t.start()
	f, ok := d.ask(acp.MethodInitialize, `{"protocolVersion":1,"clientCapabilities":{"session":{"commands":{"skill":{}}}},"capabilities":{"session":{"commands":{"skill":{}}}}}`)
	if !ok || string(rawjson.Get(f.Result(), "protocolVersion")) != "1" {
		t.Skipf("the agent does not speak version 1")
	}
	f, ok = d.ask(acp.MethodNewSession, "{"+d.setupParams()+"}")
	if !ok || f.ErrorValue() != nil {
		t.Skipf("the agent opens no session in version 1: %s", f.ErrorValue())
	}
	c := &chat{driver: d, id: f.SessionID, setup: f}
	for _, e := range c.list() {
		if e.kind() == "skill" {
			t.Failf([]Frame{e.frame}, "a version 1 client gets an entry of type skill: in version 1 skills are plain commands")
		}
	}
}

// noSkillEntries is ACP-A1 for a client with these capabilities.
func noSkillEntries(t *T, capabilities string) {
	d := t.connect(capabilities)
	d.setups(func(how string, c *chat) {
		for _, l := range c.settle() {
			for _, e := range l.entries {
				if e.kind() == "skill" {
					t.Failf([]Frame{d.sentInitialize(), l.frame}, "a client without session.commands.skill gets the skill entry %s after %s", quote(e.name()), how)
				}
			}
		}
	})
}

// sentInitialize is the request to initialize.
func (d *driver) sentInitialize() Frame { return d.since(0)[0] }

func (l listing) find(name string) (entry, bool) {
	for _, e := range l.entries {
		if e.name() == name {
			return e, true
		}
	}
	return entry{}, false
}

func describe(e entry) string { return fmt.Sprintf("entry %s", quote(e.name())) }
