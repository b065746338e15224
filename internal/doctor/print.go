// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
)

// maxDescription is how much of a description a line shows, in characters.
const maxDescription = 100

// PrintFound shows what lies on the disk: skills, and all that was noticed.
func PrintFound(w io.Writer, f *Found) {
	printSkills(w, f, true)
	printFindings(w, f)
}

func printNone(w io.Writer) {
	fmt.Fprintln(w, "There are no skills here. Put one into .agents/skills/NAME/SKILL.md (skillgraft new NAME does), or name a directory of skills with --root.")
}

// printSkills shows skills; with all also the other files that come to the same.
func printSkills(w io.Writer, f *Found, all bool) {
	if len(f.Skills) == 0 {
		printNone(w)
	}
	for _, s := range f.Skills {
		fmt.Fprintf(w, "%s  (%s)  %s\n    %s\n", skill.Sanitize(s.Name), s.Scope, short(s.Description), skill.Sanitize(s.File))
		switch {
		case !s.User && !s.Model:
			fmt.Fprintln(w, "    not usable: its frontmatter excludes both you and the model")
		case !s.User:
			fmt.Fprintln(w, "    only the model may use it (user-invocable: false)")
		case !s.Model:
			fmt.Fprintln(w, "    only you can use it (disable-model-invocation: true)")
		}
		if s.ShadowedBy != "" {
			fmt.Fprintf(w, "    shadowed: %q means %s\n", skill.Sanitize(s.OwnName), skill.Sanitize(s.ShadowedBy))
		}
		if !all {
			continue
		}
		for _, path := range s.Copies {
			fmt.Fprintf(w, "    same content: %s\n", skill.Sanitize(path))
		}
		for _, path := range s.Aliases {
			fmt.Fprintf(w, "    same file: %s\n", skill.Sanitize(path))
		}
	}
}

func printFindings(w io.Writer, f *Found) {
	if len(f.Findings) == 0 {
		return
	}
	fmt.Fprintln(w, "\nNoticed:")
	for _, x := range f.Findings {
		left := ""
		if x.Skip {
			left = "left out: "
		}
		fmt.Fprintf(w, "  %s%s\n", left, skill.Sanitize(x.String()))
	}
}

// PrintVisited shows what an agent's session offers, skills apart from commands
// (ACP-U2).
func PrintVisited(w io.Writer, v *Visited) {
	fmt.Fprintf(w, "Skills of a session with %s:\n", v.Name())
	printOffered(w, v.Skills, "")
	fmt.Fprintln(w, "\nCommands:")
	printOffered(w, v.Commands, "/")
}

func printOffered(w io.Writer, list []Offered, sign string) {
	if len(list) == 0 {
		fmt.Fprintln(w, "  none")
	}
	for _, e := range list {
		fmt.Fprintf(w, "  %s%s  %s\n", sign, skill.Sanitize(e.Name), short(e.Description))
		if e.Path != "" {
			fmt.Fprintf(w, "      %s\n", skill.Sanitize(e.Path))
		}
	}
}

func short(s string) string {
	r := []rune(skill.Sanitize(s))
	if len(r) <= maxDescription {
		return string(r)
	}
	return strings.TrimRight(string(r[:maxDescription-3]), " ") + "..."
}
