// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FMT-4: for each way in which a line is commonly not YAML there are words that say what
// to do, from the place that the parser really gives.
func TestPlainWords(t *testing.T) {
	for block, want := range map[string]string{
		"description: Plan meals: breakfast": "colon with a blank",
		"description: @scope helper":         "starts with @",
		"description: `code` helper":         "starts with `",
		"description: %s and more":           "starts with %",
		"description: \"Reviews\" code":      "text goes on",
		"argument-hint: [file] [--all]":      "text goes on",
		"metadata:\n\tauthor: me":            "a tab cannot indent",
		"description: a\ngoes on":            "indent it by two blanks",
		"description: é: ü: ö":               "colon with a blank",
	} {
		for _, lineBreak := range []string{"\n", "\r\n"} {
			src := strings.ReplaceAll("---\nname: a\n"+block+"\n---\n", "\n", lineBreak)
			found := false
			for _, f := range Parse([]byte(src), nil).Findings {
				if f.Rule != "FMT-4" {
					continue
				}
				found = true
				if !strings.HasPrefix(f.Message, notYAML) || !strings.Contains(f.Message, want) {
					t.Errorf("%q, %d:%d: %q, want one with %q", block, f.Line, f.Column, f.Message, want)
				}
			}
			if !found {
				t.Errorf("%q is no error", block)
			}
		}
	}
}

// FMT-13 says how a loader copes with a line that FMT-4 calls broken, which is no second
// fault to an author; a line that nothing else speaks of is reported.
func TestValidateFMT13Echo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	src := "---\nname: a\ndescription: Use when: x\nargument-hint: [a] [b]\n---\nBody\n"
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Validate(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, f := range r.Findings {
		if f.Rule == "FMT-13" {
			lines = append(lines, f.Line)
		}
		if f.Rule == "FMT-4" && !strings.Contains(f.Message, "colon with a blank") {
			t.Error(f.Message)
		}
	}
	if len(lines) != 1 || lines[0] != 4 {
		t.Errorf("FMT-13 in lines %v, want 4", lines)
	}
}

func FuzzPlainWords(f *testing.F) {
	f.Add("description: b: c", 15)
	f.Add("x", 9)
	f.Add("\ta: \xff@", 4)
	f.Fuzz(func(t *testing.T, line string, column int) {
		if w := plainWords(line, column); w != Sanitize(w) && Sanitize(line) == line {
			t.Errorf("%q", w)
		}
	})
}
