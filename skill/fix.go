// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"cmp"
	"slices"
)

// A Fix mends what one finding says, by replacing bytes of the source (FMT-12). It leaves
// every other byte alone: comments, order and line ends stay.
type Fix struct {
	// Message says what the fix does, such as "put the value in quotes".
	Message string `json:"message"`
	// Optional marks a fix that decides something for the author, such as which of two
	// names is right. Apply it only when the user asked for it.
	Optional bool `json:"optional,omitempty"`
	// Edits do not overlap and are in order.
	Edits []Edit `json:"edits"`
}

// An Edit replaces the bytes from Start up to End of the source with New.
type Edit struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// Apply returns src with the fixes made, and those that were. A fix that contradicts an
// earlier one, or was not made for this source, is left out whole; nil ones are ignored.
// src is not changed. Making fixes can bring to light what they hid: see [Mend].
func Apply(src []byte, fixes []*Fix) (out []byte, made []*Fix) {
	var edits []Edit
	for _, f := range fixes {
		if f == nil || len(f.Edits) == 0 {
			continue
		}
		if merged, ok := merge(edits, f.Edits, len(src)); ok {
			edits = merged
			made = append(made, f)
		}
	}
	out = make([]byte, 0, len(src)+64)
	pos := 0
	for _, e := range edits {
		out = append(out, src[pos:e.Start]...)
		out = append(out, e.New...)
		pos = e.End
	}
	return append(out, src[pos:]...), made
}

// merge adds edits to those that are agreed on. An edit that is there already is not made
// twice: two findings may have one cause.
func merge(have, add []Edit, size int) ([]Edit, bool) {
	out := slices.Clone(have)
	for _, e := range add {
		if e.Start < 0 || e.End < e.Start || e.End > size {
			return nil, false
		}
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	for i := 1; i < len(out); i++ {
		// Two insertions at one place have no order.
		if out[i].Start < out[i-1].End || out[i].Start == out[i-1].Start {
			return nil, false
		}
	}
	return out, true
}

// MendOptions are the choices of [Mend]. A nil pointer means the zero value.
type MendOptions struct {
	// File and Dir are those of [ParseOptions].
	File, Dir string
	// Accept chooses among the findings that have a fix. Nil means those whose fix is not
	// optional.
	Accept func(Finding) bool
}

// maxMend bounds how often fixes may bring others to light.
const maxMend = 10

// Mend makes the accepted fixes of a SKILL.md until none is left, and returns the new
// source and the findings that were mended. Mending a mended source changes nothing.
func Mend(src []byte, opts *MendOptions) (out []byte, mended []Finding) {
	if opts == nil {
		opts = new(MendOptions)
	}
	accept := opts.Accept
	if accept == nil {
		accept = func(f Finding) bool { return !f.Fix.Optional }
	}
	out = src
	for range maxMend {
		var fixes []*Fix
		findings := Parse(out, &ParseOptions{File: opts.File, Dir: opts.Dir}).Findings
		for _, f := range findings {
			if f.Fix != nil && accept(f) {
				fixes = append(fixes, f.Fix)
			}
		}
		next, made := Apply(out, fixes)
		if len(made) == 0 {
			break
		}
		for _, f := range findings {
			if slices.Contains(made, f.Fix) {
				mended = append(mended, f)
			}
		}
		out = next
	}
	return out, mended
}
