// SPDX-License-Identifier: Apache-2.0

package skill_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillgraft/skillgraft/skill"
)

var update = flag.Bool("update", false, "write what the vectors give as what they should")

// A vector is one of testdata/vectors; its README says what the files mean.
type vector struct {
	name, dir, source string
	expect            string
	file              string
}

func vectors(t testing.TB) []vector {
	t.Helper()
	files, err := filepath.Glob("testdata/vectors/*.expect")
	if err != nil || len(files) == 0 {
		t.Fatal("no vectors", err)
	}
	var out []vector
	for _, file := range files {
		expect, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(strings.TrimSuffix(file, ".expect") + ".md")
		if err != nil {
			t.Fatal(err)
		}
		v := vector{name: strings.TrimSuffix(filepath.Base(file), ".expect"), source: string(source), expect: string(expect), file: file}
		for line := range strings.Lines(v.expect) {
			if s, ok := strings.CutPrefix(line, "dir "); ok {
				if err := json.Unmarshal([]byte(s), &v.dir); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			}
		}
		out = append(out, v)
	}
	return out
}

// facts are the lines of a vector's expectation, as our parser has them.
func facts(v vector) string {
	doc := skill.Parse([]byte(v.source), &skill.ParseOptions{Dir: v.dir})
	var b strings.Builder
	str := func(s string) string { return string((&skill.Value{Text: s}).AppendJSON(nil)) }
	yes := func(key string, is bool) {
		word := "no"
		if is {
			word = "yes"
		}
		fmt.Fprintln(&b, key, word)
	}
	fmt.Fprintln(&b, "dir", str(v.dir))
	yes("valid", doc.Valid())
	yes("load", doc.Usable())
	if doc.Usable() {
		fm := doc.Frontmatter
		if doc.Repaired {
			yes("repaired", true)
		}
		name := fm.Name
		if name == "" {
			name = v.dir
		}
		fmt.Fprintln(&b, "name", str(name))
		fmt.Fprintln(&b, "description", str(fm.Description))
		for _, tool := range fm.AllowedTools() {
			fmt.Fprintln(&b, "tool", str(tool))
		}
		s := &skill.Skill{Frontmatter: fm}
		if !s.UserInvocable() {
			yes("user", false)
		}
		if !s.ModelInvocable() {
			yes("model", false)
		}
		fmt.Fprintln(&b, "frontmatter", string(fm.JSON()))
		fmt.Fprintln(&b, "body", str(doc.Body))
	}
	for _, f := range doc.Findings {
		fmt.Fprintf(&b, "finding %s %s %d:%d\n", f.Severity, f.Rule, f.Line, f.Column)
	}
	return b.String()
}

func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.name, func(t *testing.T) {
			got := facts(v)
			if *update {
				if err := os.WriteFile(v.file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			var want strings.Builder
			for line := range strings.Lines(v.expect) {
				if !strings.HasPrefix(line, "#") {
					want.WriteString(line)
				}
			}
			if d := cmp.Diff(want.String(), got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestVectorsTwins: line ends and a byte order mark change nothing (FMT-3).
func TestVectorsTwins(t *testing.T) {
	for _, v := range vectors(t) {
		if strings.ContainsAny(v.source, "\r") || strings.HasPrefix(v.source, "\ufeff") || strings.HasPrefix(v.source, "\xff") {
			continue
		}
		crlf, cr, bom := v, v, v
		crlf.source = strings.ReplaceAll(v.source, "\n", "\r\n")
		cr.source = strings.ReplaceAll(v.source, "\n", "\r")
		bom.source = "\ufeff" + v.source
		want := facts(v)
		for name, got := range map[string]string{"CRLF": facts(crlf), "CR": facts(cr), "BOM": strings.Replace(facts(bom), "finding info FMT-3 1:1\n", "", 1)} {
			if v.source == "" && name == "BOM" {
				continue
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, %s twin: %s", v.name, name, d)
			}
		}
	}
}
