// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"strings"
)

// ACP-A8: lists change, and agree with each other.
func liveListChecks() []Check {
	return []Check{
		{ID: "A8/agree", Rule: "ACP-A8", Title: "never changes the type of an entry within a session", needs: needSkill, disk: true, run: liveAgree},
		{ID: "A8/added", Rule: "ACP-A8", Title: "sends the whole list again when a skill comes", Should: true, needs: needSkill, disk: true, run: liveAdded},
		{ID: "A8/removed", Rule: "ACP-A8", Title: "sends the list again when a skill goes, and refuses its name then", Should: true, needs: needSkill, disk: true, run: liveRemoved},
		{ID: "A8/once", Rule: "ACP-A8", Title: "does not send a list again that says the same", Should: true, needs: needSession, run: liveOnce},
	}
}

func (t *T) put(name string) {
	if err := t.places.write(t.places.work, name, "description: A skill that came late."); err != nil {
		panic(&startFailure{err})
	}
}

// awaitList waits for a list, sent from a place on, in which a skill of that name is
// or is not.
func (c *chat) awaitList(from int, name string, there bool) (listing, bool) {
	f, ok := c.find(from, c.t.opts.Live, func(f Frame) bool {
		l, ok := listingOf(f, c.id)
		return ok && l.hasSkill(name) == there
	})
	if !ok {
		return listing{}, false
	}
	return listingOf(f, c.id)
}

func (l listing) hasSkill(name string) bool {
	for _, e := range l.entries {
		if e.kind() == "skill" && strings.Contains(e.name(), name) {
			return true
		}
	}
	return false
}

func liveAgree(t *T) {
	d := t.connect(knowsSkills)
	c := d.chat()
	c.settle()
	from := c.mark()
	t.put(skillLate)
	c.awaitList(from, skillLate, true) // if it does not come, A8/added says so
	if _, _, resp, ok := c.resume(d, false); !ok || resp.ErrorValue() != nil {
		t.Skipf("the session cannot be resumed")
	}
	kinds := map[string]entry{}
	for _, l := range c.settle() {
		for _, e := range l.entries {
			if first, ok := kinds[e.name()]; ok && first.kind() != e.kind() {
				t.Failf([]Frame{first.frame, e.frame}, "the %s is a %s in one list and a %s in a later one", describe(e), first.kind(), e.kind())
			}
			kinds[e.name()] = e
		}
	}
}

func (c *chat) mustListOurs() []entry {
	skills := c.skills()
	if !strings.Contains(skills[0].name(), skillOne) {
		c.t.Skipf("the agent does not list the checker's skills: it looks neither into .agents/skills nor into .claude/skills")
	}
	return skills
}

func liveAdded(t *T) {
	c := t.connect(knowsSkills).chat()
	before := c.mustListOurs()
	from := c.mark()
	t.put(skillLate)
	l, ok := c.awaitList(from, skillLate, true)
	if !ok {
		t.Failf([]Frame{before[0].frame}, "a skill came into the workspace, and no list with it within %v", t.opts.Live)
	}
	for _, e := range before {
		if _, ok := l.find(e.name()); !ok {
			t.Failf([]Frame{e.frame, l.frame}, "the new list does not have %s any more: a change sends the full list again", describe(e))
		}
	}
}

func liveRemoved(t *T) {
	c := t.connect(knowsSkills).chat()
	name := c.mustListOurs()[0].name()
	from := c.mark()
	if err := t.places.drop(t.places.work, skillOne); err != nil {
		t.Skipf("%v", err)
	}
	l, ok := c.awaitList(from, skillOne, false)
	if !ok {
		t.Failf(nil, "a skill left the workspace, and no list without it came within %v", t.opts.Live)
	}
	req, resp := c.say(skillBlock(name), textBlock(plainText))
	if resp.ErrorValue() == nil {
		t.Failf([]Frame{l.frame, req, resp}, "a prompt with a skill that left the list is accepted")
	}
}

func liveOnce(t *T) {
	c := t.connect(knowsSkills).chat()
	all := c.settle()
	for i := 1; i < len(all); i++ {
		if same(all[i-1].raw, all[i].raw) {
			t.Failf([]Frame{all[i-1].frame, all[i].frame}, "the same list is sent twice")
		}
	}
	if len(all) == 0 {
		t.Skipf("the agent sends no list")
	}
}
