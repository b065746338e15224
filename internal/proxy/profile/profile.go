// SPDX-License-Identifier: Apache-2.0

// Package profile holds what each known agent does with skills of its own: how
// it is recognised, what marks a skill in its list, which folders it reads, and
// how one of its skills is invoked. Profiles are data, one file an agent; what
// the data means is written once, in this file and in form.go.
//
// A profile describes, it never decides: where it does not hold, the graft
// stage expands the skill into the prompt, which works with every agent.
package profile

import (
	"path/filepath"
	"slices"
	"strings"
)

// A Profile is what is known about one agent. The zero value is an agent that
// knows nothing of skills.
type Profile struct {
	Name  string // what --profile takes
	Title string // for people

	// The agent is recognised by the name in its initialize response, else by
	// a word in its command line.
	Infos    []string
	Commands []string

	// Mark says how the agent's own skills are told from its commands.
	Mark Mark

	// Reads lists the folders in which the agent itself finds skills.
	Reads Folders

	// Form is the agent's own way of invoking one of its skills.
	Form Form
}

// Mark says what makes an entry of the agent's list one of its skills.
type Mark struct {
	// Prefix stands before the name of every skill, and of nothing else. It is
	// not part of the name that people see.
	Prefix string
	// ByName: nothing marks a skill. An entry is one when a skill of that name
	// lies in a folder that the agent reads.
	ByName bool
}

// Folders are client folders such as ".claude/skills", by where they lie.
type Folders struct {
	Workspace  []string // under the working directory and its ancestors
	Additional []string // under the session's additional directories
	User       []string // under the home directory
}

// All lists every folder once, in order.
func (f Folders) All() []string {
	var all []string
	for _, list := range [][]string{f.Workspace, f.Additional, f.User} {
		for _, name := range list {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// Known lists the profiles, the one for unknown agents last.
func Known() []*Profile { return []*Profile{claude(), codex(), generic()} }

// ByName is the profile of a name, nil when there is none.
func ByName(name string) *Profile {
	for _, p := range Known() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// For picks the profile of an agent by the name it gave itself in its initialize
// response, else by its command line. It never returns nil.
func For(info string, command []string) *Profile {
	for _, p := range Known() {
		if slices.Contains(p.Infos, info) {
			return p
		}
	}
	for _, p := range Known() {
		for _, word := range command {
			if slices.ContainsFunc(p.Commands, func(c string) bool { return isCommand(word, c) }) {
				return p
			}
		}
	}
	return generic()
}

// isCommand reports whether a word of a command line is the program c, perhaps
// with a directory, a version or an ending.
func isCommand(word, c string) bool {
	for _, part := range strings.FieldsFunc(filepath.ToSlash(word), func(r rune) bool { return r == '/' }) {
		name, _, _ := strings.Cut(part, "@")
		if name == c || strings.HasPrefix(name, c+".") {
			return true
		}
	}
	return false
}

// OwnName is the name that people see of an entry of the agent's list, and
// whether its mark says that the entry is a skill.
func (p *Profile) OwnName(name string) (plain string, marked bool) {
	if p.Mark.Prefix == "" {
		return name, false
	}
	plain, marked = strings.CutPrefix(name, p.Mark.Prefix)
	if !marked || plain == "" {
		return name, false
	}
	return plain, true
}
