// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
)

// DefaultCatalogueTokens is the budget of the catalogue in the system prompt, where
// [Options] does not say otherwise.
const DefaultCatalogueTokens = 4000

// minShown is how much of a description is worth showing, in characters.
const minShown = 48

// catalogue is what the model is told of the skills that it can use (ACT-1): their
// names, descriptions and locations, within a budget of tokens, and empty without any.
//
// What does not fit is shortened in this order, and the catalogue says so: locations
// are left out; descriptions are cut, all to the same length; from the end of the
// order of precedence skills keep their name alone; and at last they are only
// counted. activate_skill takes all names whatever the catalogue has, and
// find_skills searches in all descriptions.
func (o *offered) catalogue(budget int) (text string, shortened bool) {
	if len(o.names) == 0 {
		return "", false
	}
	if text = o.list("", len(o.names), len(o.names), 0, true); fits(text, budget) {
		return text, false
	}
	const rest = " Nothing is missing: activate_skill takes every name, and find_skills searches in the whole descriptions.\n"
	all := len(o.names)
	say := func(what string) string {
		return "The list is shortened to save room: " + what + "." + rest
	}
	if text = o.list(say("locations are left out"), all, all, 0, false); fits(text, budget) {
		return text, true
	}
	longest := 0
	for _, name := range o.names {
		longest = max(longest, len([]rune(o.byName[name].Description)))
	}
	cut := func(n int) string {
		return o.list(say(fmt.Sprintf("locations are left out and descriptions cut to %d characters", n)), all, all, n, false)
	}
	if n := most(minShown, longest, func(n int) bool { return fits(cut(n), budget) }); n >= minShown {
		return cut(n), true
	}
	bare := func(n int) string {
		return o.list(say(fmt.Sprintf("locations are left out, descriptions cut to %d characters, and %d of %d skills have no description here", minShown, all-n, all)), all, n, minShown, false)
	}
	if n := most(0, all, func(n int) bool { return fits(bare(n), budget) }); n >= 0 {
		return bare(n), true
	}
	counted := func(n int) string {
		return o.list(say(fmt.Sprintf("%d of %d skills are not in it, and the others are without descriptions", all-n, all)), n, 0, 0, false)
	}
	return counted(max(0, most(0, all, func(n int) bool { return fits(counted(n), budget) }))), true
}

func fits(text string, budget int) bool { return skill.EstimateTokens(text) <= budget }

// most is the largest number from low to high for which ok holds, if it holds up to
// one and not beyond; low-1 when it holds for none.
func most(low, high int, ok func(int) bool) int {
	best := low - 1
	for low <= high {
		if mid := low + (high-low)/2; ok(mid) {
			best, low = mid, mid+1
		} else {
			high = mid - 1
		}
	}
	return best
}

// list writes the first named skills, and descriptions for the first described ones,
// cut to a number of characters unless that is 0.
func (o *offered) list(note string, named, described, cut int, locations bool) string {
	var b strings.Builder
	b.WriteString("<available_skills>\n")
	if note != "" {
		b.WriteString("  <note>" + strings.TrimSpace(note) + "</note>\n")
	}
	for i, name := range o.names[:named] {
		e := o.byName[name]
		if i >= described {
			b.WriteString("  <skill><name>" + skill.Escape(name) + "</name></skill>\n")
			continue
		}
		description := skill.Sanitize(e.Description)
		if cut > 0 {
			description = shorten(description, cut)
		}
		b.WriteString("  <skill>\n    <name>" + skill.Escape(name) + "</name>\n    <description>" + skill.Escape(description) + "</description>\n")
		if locations && e.File != "" {
			b.WriteString("    <location>" + skill.Escape(e.File) + "</location>\n")
		}
		b.WriteString("  </skill>\n")
	}
	b.WriteString("</available_skills>")
	return b.String()
}
