// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"path/filepath"
	"slices"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// binding is how a skill is invoked at this agent.
type binding uint8

const (
	expand binding = iota // its instructions go into the prompt
	native                // in the profile's form
	block                 // with the block itself: the agent takes them
)

// entry is a skill in the list that the client was given.
type entry struct {
	name      string // in that list
	agentName string // the agent's name for it, without a mark; for native and block
	how       binding
	listed    acpskill.Listed // its file; Entry is nil when there is none that can be read
	path      string          // where the agent says that it lies, when the catalog does not know it
	asCommand bool            // the client knows no skills: it is a command there
	remote    *remoteSkill    // it is served by an MCP server; nil for all others
}

// skills is the list for a client that knows skills.
func (w *weaver) skills(offers []offer, all []*catalog.Entry) [][]byte {
	commands := map[string]bool{}
	for _, o := range offers {
		if !o.own && !o.malformed && !w.names.Holds(o.name) {
			commands[o.name] = true
		}
	}
	// The agent's own skills are named first: a user finds there what the
	// agent calls by that name.
	ordered := make([]*catalog.Entry, 0, len(all))
	mine := map[*catalog.Entry]*offer{}
	for i := range offers {
		o := &offers[i]
		if !o.own || o.hidden {
			continue
		}
		if o.file != nil {
			mine[o.file] = o
		}
		o.file = o.named()
		ordered = append(ordered, o.file)
		mine[o.file] = o
	}
	for _, e := range all {
		if mine[e] == nil && !hiddenOwn(offers, e) {
			ordered = append(ordered, e)
		}
	}
	names := map[*catalog.Entry]acpskill.Listed{}
	listed := w.names.Assign(ordered, func(n string) bool { return commands[n] })
	for _, l := range listed {
		names[l.Entry] = l
	}

	var tokens [][]byte
	for i := range offers {
		o := &offers[i]
		switch {
		case o.own && o.hidden:
		case o.own:
			l := names[o.file]
			ent := w.ownEntry(o, l)
			w.entries[ent.name] = ent
			tokens = append(tokens, w.ownToken(o, ent))
		case o.kind == "command" && !o.malformed && w.names.Holds(o.name):
			tokens = append(tokens, w.renamed(o, commands))
		default:
			tokens = append(tokens, o.tok)
		}
	}
	for _, l := range listed {
		if mine[l.Entry] == nil {
			w.entries[l.Name] = &entry{name: l.Name, listed: l, how: w.ourBinding(l.Entry, offers), agentName: l.Entry.Skill.Name, remote: w.remote[l.Entry]}
			tokens = append(tokens, encodeSkill(acpskill.Entry(l), nil))
		}
	}
	return tokens
}

// named is the entry that a skill of the agent gets its name in the list by: that
// of its file, if it is known, under the agent's name for it.
func (o *offer) named() *catalog.Entry {
	e := catalog.Entry{Qualifier: "agent"}
	if o.file != nil {
		e = *o.file
	} else {
		e.Skill = &skill.Skill{Name: o.plain}
	}
	e.ID = o.plain
	return &e
}

// hiddenOwn reports whether an entry belongs to an offer that is not shown.
func hiddenOwn(offers []offer, e *catalog.Entry) bool {
	return slices.ContainsFunc(offers, func(o offer) bool { return o.hidden && o.file == e })
}

// ourBinding is the binding of a skill that is not in the agent's list under a
// name of its own. Where a mark tells skills and a path decides between two of
// one name, the agent has loaded this one too.
func (w *weaver) ourBinding(e *catalog.Entry, offers []offer) binding {
	p := w.profile
	if w.remote[e] != nil {
		return expand // whatever its name, it is not what the agent has
	}
	if p.Mark.Prefix != "" && p.Form != nil && p.Form.Anywhere() && w.reads(e) &&
		slices.ContainsFunc(offers, func(o offer) bool { return o.marked && o.plain == e.Skill.Name }) {
		return native
	}
	return expand
}

func (w *weaver) ownEntry(o *offer, l acpskill.Listed) *entry {
	ent := &entry{name: l.Name, agentName: o.plain, listed: l, how: native}
	if o.kind == "skill" {
		ent.how, ent.agentName = block, o.name
	} else if w.profile.Form == nil {
		ent.how = expand
	}
	if l.File == "" {
		ent.listed.Entry = nil
		ent.path = o.path
	}
	return ent
}

// located is the entry with its file read from where the agent says that it is,
// for a skill of the agent that lies where we do not look. What it says is no
// more trusted than that: a regular SKILL.md, within the usual bounds.
func (e *entry) located() *entry {
	if e.listed.Entry != nil || !filepath.IsAbs(e.path) {
		return e
	}
	sk, err := skill.Load(filepath.Dir(e.path), nil)
	if err != nil {
		return e
	}
	found := *e
	found.listed = acpskill.Listed{Entry: &catalog.Entry{Skill: sk, ID: sk.Name}, Name: e.name}
	return &found
}

// ownToken is how the client sees a skill of the agent.
func (w *weaver) ownToken(o *offer, ent *entry) []byte {
	if o.kind == "skill" {
		if ent.name == o.name {
			return o.tok
		}
		return rawjson.Set(o.tok, rawjson.Quote(ent.name), "name")
	}
	sk := &acp.Skill{Name: ent.name}
	if ent.listed.Entry != nil {
		sk = acpskill.Entry(ent.listed)
	} else {
		sk.Description, _ = rawjson.GetString(o.tok, "description")
		if filepath.IsAbs(ent.path) {
			sk.Path = ent.path
		}
	}
	return encodeSkill(sk, rawjson.Get(o.tok, "_meta"))
}

// encodeSkill writes a skill entry (ACP-A3).
func encodeSkill(sk *acp.Skill, meta []byte) []byte {
	out := append([]byte(`{"type":"skill","name":`), rawjson.Quote(sk.Name)...)
	out = append(append(out, `,"description":`...), rawjson.Quote(sk.Description)...)
	if sk.Path != "" {
		out = append(append(out, `,"path":`...), rawjson.Quote(sk.Path)...)
	}
	if rawjson.IsObject(meta) {
		out = append(append(out, `,"_meta":`...), meta...)
	}
	return append(out, '}')
}

// renamed gives a command another name whose own one a skill had first. What
// the user types under that name is translated back (ACP-A4).
func (w *weaver) renamed(o *offer, taken map[string]bool) []byte {
	name := "agent:" + o.name
	for taken[name] || w.names.Holds(name) {
		name = "agent:" + name
	}
	taken[name] = true
	w.aliases[name] = o.name
	return rawjson.Set(o.tok, rawjson.Quote(name), "name")
}

// commands is the list for a client that does not know skills: the agent's
// entries as they are, and ours as commands (ACP-A1, ACP-A2). A skill of the agent
// is a command there, too, and gets another name where a command has its own; so
// does a command that comes under a name which a skill was given before.
func (w *weaver) commands(offers []offer, all []*catalog.Entry) [][]byte {
	taken := map[string]bool{}
	owned := map[*catalog.Entry]bool{}
	var ordered []*catalog.Entry
	for i := range offers {
		o := &offers[i]
		if o.file != nil {
			owned[o.file] = true
		}
		switch {
		case o.kind != "skill":
			taken[o.name] = true
		case !o.malformed && !o.hidden:
			o.file = o.named()
			ordered = append(ordered, o.file)
		}
	}
	theirs := len(ordered)
	for _, e := range all {
		if !owned[e] {
			ordered = append(ordered, e)
		}
	}
	names := map[*catalog.Entry]acpskill.Listed{}
	listed := w.names.Assign(ordered, func(n string) bool { return taken[n] })
	for _, l := range listed {
		names[l.Entry] = l
	}
	skills := map[string]bool{} // what the agent's skills are called
	for _, e := range ordered[:theirs] {
		skills[names[e].Name] = true
	}

	var tokens [][]byte
	for i := range offers {
		o := &offers[i]
		tok := o.tok
		switch {
		case o.kind == "skill":
			// A malformed one no client reads (ACP-A9), and this one must not see
			// its type.
			l, ok := names[o.file]
			if !ok || o.malformed || w.entries[l.Name] != nil {
				continue
			}
			ent := w.ownEntry(o, l)
			ent.asCommand = true
			w.entries[l.Name] = ent
			if tok = w.dialect.asCommand(tok); l.Name != o.name {
				tok = rawjson.Set(tok, rawjson.Quote(l.Name), "name")
			}
		case o.kind == "command" && !o.malformed && (skills[o.name] || o.file == nil && w.names.Holds(o.name)):
			tok = w.renamed(o, taken)
		}
		tokens = append(tokens, tok)
	}
	for _, l := range listed {
		if slices.Contains(ordered[:theirs], l.Entry) {
			continue
		}
		w.entries[l.Name] = &entry{name: l.Name, listed: l, how: expand, asCommand: true, remote: w.remote[l.Entry]}
		tokens = append(tokens, w.dialect.command(l.Name, acpskill.Entry(l).Description, l.Entry))
	}
	return tokens
}
