// SPDX-License-Identifier: Apache-2.0

package skill_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/skillgraft/skillgraft/skill"
)

// FuzzParse holds the parser to what is true of every file.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		demo, "---\r\nname: a\r\ndescription: x: y\r\n---\r\nb\r\n", "\ufeff---\nname: a\n---\n", "<!-- c -->\n---\nname: a\ndescription: d\n---\n",
		"---\nname: a\ndescription: >-\n  b\nmetadata:\n  x: [1, {y: z}]\nallowed-tools: A(b c), D\n---\n", "---\nx: &a [*a]\n<<: *a\n? [b]\n: c\n---\n",
		"---\ndescription: @x\nargument-hint: [a] [b]\n---", "# no\n---\nname: a\n", "---\na: \"\\x41\\0\"\n---\n\xff", "--- \n\t\n---\t\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 8<<10 {
			return
		}
		keep := bytes.Clone(src)
		doc := skill.Parse(src, nil)
		if !bytes.Equal(src, keep) {
			t.Fatal("the source was changed")
		}
		lines := 2 + bytes.Count(src, []byte("\n")) + bytes.Count(src, []byte("\r"))
		for _, x := range doc.Findings {
			if x.Rule == "" || x.Message == "" || x.Line < 0 || x.Line > lines || skill.Sanitize(x.Message) != x.Message {
				t.Fatalf("finding %+v", x)
			}
		}
		if !doc.Usable() {
			if doc.Valid() {
				t.Fatalf("valid and yet not usable: %q", doc.Findings)
			}
			return
		}
		fm := doc.Frontmatter
		if skill.Sanitize(fm.Description) == "" || !utf8.ValidString(fm.Description) || strings.Contains(doc.Body, "\r") {
			t.Fatalf("%+v", fm)
		}
		if !json.Valid(fm.JSON()) {
			t.Fatalf("not JSON: %s", fm.JSON())
		}
		fm.AllowedTools()
		// Printing and parsing agree: JSON is YAML, and says the same.
		if again := skill.Parse([]byte("---\n"+string(fm.JSON())+"\n---\n"), nil); again.Frontmatter == nil {
			if len(fm.JSON()) < 1000 { // YAML bounds the length of keys
				t.Fatalf("not read back: %s: %q", fm.JSON(), again.Findings)
			}
		} else if !bytes.Equal(again.Frontmatter.JSON(), fm.JSON()) {
			t.Fatalf("printed %s, read %s", fm.JSON(), again.Frontmatter.JSON())
		}
		// FMT-3: a CRLF twin is the same.
		if bytes.IndexByte(src, '\r') < 0 {
			twin := skill.Parse(bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n")), nil)
			if d := cmp.Diff(summary(doc), summary(twin)); d != "" {
				t.Fatalf("CRLF twin:\n%s", d)
			}
		}
		// DSC-7: the head alone says the same.
		head := skill.Parse(append(bytes.Clone(src), "more\xc3"...), &skill.ParseOptions{Head: true})
		if got := head.Frontmatter; got == nil || got.Raw() != fm.Raw() || !bytes.Equal(got.JSON(), fm.JSON()) {
			if doc.Body != "" || bytes.HasSuffix(src, []byte("\n")) {
				t.Fatalf("head differs: %q", head.Findings)
			}
		}
	})
}

func summary(d *skill.Document) []string {
	out := []string{string(d.Frontmatter.JSON()), d.Body}
	for _, f := range d.Findings {
		out = append(out, f.String())
	}
	return out
}

// FuzzSanitize: what is shown is one line and stays as it is.
func FuzzSanitize(f *testing.F) {
	f.Add("a\u202eb\x1b[2Kc\n")
	f.Fuzz(func(t *testing.T, s string) {
		got := skill.Sanitize(s)
		if skill.Sanitize(got) != got || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\t\x1b\x00\u202e") {
			t.Fatalf("%q -> %q", s, got)
		}
		if e := skill.Escape(s); strings.ContainsAny(e, "<>\"'") {
			t.Fatalf("%q -> %q", s, e)
		}
	})
}
