// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"slices"

	"github.com/skillgraft/skillgraft/skill"
)

// An Entry is a skill with its place in a catalog. It is immutable.
type Entry struct {
	*skill.Skill
	// ID is the name that means this entry and no other: the skill's own name, or a
	// qualified one when another entry has that (DSC-4).
	ID string
	// Scope is where the skill comes from.
	Scope Scope
	// Root is the root that it was found under, and Path its file as it was found,
	// before links were resolved; both are empty for built-in skills. For opening and
	// for showing to others use File.
	Root, Path string
	// Trusted is false for a skill of a workspace that the user does not trust.
	Trusted bool
	// ShadowedBy is the entry that has the bare name, if that is another one.
	ShadowedBy *Entry
	// Copies are files of the same name and content that were found with less
	// precedence, as they were found.
	Copies []string
	// Aliases are other ways by which the same file was reached, as they were found
	// (DSC-3).
	Aliases []string
	// Qualifier is what stands before the colon when the name needs to be told from
	// another one: "user", the name of the workspace directory, or of the root.
	Qualifier string
}

// A Snapshot is the outcome of one scan. It is immutable and safe for concurrent use.
type Snapshot struct {
	// Version counts the distinct snapshots of one catalog from 1: two of its snapshots
	// with the same version are equal.
	Version uint64

	all      []*Entry
	skills   []*Entry
	byID     map[string]*Entry
	findings []skill.Finding
	roots    []Root
	// hold keeps the outcomes of files that are no skills alive for the cache.
	hold []*loaded
}

// Skills returns the entries that have their bare name, in order of precedence. The slice
// is shared; do not change it.
func (s *Snapshot) Skills() []*Entry { return s.skills }

// All returns every entry including the shadowed ones, in order of precedence, each with a
// unique ID. The slice is shared; do not change it.
func (s *Snapshot) All() []*Entry { return s.all }

// Lookup returns the entry with this ID, compared byte for byte.
func (s *Snapshot) Lookup(id string) (*Entry, bool) {
	e, ok := s.byID[id]
	return e, ok
}

// Findings returns what was noticed: about roots and directories, about files that are not
// usable, about shadowing, and the warnings of loaded skills. The slice is shared; do not
// change it.
func (s *Snapshot) Findings() []skill.Finding { return s.findings }

// Roots returns every place that was considered, in order of precedence, and what came of
// it: also those that do not exist, since a missing skill may be meant to lie there. They
// are of the scan that made this snapshot; a root that came without bringing a skill makes no
// new one. The slice is shared; do not change it.
func (s *Snapshot) Roots() []Root { return s.roots }

// Equal reports whether two snapshots are the same to everyone who uses them: entries,
// frontmatter and findings. Bodies do not count, because they are read at activation
// (ACT-2).
func (s *Snapshot) Equal(o *Snapshot) bool {
	if s == o {
		return true
	}
	if s == nil || o == nil || len(s.all) != len(o.all) || len(s.findings) != len(o.findings) {
		return false
	}
	for i, a := range s.all {
		if !a.equal(o.all[i]) {
			return false
		}
	}
	for i, f := range s.findings {
		if f != o.findings[i] {
			return false
		}
	}
	return true
}

func (e *Entry) equal(o *Entry) bool {
	if e.ID != o.ID || e.Scope != o.Scope || e.Path != o.Path || e.Trusted != o.Trusted {
		return false
	}
	if !slices.Equal(e.Copies, o.Copies) || !slices.Equal(e.Aliases, o.Aliases) {
		return false
	}
	a, b := e.Skill, o.Skill
	return a == b || a.Name == b.Name && a.File == b.File && a.Dir == b.Dir && a.Frontmatter.Raw() == b.Frontmatter.Raw()
}
