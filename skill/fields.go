// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// formatFields are the fields that the format defines.
func formatFields() []string {
	return []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
}

// vendorFields are fields that some agents give a meaning (FMT-10).
func vendorFields() []string {
	return []string{userInvocable, disableModel, "argument-hint", "arguments", "model", "effort", "context",
		"agent", "hooks", "paths", "shell", "version", "when_to_use"}
}

// fields reports top-level fields outside of the format (FMT-10). A near miss matters most
// where the intended field would have restricted something: it is then not restricted.
func (c *checker) fields() {
	known, vendor := formatFields(), vendorFields()
	for _, f := range c.fm.values().Fields {
		if f.Key == complexKey || f.Key == "<<" || slices.Contains(known, f.Key) {
			continue
		}
		out := Finding{Rule: "FMT-10", Severity: Warning, Line: f.Line, Column: f.Column, author: true, field: f.Key}
		if slices.Contains(vendor, f.Key) {
			if c.load {
				continue
			}
			out.Severity = Info
			out.Message = f.Key + " is not part of the format; some agents know it, others ignore it"
		} else if near := nearest(f.Key, known, vendor); near != "" {
			out.author = false
			out.Message = shown(f.Key) + " is not a known field and has no effect; did you mean " + near + "?"
			if !c.fm.Has(near) {
				out.Fix = c.fix.rename(f, near)
			}
		} else if c.load {
			continue
		} else {
			out.Message = shown(f.Key) + " is not part of the format; move it into metadata"
		}
		c.report(out)
	}
}

// nearest returns the known field that key was probably meant to be, or "".
func nearest(key string, lists ...[]string) string {
	// Ten thousand heads are read while a user waits, and most have a field of this kind.
	k := flat(key)
	have := letters(k)
	best, dist := "", 3
	for _, list := range lists {
		for _, name := range list {
			n := len(name) - strings.Count(name, "-") - strings.Count(name, "_")
			limit := 2
			if n < 8 {
				limit = 1
			}
			// A change adds a letter, takes one away, or does both.
			if len(k) > n+limit || n > len(k)+limit || bits.OnesCount32(have^letters(name)) > 2*limit {
				continue
			}
			if d := distance(k, flat(name)); d <= limit && d < dist {
				best, dist = name, d
			}
		}
	}
	return best
}

// letters is the set of a field name's letters, in five bits of each.
func letters(s string) (set uint32) {
	for i := 0; i < len(s); i++ {
		if s[i] != '-' && s[i] != '_' {
			set |= 1 << (s[i] & 31)
		}
	}
	return set
}

// flat is a field name without what separates its words.
func flat(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '.', ' ':
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// distance is the number of bytes to insert, delete or replace to make a into b.
func distance(a, b string) int {
	var short [32]int // of a known field, so that nothing is allocated
	row := append(short[:0], make([]int, len(b)+1)...)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
