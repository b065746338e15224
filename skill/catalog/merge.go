// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/skillgraft/skillgraft/skill"
)

// merger turns what was found, in order of precedence, into entries with unique names.
type merger struct {
	entries  []*candidate
	space    []placed          // for the next entries
	byFile   map[fileID]*Entry // nil for a file that is no skill
	findings []skill.Finding
	hold     []*loaded
}

type candidate struct {
	entry *Entry
	label string
	size  int64
}

func newMerger() *merger { return &merger{byFile: map[fileID]*Entry{}} }

// placed is an entry with what is known of it besides.
type placed struct {
	candidate
	Entry
}

// grow makes room for n files.
func (m *merger) grow(n int) {
	m.hold = make([]*loaded, 0, n)
	m.entries = make([]*candidate, 0, n)
	m.byFile = make(map[fileID]*Entry, n)
}

func (m *merger) add(f *found) {
	m.hold = append(m.hold, f.loaded)
	if f.skill == nil {
		// A file that is no skill may still be met twice.
		if f.stat.id != (fileID{}) {
			if _, met := m.byFile[f.stat.id]; met {
				return
			}
			m.byFile[f.stat.id] = nil
		}
		var le *skill.LoadError
		if errors.As(f.err, &le) {
			m.findings = append(m.findings, le.Findings...)
		}
		return
	}
	// One file is one skill, by whatever way it was reached (DSC-3).
	if f.stat.id != (fileID{}) {
		if e, met := m.byFile[f.stat.id]; met {
			if e != nil && e.Path != f.path {
				e.Aliases = append(e.Aliases, f.path)
			}
			return
		}
	}
	if len(m.space) == 0 {
		// Not one piece for all: who keeps an entry keeps the piece that it is in.
		m.space = make([]placed, 32)
	}
	c := &m.space[0]
	m.space = m.space[1:]
	e := &c.Entry
	*e = Entry{Skill: f.skill, Scope: f.root.scope, Root: f.root.path, Path: f.path, Trusted: f.root.trusted, Qualifier: f.root.label, Aliases: f.aliases}
	m.byFile[f.stat.id] = e
	c.candidate = candidate{label: f.root.label, size: f.stat.size, entry: e}
	m.entries = append(m.entries, &c.candidate)
}

func (m *merger) addBuiltIn(s *skill.Skill) {
	m.entries = append(m.entries, &candidate{label: "builtin", entry: &Entry{Skill: s, Scope: BuiltIn, Trusted: true, Qualifier: "builtin"}})
}

// snapshot gives names. Bare names go first, in order of precedence, so that no qualified
// name can take one; both depend on the order alone, which depends on the disk alone.
func (m *merger) snapshot() *Snapshot {
	n := len(m.entries)
	s := &Snapshot{byID: make(map[string]*Entry, n), hold: m.hold, all: make([]*Entry, 0, n), skills: make([]*Entry, 0, n)}
	var losers []*candidate
	var groups map[string][]*candidate // the files of each name, once one has more than one
	for i, c := range m.entries {
		e := c.entry
		if _, taken := s.byID[e.Name]; !taken {
			e.ID = e.Name
			s.byID[e.Name] = e
			s.skills = append(s.skills, e)
			s.all = append(s.all, e)
			if groups != nil {
				groups[e.Name] = append(groups[e.Name], c)
			}
			continue
		}
		if groups == nil {
			groups = make(map[string][]*candidate, n)
			for _, c := range m.entries[:i] {
				groups[c.entry.Name] = []*candidate{c}
			}
		}
		if w := sameContent(groups[e.Name], c); w != nil {
			w.Copies = append(w.Copies, e.Path)
			continue
		}
		groups[e.Name] = append(groups[e.Name], c)
		losers = append(losers, c)
		s.all = append(s.all, e)
	}
	for _, c := range losers {
		e := c.entry
		winner := s.byID[e.Name]
		e.ShadowedBy = winner
		e.ID = qualify(s.byID, c.label, e.Name)
		s.byID[e.ID] = e
		m.findings = append(m.findings, skill.Finding{Rule: "DSC-4", Severity: skill.Warning, File: e.Path,
			Message: fmt.Sprintf("the name %s means %s, found first; this one is %s", skill.Sanitize(e.Name), skill.Sanitize(shownPath(winner)), skill.Sanitize(e.ID))})
	}
	n = 0
	for _, e := range s.all {
		n += len(e.Findings)
	}
	m.findings = slices.Grow(m.findings, n)
	for _, e := range s.all {
		m.findings = append(m.findings, e.Findings...)
	}
	s.findings = m.findings
	return s
}

// qualify returns label:name, with a number after the label if that is taken.
func qualify(taken map[string]*Entry, label, name string) string {
	id := label + ":" + name
	for n := 2; taken[id] != nil; n++ {
		id = label + "-" + strconv.Itoa(n) + ":" + name
	}
	return id
}

func shownPath(e *Entry) string {
	if e.File != "" {
		return e.File
	}
	return "the built-in skill"
}

// sameContent returns the entry among those of one name whose SKILL.md has the same bytes.
func sameContent(group []*candidate, c *candidate) *Entry {
	for _, g := range group {
		if g.size == c.size && g.entry.File != "" && c.entry.File != "" &&
			g.entry.Frontmatter.Raw() == c.entry.Frontmatter.Raw() && equalFiles(g.entry.Skill, c.entry.Skill) {
			return g.entry
		}
	}
	return nil
}

// equalFiles compares two files that were loaded a moment ago. Any doubt is a difference.
func equalFiles(a, b *skill.Skill) bool {
	x, err := a.ReadSource(0)
	if err != nil {
		return false
	}
	y, err := b.ReadSource(0)
	return err == nil && bytes.Equal(x, y)
}
