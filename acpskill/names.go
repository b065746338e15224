// SPDX-License-Identifier: Apache-2.0

package acpskill

import (
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// Names gives the skills of one session the names by which its client knows
// them. A name once given keeps its meaning: a skill that comes later, from
// wherever, never takes it over while the first one is there, since a client may
// hold a prompt that means the first one (ACP-A4, ACP-A8).
//
// The zero value is ready. It is not safe for concurrent use.
type Names struct {
	byKey map[string]string // a skill's key, and the name that it was given
	owner map[string]string // a name, and the key of the skill that has it
}

// A Listed is a skill that the user can invoke, and its name in the session.
type Listed struct {
	*catalog.Entry
	Name string // in the session's list; the skill's own is Entry.Name
}

// Assign names the entries that the user can invoke (ACP-A7), in their order.
// taken says which names a command has, so that a skill which has no name yet
// does not get one of those; it may be nil.
func (n *Names) Assign(entries []*catalog.Entry, taken func(name string) bool) []Listed {
	if n.byKey == nil {
		n.byKey, n.owner = map[string]string{}, map[string]string{}
	}
	here := make(map[string]bool, len(entries))
	for _, e := range entries {
		here[Key(e)] = true
	}
	free := func(name string) bool {
		owner, given := n.owner[name]
		return (!given || !here[owner]) && (taken == nil || !taken(name))
	}
	out := make([]Listed, 0, len(entries))
	for _, e := range entries {
		if !e.UserInvocable() {
			continue
		}
		key := Key(e)
		name, given := n.byKey[key]
		if !given || n.owner[name] != key {
			name = pick(e, free)
			n.byKey[key], n.owner[name] = name, key
		}
		out = append(out, Listed{Entry: e, Name: name})
	}
	return out
}

// Clone is a copy that goes its own way.
func (n *Names) Clone() Names { return Names{byKey: maps.Clone(n.byKey), owner: maps.Clone(n.owner)} }

// Holds reports whether a skill was given the name, be it there or gone.
func (n *Names) Holds(name string) bool { _, ok := n.owner[name]; return ok }

func pick(e *catalog.Entry, free func(string) bool) string {
	name := WireName(e.ID)
	if free(name) {
		return name
	}
	base := e.Qualifier + ":" + e.Skill.Name
	for i := 1; ; i++ {
		name = WireName(base)
		if i > 1 {
			name = WireName(e.Qualifier + "-" + strconv.Itoa(i) + ":" + e.Skill.Name)
		}
		if free(name) {
			return name
		}
	}
}

// Key identifies the skill of an entry within a session: its file and the name
// that the file gives it. One that is given another name is another skill.
func Key(e *catalog.Entry) string {
	if e.File == "" {
		return "builtin:" + e.Root + "\x00" + e.Skill.Name // of a served skill, Root is its server and uri (MCP-3)
	}
	return e.File + "\x00" + e.Skill.Name
}

// WireName is a name as it stands in a session's list: without characters that
// control or hide, and with a dash for white space (ACP-A4).
func WireName(name string) string {
	name = strings.Join(strings.Fields(skill.Sanitize(name)), "-")
	if name == "" {
		return "unnamed"
	}
	return name
}

// Entry is the list's entry for a skill (ACP-A3): a description for people, and
// the path of its file.
func Entry(l Listed) *acp.Skill {
	description := l.DisplayDescription()
	if description == "" {
		description = l.Name
	}
	path := l.File
	if !utf8.ValidString(path) {
		path = "" // JSON cannot say it, and another path would be a wrong one
	}
	return &acp.Skill{Name: l.Name, Description: description, Path: path}
}
