// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

// Whatever is typed, what is made of it is either refused or valid, and means what was
// typed (FMT-4 to FMT-6).
func TestScaffoldIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}`).Draw(t, "name")
		text := skill.Sanitize(rapid.String().Draw(t, "description"))
		if text == "" {
			text = "x"
		}
		src := scaffold(name, text+". Use when asked.", "")
		doc := skill.Parse([]byte(src), &skill.ParseOptions{Dir: name})
		for _, f := range doc.Findings {
			t.Fatalf("%v\n%s", f, src)
		}
		if doc.Frontmatter.Name != name || doc.Frontmatter.Description != text+". Use when asked." {
			t.Fatalf("it means %q %q", doc.Frontmatter.Name, doc.Frontmatter.Description)
		}
	})
}

func TestYAMLText(t *testing.T) {
	for s, want := range map[string]string{
		"Makes tea.":     "Makes tea.",
		"Makes tea: now": `"Makes tea: now"`,
		`"x" y`:          `"\"x\" y"`,
		"a #b":           `"a #b"`,
		"true":           `"true"`,
		"~":              `"~"`,
		"007":            `"007"`,
		"1.10":           `"1.10"`,
		"2026-05-30":     `"2026-05-30"`,
		"No":             `"No"`,
		"[x]":            `"[x]"`,
		`back\slash`:     `back\slash`,
		`c:\x: y`:        `"c:\\x: y"`,
	} {
		if got := yamlText("description", s); got != want {
			t.Errorf("%s is written %s, want %s", s, got, want)
		}
	}
}

func TestBetterName(t *testing.T) {
	for name, want := range map[string]string{
		"Code Review": "code-review", "code_review": "code-review", "--x--y-": "x-y", "ＡＢ": "ab", "Été": "été", "///": "",
		strings.Repeat("ab-", 40): strings.Repeat("ab-", 21) + "a", strings.Repeat("abc-", 17): strings.TrimSuffix(strings.Repeat("abc-", 16), "-"),
	} {
		if got := betterName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
		if want == "" {
			continue
		}
		if err := refuse(want, scaffold(want, "Makes tea.", "")); err != nil {
			t.Errorf("%q is not better: %v", want, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, answers := range [][2]string{
		{"Makes tea", "the user is thirsty"}, {"Makes tea.", "when the user is thirsty."}, {"Makes tea.", "Use when the user is thirsty"},
	} {
		if got := describe(answers[0], answers[1]); got != "Makes tea. Use when the user is thirsty." {
			t.Errorf("%q gives %q", answers, got)
		}
	}
}

// At a terminal what is missing is asked for, again until it is there, and a name that
// cannot be is put right.
func TestQuestions(t *testing.T) {
	var out bytes.Buffer
	o, name := NewOptions{}, ""
	if err := o.complete(&name, strings.NewReader("\nCode Review\nReviews \x1b[31mcode\n\nthe user asks for it\n"), &out); err != nil {
		t.Fatal(err)
	}
	if name != "code-review" || o.Description != "Reviews [31mcode. Use when the user asks for it." || o.Dir != defaultDir {
		t.Errorf("%q %+v", name, o)
	}
	if !strings.Contains(out.String(), "It will be called code-review.") {
		t.Errorf("the name was changed without a word: %q", out.String())
	}
	o, name = NewOptions{}, "x"
	if err := o.complete(&name, strings.NewReader("Only one"), &out); !errors.Is(err, errNoAnswer) {
		t.Errorf("at the end of the answers the error is %v", err)
	}
	o, name = NewOptions{}, "x"
	var exit *cli.ExitError
	if err := o.complete(&name, nil, &out); !errors.As(err, &exit) || exit.Status != cli.ExitUsage || !strings.Contains(err.Error(), "--description") {
		t.Errorf("without a terminal the error is %v", err)
	}
}

// A file that is there is never overwritten without being told so, and never through a link.
func TestNewKeepsWhatIsThere(t *testing.T) {
	dir := real(t)
	file := put(t, "mine", dir, "tea", "SKILL.md")
	secret := put(t, "secret", dir, "secret")
	link(t, secret, filepath.Join(dir, "linked", "SKILL.md"))
	lower := put(t, "mine", dir, "lower", "skill.md")
	make := func(name string, force bool) error {
		var out bytes.Buffer
		return New(context.Background(), NewOptions{Description: "Makes tea. Use when thirsty.", Dir: dir, Force: force}, name, cli.Streams{Out: &out, Err: &out})
	}
	for name, force := range map[string]bool{"tea": false, "linked": true, "lower": true, "../tea": true, "..": true} {
		if err := make(name, force); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if get(t, file) != "mine" || get(t, secret) != "secret" || get(t, lower) != "mine" {
		t.Error("a file was overwritten")
	}
	if err := make("tea", true); err != nil || !strings.Contains(get(t, file), "name: tea") {
		t.Errorf("with force: %v, %q", err, get(t, file))
	}
}
