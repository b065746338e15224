// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// offer is an entry of the agent's list and what the profile makes of it.
type offer struct {
	tok       []byte
	kind      string // the entry's type
	name      string // as the agent has it
	plain     string // without the mark
	own       bool   // it is a skill of the agent
	marked    bool   // its mark says so, not a file alone
	path      string // where the agent says that its file lies
	file      *catalog.Entry
	hidden    bool // not for the user, or its file is gone
	malformed bool
}

// offers reads the agent's list. A skill of the agent is an entry of type skill,
// one that the profile's mark tells, or one whose name a skill has that lies
// where the agent reads (PXY-4).
func (w *weaver) offers(agent [][]byte, all []*catalog.Entry) []offer {
	claimed := map[*catalog.Entry]bool{}
	// With a mark a name can come twice, once for each of two files.
	claim := func(is func(*catalog.Entry) bool) *catalog.Entry {
		for _, e := range all {
			if !claimed[e] && is(e) {
				claimed[e] = true
				return e
			}
		}
		return nil
	}
	out := make([]offer, 0, len(agent))
	for _, tok := range agent {
		var o offer
		var hasName, hasDescription bool
		o.kind, o.tok = w.dialect.read(tok)
		o.name, hasName = rawjson.GetString(tok, "name")
		_, hasDescription = rawjson.GetString(tok, "description")
		o.plain = o.name
		if o.malformed = !hasName || !hasDescription || o.name == ""; !o.malformed {
			w.judge(&o, claim)
		}
		out = append(out, o)
	}
	return out
}

func (w *weaver) judge(o *offer, claim func(func(*catalog.Entry) bool) *catalog.Entry) {
	named := func(e *catalog.Entry) bool { return e.Skill.Name == o.plain || filepath.Base(e.Dir) == o.plain }
	switch o.kind {
	case "skill":
		o.own = true
		o.path, _ = rawjson.GetString(o.tok, "path")
		o.file = claim(func(e *catalog.Entry) bool {
			return o.path == "" && named(e) || o.path != "" && slices.Contains(pathsOf(e), o.path)
		})
		o.hidden = o.file != nil && !o.file.UserInvocable()
		return
	case "command":
		read := w.profile.Mark.Read(o.tok, o.name)
		o.plain, o.marked, o.path = read.Plain, read.Marked, read.Path
		if o.marked || w.profile.Mark.ByName {
			o.file = claim(func(e *catalog.Entry) bool {
				return o.path == "" && named(e) && w.reads(e) || o.path != "" && slices.Contains(pathsOf(e), o.path)
			})
		}
	default:
		return // a type that is not known here is passed on as it is (ACP-A9)
	}
	if o.file != nil {
		w.ownFiles[o.name] = o.file.File
		o.own = true
		o.hidden = !o.file.UserInvocable()
		return
	}
	if _, had := w.ownFiles[o.name]; had {
		// It was a skill of this session, and its file is gone (ACP-A8).
		o.own, o.hidden = true, true
		return
	}
	o.own = o.marked && (o.path != "" || w.profile.Form != nil && w.profile.Form.Anywhere())
}

// reads reports whether the agent finds the skill itself.
func (w *weaver) reads(e *catalog.Entry) bool {
	return slices.ContainsFunc(pathsOf(e), func(path string) bool {
		r := w.profile.Reads
		base, folder := splitFolder(path, r.All())
		switch {
		case folder == "":
			return false
		case slices.Contains(w.additional, base):
			return slices.Contains(r.Additional, folder)
		case base == w.home:
			return slices.Contains(r.User, folder)
		}
		return e.Scope == catalog.Workspace && slices.Contains(r.Workspace, folder)
	})
}

// pathsOf are the ways by which a skill's file, or a copy of it, was reached.
func pathsOf(e *catalog.Entry) []string {
	return append(append([]string{e.File, e.Path}, e.Aliases...), e.Copies...)
}

// splitFolder finds which of the folders a skill's file lies in, and the
// directory that holds the folder.
func splitFolder(path string, folders []string) (base, folder string) {
	slash := filepath.ToSlash(path)
	for _, f := range folders {
		if i := strings.Index(slash, "/"+f+"/"); i >= 0 && (folder == "" || i < len(base)) {
			base, folder = path[:i], f
		}
	}
	return base, folder
}
