// SPDX-License-Identifier: Apache-2.0

package skill_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/skill"
)

func TestRulesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range skill.Rules() {
		if seen[r.ID] {
			t.Errorf("%s is there twice", r.ID)
		}
		seen[r.ID] = true
		for what, s := range map[string]string{"title": r.Title, "text": r.Text, "why": r.Why, "wrong": r.Wrong, "right": r.Right} {
			if strings.TrimSpace(s) == "" {
				t.Errorf("%s has no %s", r.ID, what)
			}
		}
		if r.Wrong == r.Right || !strings.HasSuffix(r.Wrong, "\n") || !strings.HasSuffix(r.Right, "\n") {
			t.Errorf("%s: examples %q and %q", r.ID, r.Wrong, r.Right)
		}
		if got, ok := skill.Explain(r.ID); !ok || got != r {
			t.Errorf("%s is not explained", r.ID)
		}
	}
	if _, ok := skill.Explain("FMT-99"); ok {
		t.Error("a rule that does not exist is explained")
	}
}

// TestRulesNamedAreExplained: every rule id that stands as a string in the code of this
// module can be asked about.
func TestRulesNamedAreExplained(t *testing.T) {
	id := regexp.MustCompile(`^(?:FMT|DSC|ACT|ACP)-[A-Z]?[0-9]+$`)
	named := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(d.Name(), "rules") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && id.MatchString(s) {
					named[s] = path
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(named) < 15 {
		t.Fatalf("only %d rules are named", len(named))
	}
	for rule, path := range named {
		if _, ok := skill.Explain(rule); !ok {
			t.Errorf("%s, named in %s, is not explained", rule, path)
		}
	}
}

// TestRulesFormatExamples: the wrong example of a rule about a file breaks that rule, and
// the right one breaks no rule.
func TestRulesFormatExamples(t *testing.T) {
	names := func(doc *skill.Document) map[string]bool {
		out := map[string]bool{}
		for _, f := range doc.Findings {
			out[f.Rule] = true
		}
		return out
	}
	checked := 0
	for _, r := range skill.Rules() {
		if !strings.HasPrefix(r.ID, "FMT-") && r.ID != "ACT-10" {
			continue
		}
		whole := func(s string) (src, dir string, ok bool) {
			if before, rest, found := strings.Cut(s, "/SKILL.md\n---\n"); found && !strings.Contains(before, "\n") {
				dir, s = before, "---\n"+rest
			}
			switch {
			case strings.Contains(s, "---\n"):
				if !strings.Contains(s, "description:") {
					s = strings.Replace(s, "\n---\n", "\ndescription: d\n---\n", 1)
				}
				return s, dir, true
			case regexp.MustCompile(`^(?:license|metadata|allowed-tools|argument-hint|user-invocable):`).MatchString(s):
				return "---\nname: a\ndescription: d\n" + s + "---\n", dir, true
			case strings.HasPrefix(s, "description:"):
				return "---\nname: a\n" + s + "---\n", dir, true
			}
			return "", "", false
		}
		wrong, dir, ok := whole(r.Wrong)
		if !ok {
			continue
		}
		checked++
		if got := names(skill.Parse([]byte(wrong), &skill.ParseOptions{Dir: dir})); !got[r.ID] {
			t.Errorf("%s: its wrong example breaks %v", r.ID, got)
		}
		right, dir, _ := whole(r.Right)
		doc := skill.Parse([]byte(right), &skill.ParseOptions{Dir: dir})
		for _, f := range doc.Findings {
			if f.Severity != skill.Info {
				t.Errorf("%s: its right example: %v", r.ID, f)
			}
		}
	}
	if checked < 11 {
		t.Errorf("only %d rules have an example that can be checked", checked)
	}
}
