// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"io"

	"github.com/skillgraft/skillgraft/skill"
)

// ListOptions say how much a list of what lies on the disk shows.
type ListOptions struct {
	JSON bool
	// All adds the folders that were looked in, the other ways to a skill, copies, and
	// every warning.
	All bool
	// Tree shows where the skills lie.
	Tree bool
}

// PrintList shows what lies on the disk: what can be had, and why the rest cannot.
func PrintList(w io.Writer, f *Found, o ListOptions) {
	switch {
	case o.Tree:
		PrintTree(w, f, f.Places(), o.All)
	case o.All:
		printSkills(w, f, true)
	default:
		printSkills(w, f, false)
	}
	if o.All {
		printFindings(w, f)
		fmt.Fprintln(w, "\nLooked for skills in:")
		printPlaces(w, f.Places())
		return
	}
	left, warnings := &Found{}, 0
	for _, x := range f.Findings {
		switch {
		case x.Skip || x.Severity == skill.Error:
			left.Findings = append(left.Findings, x)
		case x.Severity == skill.Warning:
			warnings++
		}
	}
	printFindings(w, left)
	if warnings > 0 {
		fmt.Fprintf(w, "\n%s: list --all shows them\n", count(warnings, "warning"))
	}
}

func printPlaces(w io.Writer, places []Place) {
	for _, p := range places {
		what := "is not there"
		switch {
		case p.Reason != "":
			what = "left out: " + skill.Sanitize(p.Reason)
		case p.Exists:
			what = count(p.Skills, "skill")
		}
		fmt.Fprintf(w, "  %s (%s): %s\n", skill.Sanitize(p.Dir), p.Scope, what)
	}
}
