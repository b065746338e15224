// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"path/filepath"
	"strings"
)

// PXY-3 and PXY-4, and ACP-A through a proxy: the list that a client gets is the
// agent's and the disk's.
func proxyListChecks() []Check {
	when := func(id, title string, s scene) Check {
		s.support = supportNone
		return Check{ID: "PXY-3/" + id, Rule: "PXY-3", Title: title, run: func(t *T) { proxyAdds(t, s) }}
	}
	return []Check{
		when("response", "adds skills to a list in the setup response", scene{setup: listCommand}),
		when("early", "adds skills to a list that comes before the setup response", scene{early: []string{listCommand}}),
		when("late", "adds skills to a list that comes after the setup response", scene{late: []string{listCommand}}),
		when("never", "lists skills for an agent that has no list", scene{}),
		{ID: "PXY-3/resume", Rule: "PXY-3", Title: "lists skills again after a resume", run: proxyResumeLists},
		{ID: "PXY-4/once", Rule: "PXY-4", Title: "lists a skill once that the agent lists as well", run: proxyOnce},
		{ID: "PXY-A1/plain", Rule: "ACP-A1", Title: "sends no skill entries to a client without skills", run: proxyPlainClient},
		{ID: "PXY-A4/unique", Rule: "ACP-A4", Title: "tells a skill of the disk from a command of the agent that has its name", run: proxyClash},
	}
}

const (
	commandName = "conform-command"
	listCommand = `[{"type":"command","name":"` + commandName + `","description":"A command of the agent"}]`
)

// last is the list that counts.
func (c *chat) lastListing() listing {
	all := c.settle()
	if len(all) == 0 {
		return listing{}
	}
	return all[len(all)-1]
}

func proxyAdds(t *T, s scene) {
	b := t.bridge(s, knowsSkills)
	b.mustGraft()
	c := b.chat()
	c.awaitList(c.from, skillOne, true)
	l := c.lastListing()
	if !l.hasSkill(skillOne) {
		t.Failf([]Frame{c.setup, l.frame}, "the skill %s of the workspace is not in the session's list", skillOne)
	}
	if _, ok := l.find(commandName); !ok && (s.setup != "" || s.early != nil || s.late != nil) {
		t.Failf([]Frame{l.frame}, "the agent's own command %s is not in the session's list", commandName)
	}
}

func proxyResumeLists(t *T) {
	s := scene{support: supportNone, also: answersResume(`{"availableCommands":`+listCommand+`}`, nil)}
	b := t.bridge(s, knowsSkills)
	b.mustGraft()
	c := b.chat()
	c.awaitList(c.from, skillOne, true)
	c.settle()
	again, _, resp, ok := c.resume(b.driver, false)
	if !ok || resp.ErrorValue() != nil {
		t.Failf([]Frame{resp}, "session/resume does not come through")
	}
	l := again.lastListing()
	if _, own := l.find(commandName); !own || !l.hasSkill(skillOne) {
		t.Failf([]Frame{resp, l.frame}, "the list after a resume does not have both the agent's command and the workspace's skill")
	}
}

// answersResume answers session/resume, after it has sent what updates returns.
func answersResume(result string, updates func() []string) func(*Wire, Frame) bool {
	return func(w *Wire, f Frame) bool {
		if f.Method != "session/resume" {
			return false
		}
		if updates != nil {
			for _, u := range updates() {
				w.send(update(u))
			}
		}
		w.send(`{"jsonrpc":"2.0","id":` + string(f.ID) + `,"result":` + result + `}`)
		return true
	}
}

// proxyOnce: the agent knows the RFD and lists the workspace's skill itself.
func proxyOnce(t *T) {
	path := filepath.Join(t.places.work, filepath.FromSlash(skillDirs()[0]), skillOne, "SKILL.md")
	s := scene{support: supportInline, setup: `[{"type":"skill","name":"` + skillOne + `","description":"As the agent has it","path":` + quote(path) + `}]`}
	b := t.bridge(s, knowsSkills)
	c := b.chat()
	l := c.lastListing()
	n := 0
	for _, e := range l.entries {
		if e.text("path") == path {
			n++
		}
	}
	if n != 1 {
		t.Failf([]Frame{l.frame}, "the skill that the agent lists with its path stands in the list %d times", n)
	}
	from := b.back.mark()
	req, _ := c.tell(skillBlock(skillOne), textBlock(plainText))
	got, ok := b.back.find(from, t.opts.Timeout, func(f Frame) bool { return f.Method == "session/prompt" })
	if !ok || !strings.Contains(string(got.Params()), `"`+skillOne+`"`) {
		t.Failf([]Frame{req, got}, "a skill that the agent has is not invoked by a block at the agent, which takes blocks")
	}
}

func proxyPlainClient(t *T) {
	b := t.bridge(scene{support: supportNone, setup: listCommand}, plainClient)
	c := b.chat()
	for _, l := range c.settle() {
		for _, e := range l.entries {
			if e.kind() == "skill" {
				t.Failf([]Frame{l.frame}, "a client without session.commands.skill gets the skill entry %s", quote(e.name()))
			}
		}
	}
}

func proxyClash(t *T) {
	b := t.bridge(scene{support: supportNone, setup: `[{"type":"command","name":"` + skillOne + `","description":"A command of the agent"}]`}, knowsSkills)
	c := b.chat()
	seen := map[string]bool{}
	l := c.lastListing()
	for _, e := range l.entries {
		if seen[e.name()] {
			t.Failf([]Frame{l.frame}, "the name %s stands twice in one list", quote(e.name()))
		}
		seen[e.name()] = true
	}
}
