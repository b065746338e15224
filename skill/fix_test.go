// SPDX-License-Identifier: Apache-2.0

package skill_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/skill"
)

func TestMendFMT12(t *testing.T) {
	all := func(skill.Finding) bool { return true }
	tests := []struct {
		name, src, want string
		accept          func(skill.Finding) bool
		mended          []string // rules
	}{
		{"A01 a colon", "---\nname: a\n# kept\ndescription:   Plan meals: breakfast \nlicense: MIT # kept\n---\nBody\n",
			"---\nname: a\n# kept\ndescription:   \"Plan meals: breakfast\" \nlicense: MIT # kept\n---\nBody\n", nil, []string{"FMT-4", "FMT-13"}},
		{"A01 in CRLF", "---\r\nname: a\r\ndescription: x: y\r\n---\r\nBody\r\n", "---\r\nname: a\r\ndescription: \"x: y\"\r\n---\r\nBody\r\n", nil, []string{"FMT-4", "FMT-13"}},
		{"A01 in CR", "---\rname: a\rdescription: x: y\r---\rBody\r", "---\rname: a\rdescription: \"x: y\"\r---\rBody\r", nil, []string{"FMT-4", "FMT-13"}},
		{"A01 two values", "---\nname: a\ndescription: x: y\nargument-hint: [a] [b]\n---\n",
			"---\nname: a\ndescription: \"x: y\"\nargument-hint: \"[a] [b]\"\n---\n", nil, []string{"FMT-4", "FMT-13", "FMT-13"}},
		{"A18 quotes stay readable", "---\nname: a\ndescription: d\nargument-hint: \"x\" or \"y\"\n---\n",
			"---\nname: a\ndescription: d\nargument-hint: '\"x\" or \"y\"'\n---\n", nil, []string{"FMT-4", "FMT-13"}},
		{"A05 byte order mark", "\ufeff---\nname: a\ndescription: x: y\n---\n", "---\nname: a\ndescription: \"x: y\"\n---\n", nil, []string{"FMT-3", "FMT-4", "FMT-13"}},
		{"A11 blank lines", "\n \n---\nname: a\ndescription: d\n---\n", "---\nname: a\ndescription: d\n---\n", nil, []string{"FMT-14"}},
		{"A11 a comment is not moved", "<!-- c -->\n---\nname: the-dir\ndescription: d\n---\n", "<!-- c -->\n---\nname: the-dir\ndescription: d\n---\n", all, nil},
		{"A17 list", "---\nname: a\nallowed-tools: [Read, \"Bash(git add *)\"] # kept\ndescription: d\n---\n",
			"---\nname: a\nallowed-tools: [Read, \"Bash(git add *)\"] # kept\ndescription: d\n---\n", nil, nil},
		{"A17 flow list", "---\nname: a\nallowed-tools: [Read, \"Bash(git add *)\"]\ndescription: d\n---\n",
			"---\nname: a\nallowed-tools: Read Bash(git add *)\ndescription: d\n---\n", nil, []string{"FMT-9"}},
		{"A17 block list", "---\r\nname: a\r\nallowed-tools:\r\n  - Read\r\n  - Bash(jq:*)\r\n\r\n# kept\r\ndescription: d\r\n---\r\n",
			"---\r\nname: a\r\nallowed-tools: Read Bash(jq:*)\r\n\r\n# kept\r\ndescription: d\r\n---\r\n", nil, []string{"FMT-9"}},
		{"A17 block list, last", "---\nname: a\ndescription: d\nallowed-tools:\n- Read\n- Write\n---\nBody\n",
			"---\nname: a\ndescription: d\nallowed-tools: Read Write\n---\nBody\n", nil, []string{"FMT-9"}},
		{"A17 commas", "---\nname: a\ndescription: d\nallowed-tools: Read, Bash(jq:*, x) # kept\n---\n",
			"---\nname: a\ndescription: d\nallowed-tools: Read Bash(jq:*, x) # kept\n---\n", nil, []string{"FMT-9"}},
		{"A17 an entry with a blank has no other form", "---\nname: a\ndescription: d\nallowed-tools: [\"git add\", Read]\n---\n",
			"---\nname: a\ndescription: d\nallowed-tools: [\"git add\", Read]\n---\n", nil, nil},
		{"A24 not unasked", "---\nname: other\ndescription: d\n---\n", "---\nname: other\ndescription: d\n---\n", nil, nil},
		{"A24 asked", "---\nname: other # kept\ndescription: d\n---\n", "---\nname: the-dir # kept\ndescription: d\n---\n", all, []string{"FMT-5"}},
		{"FMT-5 missing", "---\r\ndescription: d\r\n---\r\n", "---\r\nname: the-dir\r\ndescription: d\r\n---\r\n", all, []string{"FMT-5"}},
		{"A03 a hash, asked", "---\nname: the-dir\ndescription: Sort C# and #1 \"bugs\"\n---\n", "---\nname: the-dir\ndescription: 'Sort C# and #1 \"bugs\"'\n---\n", all, []string{"FMT-11"}},
		{"A19 near miss, asked", "---\nname: the-dir\ndescription: d\nuser_invocable: false\n---\n", "---\nname: the-dir\ndescription: d\nuser-invocable: false\n---\n", all, []string{"FMT-10"}},
		{"ACT-10 asked", "---\nname: the-dir\ndescription: d\nuser-invocable: yes\n---\n", "---\nname: the-dir\ndescription: d\nuser-invocable: true\n---\n", all, []string{"ACT-10"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, mended := skill.Mend([]byte(tt.src), &skill.MendOptions{Dir: "the-dir", Accept: tt.accept})
			if d := cmp.Diff(tt.want, string(got)); d != "" {
				t.Errorf("%s", d)
			}
			var rules []string
			for _, f := range mended {
				rules = append(rules, f.Rule)
			}
			if !slices.Equal(rules, tt.mended) {
				t.Errorf("mended %q, want %q", rules, tt.mended)
			}
			again, more := skill.Mend(got, &skill.MendOptions{Dir: "the-dir", Accept: tt.accept})
			if !bytes.Equal(again, got) || len(more) > 0 {
				t.Errorf("mending again changed it: %q", again)
			}
		})
	}
}

func TestApply(t *testing.T) {
	src := []byte("0123456789")
	fix := func(edits ...skill.Edit) *skill.Fix { return &skill.Fix{Edits: edits} }
	a, b := fix(skill.Edit{Start: 1, End: 3, New: "x"}), fix(skill.Edit{Start: 2, End: 4, New: "y"}, skill.Edit{Start: 9, End: 10})
	twin, far := fix(skill.Edit{Start: 1, End: 3, New: "x"}), fix(skill.Edit{Start: 9, End: 11})
	end, ins := fix(skill.Edit{Start: 10, End: 10, New: "e"}), fix(skill.Edit{Start: 3, End: 3, New: "+"})
	for _, tt := range []struct {
		fixes []*skill.Fix
		want  string
		made  int
	}{
		{nil, "0123456789", 0},
		{[]*skill.Fix{a, b}, "0x3456789", 1},
		{[]*skill.Fix{b, a}, "01y45678", 1},
		{[]*skill.Fix{a, nil, twin}, "0x3456789", 2},
		{[]*skill.Fix{far, fix(skill.Edit{Start: -1}), fix(skill.Edit{Start: 3, End: 2}), {}}, "0123456789", 0},
		{[]*skill.Fix{end, ins, a}, "0x+3456789e", 3},
	} {
		got, made := skill.Apply(src, tt.fixes)
		if string(got) != tt.want || len(made) != tt.made {
			t.Errorf("%q, %d made; want %q, %d", got, len(made), tt.want, tt.made)
		}
	}
}

// TestFixProperties: each fix on its own takes its finding away and brings no error, all
// other fields stay, and what a loader repairs is what it reads in the mended file (FMT-13).
func TestFixProperties(t *testing.T) {
	value := rapid.SampledFrom([]string{"plain", "x: y", "@scope", "\"x\" or \"y\"", "[a] [b]", "a, b", "[a, \"B(c d)\"]", "yes", "x # y", "'tis", "a:", "%d",
		"\n  - a\n  - b", "\n- a", "|\n  one\n  two", "{a: b}", "1.10", "é: ü", "x\u2028: y", "A(b, c), D", "[a, # c\n  b]", "*x", "!t x", ""})
	key := rapid.SampledFrom([]string{"license", "allowed-tools", "user-invocable", "argument-hint", "allowed_tools", "compatibility", "x"})
	extra := rapid.SampledFrom([]string{"", "# a comment\n", "\n", "  # another\n"})
	rapid.Check(t, func(t *rapid.T) {
		block := "name: " + rapid.SampledFrom([]string{"dir", "other", "\"other\"", "x: y"}).Draw(t, "name") + "\n"
		block += "description: " + rapid.SampledFrom([]string{"d", "a: b", "c # d", "\"q\" r"}).Draw(t, "description") + "\n"
		seen := map[string]bool{}
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			k := key.Draw(t, "key")
			if seen[k] {
				continue
			}
			seen[k] = true
			block += extra.Draw(t, "extra") + k + ": " + value.Draw(t, "value") + "\n"
		}
		src := rapid.SampledFrom([]string{"", "\ufeff", "\n\n"}).Draw(t, "before") + "---\n" + block + "---\nBody: x\n"
		if rapid.Bool().Draw(t, "crlf") {
			src = strings.ReplaceAll(src, "\n", "\r\n")
		}
		checkFixes(t, []byte(src))
	})
}

func checkFixes(t rapid.TB, src []byte) {
	opts := &skill.ParseOptions{Dir: "dir"}
	doc := skill.Parse(src, opts)
	for _, f := range doc.Findings {
		if f.Fix == nil {
			continue
		}
		out, made := skill.Apply(src, []*skill.Fix{f.Fix})
		if len(made) != 1 || bytes.Equal(out, src) {
			t.Fatalf("%q: %v cannot be applied", src, f)
		}
		after := skill.Parse(out, opts)
		for _, g := range after.Findings {
			if g.Rule == f.Rule && g.Message == f.Message && g.Line == f.Line {
				t.Fatalf("%q: %v is still there in %q", src, f, out)
			}
		}
		if bytes.Count(out, []byte("\r\n")) != bytes.Count(out, []byte("\n")) && bytes.Count(src, []byte("\r\n")) == bytes.Count(src, []byte("\n")) {
			t.Fatalf("%q: line ends changed in %q", src, out)
		}
		if !f.Fix.Optional && doc.Usable() && !after.Usable() {
			t.Fatalf("%q: %v costs the skill: %q", src, f, out)
		}
	}
	// Only what decides nothing: the loader must not tell the mended file from this one.
	mended, done := skill.Mend(src, &skill.MendOptions{Dir: "dir"})
	again, more := skill.Mend(mended, &skill.MendOptions{Dir: "dir"})
	if !bytes.Equal(mended, again) || len(more) > 0 {
		t.Fatalf("%q: mended twice %q, %q", src, mended, again)
	}
	if !doc.Usable() {
		return
	}
	after := skill.Parse(mended, opts)
	if !after.Usable() {
		t.Fatalf("%q: mending costs the skill: %q, %q", src, mended, after.Findings)
	}
	a, b := doc.Frontmatter, after.Frontmatter
	if a.Name != b.Name || a.Description != b.Description || !slices.Equal(a.AllowedTools(), b.AllowedTools()) || doc.Body != after.Body {
		t.Fatalf("%q: mending changed the skill: %q", src, mended)
	}
	for f := range a.Fields() {
		if f.Key != "allowed-tools" && !bytes.Equal(f.Value.AppendJSON(nil), b.Get(f.Key).AppendJSON(nil)) {
			t.Fatalf("%q: mending changed %s: %q", src, f.Key, mended)
		}
	}
	if after.Repaired && len(done) > 0 && doc.Repaired {
		t.Fatalf("%q: still repaired after %q: %q", src, done, mended)
	}
	if bytes.Count(mended, []byte("#")) != bytes.Count(src, []byte("#")) {
		t.Fatalf("%q: a comment is lost: %q", src, mended)
	}
}

// FuzzFixes holds fixes to the same for whatever is in a file.
func FuzzFixes(f *testing.F) {
	for _, s := range []string{demo, "---\nname: x\ndescription: a: b\nallowed-tools: [a, b]\n---\n", "\ufeff\n---\r\nname: x\r\ndescription: c #d\r\n---",
		"---\nallowed-tools:\n - a\n # c\n - b\ndescription: d\nuser_invocable: no\n---\n", "---\n\"name\": x\ndescription: 'a'\nallowed-tools: 'a, b'\n---\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) < 4<<10 {
			checkFixes(t, src)
		}
	})
}
