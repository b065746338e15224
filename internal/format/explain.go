// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

// Explain is the explain command: each rule that is named, or a list of all.
func Explain(ids []string, asJSON bool, std cli.Streams) error {
	rules, err := pickRules(ids)
	switch {
	case err != nil:
		return err
	case asJSON:
		return cli.WriteJSON(std.Out, rules)
	case len(ids) == 0:
		return listRules(std.Out, rules)
	}
	s := style{on: colored(std)}
	for i, r := range rules {
		if i > 0 {
			fmt.Fprintln(std.Out)
		}
		fmt.Fprintf(std.Out, "%s\n\n", s.bold(r.ID+"  "+r.Title))
		if _, err := io.WriteString(std.Out, explained(r)); err != nil {
			return err
		}
	}
	return nil
}

// pickRules finds rules however their ids are typed: FMT-6, fmt-6 or fmt6.
func pickRules(ids []string) ([]skill.Rule, error) {
	all := skill.Rules()
	if len(ids) == 0 {
		return all, nil
	}
	flat := func(id string) string { return strings.ToUpper(strings.ReplaceAll(id, "-", "")) }
	var out []skill.Rule
	for _, id := range ids {
		i := slices.IndexFunc(all, func(r skill.Rule) bool { return flat(r.ID) == flat(id) })
		if i < 0 {
			return nil, cli.Usagef("there is no rule %q: \"skillgraft explain\" lists them", id)
		}
		out = append(out, all[i])
	}
	return out, nil
}

func listRules(w io.Writer, rules []skill.Rule) error {
	for _, r := range rules {
		if _, err := fmt.Fprintf(w, "%-7s %s\n", r.ID, r.Title); err != nil {
			return err
		}
	}
	return nil
}

// explained is what there is to say about a rule besides its title.
func explained(r skill.Rule) string {
	var b strings.Builder
	for _, p := range []string{r.Text, "Why: " + r.Why} {
		for _, l := range wrap(p, 80) {
			b.WriteString(l + "\n")
		}
		b.WriteString("\n")
	}
	example := func(head, text string) {
		if text == "" {
			return
		}
		b.WriteString(head + ":\n")
		for l := range strings.Lines(text) {
			b.WriteString(strings.TrimRight("    "+l, " \n") + "\n")
		}
	}
	example("Wrong", r.Wrong)
	example("Right", r.Right)
	return b.String()
}

// explainedMarkdown is [explained] as readers of SARIF show it.
func explainedMarkdown(r skill.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n**Why:** %s\n", r.Text, r.Why)
	example := func(head, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s:\n\n```text\n%s\n```\n", head, strings.TrimSuffix(text, "\n"))
		}
	}
	example("Wrong", r.Wrong)
	example("Right", r.Right)
	return b.String()
}
