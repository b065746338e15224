// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// Mark says what makes an entry of the agent's list one of its skills. At most one
// of Prefix, Field and ByName is set; without any, no entry is a skill.
type Mark struct {
	// Prefix stands before the name of every skill, and of nothing else. It is
	// not part of the name that people see.
	Prefix string
	// Field is where in an entry a text stands that tells skills, as the names of
	// the members on the way; Values are the texts that do.
	Field  []string
	Values []string
	// ByName: nothing marks a skill. An entry is one when a skill of that name
	// lies in a folder that the agent reads.
	ByName bool
	// Path is where in an entry the skill's file stands, if it does.
	Path []string
}

// A Named is an entry of the agent's list as its mark reads it.
type Named struct {
	Plain  string // the name that people see
	Marked bool   // the mark says that the entry is a skill
	Path   string // its file, empty when the entry does not say
}

// Read applies the mark to an entry, given as its token and its name.
func (m Mark) Read(entry []byte, name string) Named {
	n := Named{Plain: name}
	switch {
	case m.Prefix != "":
		if plain, ok := strings.CutPrefix(name, m.Prefix); ok && plain != "" {
			n.Plain, n.Marked = plain, true
		}
	case len(m.Field) > 0:
		text, ok := rawjson.GetString(entry, m.Field...)
		n.Marked = ok && slices.Contains(m.Values, text)
	}
	if n.Marked && len(m.Path) > 0 {
		n.Path, _ = rawjson.GetString(entry, m.Path...)
	}
	return n
}
