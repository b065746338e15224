// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"bytes"
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// An entry is one of a list of available commands, raw, and where it stood.
type entry struct {
	raw   []byte
	frame Frame
}

func (e entry) text(name string) string {
	s, _ := rawjson.GetString(e.raw, name)
	return s
}

func (e entry) kind() string { return e.text("type") }
func (e entry) name() string { return e.text("name") }

// A listing is a list of available commands that a session was given.
type listing struct {
	frame   Frame
	raw     []byte
	entries []entry
}

// listings are all lists of the session up to now, in their order, wherever they
// came: in the setup response or in updates (ACP-U4).
func (c *chat) listings() []listing {
	var all []listing
	for _, f := range c.since(c.from) {
		if l, ok := listingOf(f, c.id); ok && !f.Sent {
			all = append(all, l)
		}
	}
	return all
}

// listingOf is the list in a frame: of a session's update or of a setup response.
func listingOf(f Frame, session string) (listing, bool) {
	var raw []byte
	switch {
	case f.Result() != nil:
		if f.SessionID == session || f.SessionID == "" {
			raw = rawjson.Get(f.Result(), "availableCommands")
		}
	case f.Variant == "available_commands_update":
		raw = rawjson.Get(f.update(session), "availableCommands")
	}
	if !rawjson.IsArray(raw) {
		return listing{}, false
	}
	l := listing{frame: f, raw: raw}
	for _, e := range rawjson.Elements(raw) {
		l.entries = append(l.entries, entry{raw: e.Value, frame: f})
	}
	return l, true
}

// list is the session's list when the agent has settled. It waits for one.
func (c *chat) list() []entry {
	all := c.settle()
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1].entries
}

// settle waits until no more lists come and returns all of them.
func (c *chat) settle() []listing {
	if len(c.listings()) == 0 {
		c.find(c.from, 4*c.t.opts.Quiet, func(f Frame) bool { _, ok := listingOf(f, c.id); return ok })
	}
	c.sync()
	return c.listings()
}

// skills are the skill entries of the session that name a skill, at least one.
func (c *chat) skills() []entry {
	var out []entry
	for _, e := range c.list() {
		if e.kind() == "skill" && e.name() != "" {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		c.t.Skipf("the agent lists no skill here, so there is none to invoke; it advertises that it takes skill blocks")
	}
	// Ours first: they are known to be harmless.
	for i, e := range out {
		if strings.Contains(e.name(), skillOne) {
			out[0], out[i] = out[i], out[0]
		}
	}
	return out
}

// setups opens a session in every way that the agent has, and calls f for each.
func (d *driver) setups(f func(how string, c *chat)) {
	c := d.chat()
	f(acp.MethodNewSession, c)
	again, _, resp, ok := c.resume(d, false)
	if ok && resp.ErrorValue() == nil {
		f(acp.MethodResumeSession, again)
	}
	if !d.t.probe.fork {
		return
	}
	from := d.mark()
	resp, ok = d.ask(acp.MethodForkSession, `{"sessionId":`+quote(c.id)+","+d.setupParams()+"}")
	if ok && resp.SessionID != "" && resp.ErrorValue() == nil {
		f(acp.MethodForkSession, &chat{driver: d, id: resp.SessionID, from: from, setup: resp})
	}
}

// same compares JSON values: order of members, blanks and escapes do not matter.
func same(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	switch {
	case rawjson.IsObject(a) && rawjson.IsObject(b):
		n := 0
		for m := range rawjson.Members(a) {
			if !same(m.Value, rawjson.Get(b, string(m.Key))) {
				return false
			}
			n++
		}
		for range rawjson.Members(b) {
			n--
		}
		return n == 0
	case rawjson.IsArray(a) && rawjson.IsArray(b):
		var left, right [][]byte
		for _, e := range rawjson.Elements(a) {
			left = append(left, e.Value)
		}
		for _, e := range rawjson.Elements(b) {
			right = append(right, e.Value)
		}
		if len(left) != len(right) {
			return false
		}
		for i := range left {
			if !same(left[i], right[i]) {
				return false
			}
		}
		return true
	}
	x, ok := rawjson.String(a)
	y, ok2 := rawjson.String(b)
	return ok && ok2 && x == y
}
