// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"fmt"
	"slices"
	"strings"
)

// Severity says how much a finding matters to a validator. The zero value is [Error].
type Severity uint8

const (
	// Error is a breach of the format.
	Error Severity = iota
	// Warning is advice, or a breach that a loader put up with.
	Warning
	// Info is worth knowing and needs no action.
	Info
)

// String returns "error", "warning" or "info".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Info:
		return "info"
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// MarshalText returns the same text as String, for JSON output.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Finding is one thing that was noticed about a skill or about the way to it (FMT-12).
type Finding struct {
	// Rule is the id of the rule, such as "FMT-6".
	Rule string `json:"rule"`
	// Severity is the validator's view in what [Parse] returns, and the loader's view
	// in [Skill.Findings]: there, an Error that did not cost the skill is a Warning.
	Severity Severity `json:"severity"`
	// File is the path as the caller named it or as it was found; may be empty.
	File string `json:"file,omitempty"`
	// Line and Column count from 1, columns in code points. Zero means the whole file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Message says what is wrong and what to do. It holds no line breaks and no control
	// characters, whatever the skill contains.
	Message string `json:"message"`
	// Skip marks a finding for which the loader leaves the skill out (FMT-14).
	Skip bool `json:"skip,omitempty"`
	// Fix mends the source where that is mechanical, in what [Parse] returns. It is nil
	// otherwise, and in [Skill.Findings].
	Fix *Fix `json:"fix,omitempty"`

	// author marks what only the skill's author can use; loaders do not repeat it.
	author bool
	// field is the field that an FMT-10 finding is about, and kind tells cases of one rule
	// apart: what the profiles go by.
	field string
	kind  kind
	// parser is what the YAML library says, where Message has plainer words for it.
	parser string
}

// kind tells apart the cases of one rule that the reference tool has different words for.
type kind uint8

const (
	kindOther    kind = iota
	kindUnclosed      // FMT-2: there is no closing fence
	kindShape         // FMT-4: YAML, but no mapping
	kindMissing       // FMT-5, FMT-6: there is no such field
)

// String returns "file:line:column: severity: message (rule)", leaving out what is unset.
func (f Finding) String() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(Sanitize(f.File))
		b.WriteByte(':')
	}
	if f.Line > 0 {
		fmt.Fprintf(&b, "%d:", f.Line)
		if f.Column > 0 {
			fmt.Fprintf(&b, "%d:", f.Column)
		}
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	fmt.Fprintf(&b, "%s: %s", f.Severity, f.Message)
	if f.Rule != "" {
		fmt.Fprintf(&b, " (%s)", f.Rule)
	}
	return b.String()
}

// lenient turns the parser's findings into the loader's: what did not cost the skill is
// a warning; notes and advice to authors are dropped, because a list of ten thousand skills has
// no use for them. fs is changed, and not kept.
func lenient(fs []Finding) []Finding {
	out := fs[:0]
	for _, f := range fs {
		if f.Severity == Info || f.author {
			continue
		}
		if f.Severity == Error && !f.Skip {
			f.Severity = Warning
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		return nil
	}
	return slices.Clone(out)
}
