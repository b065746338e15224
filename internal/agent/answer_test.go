// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/skill"
)

func TestOutline(t *testing.T) {
	for _, tt := range []struct {
		body            string
		first, headings []string
	}{
		{"", nil, nil},
		{"# A\n\nFirst *line*.\nSecond.\n\nOther.\n\nB\n---\n", []string{"First *line*.", "Second."}, []string{"A", "B"}},
		{"1. one\n   - deep\n2. two\n", []string{"one", "deep", "two"}, nil},
		{"```sh\n# not a heading\nls\n```\n\n## B\n", []string{"# not a heading", "ls"}, []string{"B"}},
		{"a\nb\nc\nd\ne\nf\ng\n", []string{"a", "b", "c", "d", "e", "f …"}, nil},
		{"a\x1b[2K\u202eb\n", []string{"a[2Kb"}, nil},
		// Without bounds this alone would take minutes.
		{"a\n\n" + strings.Repeat(strings.Repeat("> ", 100_000)+"\n", 5) + "\n# B\n", []string{"a"}, []string{"B"}},
		// What is behind the bound is not looked for.
		{"a\n" + strings.Repeat("\n", maxOutlined) + "# B\n", []string{"a"}, nil},
		{strings.Repeat("x", 300) + "\n", []string{strings.Repeat("x", maxLineText-1) + "…"}, nil},
	} {
		got := outlineOf(tt.body)
		if !slices.Equal(got.first, tt.first) || !slices.Equal(got.headings, tt.headings) {
			t.Errorf("%.60q: got %.300q and %.300q", tt.body, got.first, got.headings)
		}
	}
}

// Nothing of a hostile skill is Markdown in the answer, or controls a terminal
// (ACP-U3, E08).
func TestHostileSkill_ACP_U3_E08(t *testing.T) {
	const picture = "![x](https://evil.example/p)"
	i := &invocation{name: "a` " + picture + " \x1b[2J", times: 1, Activation: &skill.Activation{
		Skill: &skill.Skill{Name: "a", Description: picture, Dir: "/d`" + picture},
		Body:  "# " + picture + "\n\n" + picture + "\n\n- " + picture + "\n", Files: []string{"a` " + picture}, FilesTotal: 1,
	}}
	for _, line := range strings.Split(i.describe(), "\n") {
		code := strings.HasPrefix(line, "    ") || insideCode(line, "![x]")
		if strings.Contains(line, "![x]") && !code {
			t.Errorf("%q is Markdown", line)
		}
		if strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("%q has control characters", line)
		}
	}
	if got := plain(picture + " <b> `c`"); got != "!\\[x\\](https://evil.example/p) \\<b> \\`c\\`" {
		t.Errorf("got %s", got)
	}
}

// insideCode reports whether all of a line's occurrences of text are in code spans.
func insideCode(line, text string) bool {
	for i, part := range strings.Split(line, "`") {
		if i%2 == 0 && strings.Contains(part, text) {
			return false
		}
	}
	return true
}

func TestTitles(t *testing.T) {
	for want, prompt := range map[string][]acp.ContentBlock{
		"with tdd, go":                {acp.TextBlock("with "), acp.SkillBlock("tdd"), acp.TextBlock(", go")},
		"tdd go":                      {acp.SkillBlock("tdd"), acp.TextBlock("go\n")},
		"tdd csv":                     {acp.SkillBlock("tdd"), acp.SkillBlock("csv")},
		"Untitled session":            {&acp.Image{Data: "AA==", MimeType: "image/png"}},
		strings.Repeat("ä", 59) + "…": {acp.TextBlock(strings.Repeat("ä", 61))},
	} {
		if got := titleOf(prompt); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestManySkillsAndFiles(t *testing.T) {
	i := &invocation{name: "a", times: 1, Activation: &skill.Activation{Skill: &skill.Skill{Name: "a", Description: "d"}, FilesTotal: 900, FilesTruncated: true}}
	for range 50 {
		i.Files = append(i.Files, "f")
	}
	got := i.describe()
	if strings.Count(got, "- `f`") != maxShownFiles || !strings.Contains(got, "at least 888 more") || !strings.Contains(got, "no instructions") {
		t.Errorf("got %s", got)
	}
}

func TestLevel(t *testing.T) {
	for _, l := range []Level{LevelInline, LevelFirst, LevelNone} {
		text, _ := l.MarshalText()
		back := LevelNone
		if err := back.UnmarshalText(text); err != nil || back != l {
			t.Errorf("%s became %s, %v", l, back, err)
		}
	}
	if err := new(Level).UnmarshalText([]byte("all")); err == nil {
		t.Error("all is a level")
	}
}

func FuzzOutline(f *testing.F) {
	f.Add("# A\n\n> - *b*\n\n```\nc\n")
	f.Fuzz(func(t *testing.T, body string) {
		o := outlineOf(body)
		if len(o.first) > maxFirstLines || len(o.headings) > maxHeadings {
			t.Fatal("too long")
		}
		for _, line := range append(o.first, o.headings...) {
			if line == "" || strings.ContainsFunc(line, unicode.IsControl) {
				t.Fatalf("%q", line)
			}
		}
	})
}
