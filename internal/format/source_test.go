// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/skill"
)

// FMT-3: a line has the same number whatever the ends are, and a byte order mark is
// nothing.
func TestSourceLine(t *testing.T) {
	for name, src := range map[string]string{
		"LF": "a\nbb\n\nd", "CRLF": "a\r\nbb\r\n\r\nd", "CR": "a\rbb\r\rd", "BOM": "\ufeffa\nbb\n\nd",
	} {
		for n, want := range map[int]string{1: "a", 2: "bb", 3: "", 4: "d"} {
			if got, ok := sourceLine([]byte(src), n); !ok || got != want {
				t.Errorf("%s: line %d is %q (%v), want %q", name, n, got, ok, want)
			}
		}
		if got, ok := sourceLine([]byte(src), 5); ok {
			t.Errorf("%s: there is a line 5: %q", name, got)
		}
	}
}

func TestExcerptPointsAtTheColumn(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, tc := range []struct {
		name, line string
		column     int
		text       string
		caret      int
	}{
		{"plain", "name: tea", 7, "name: tea", 6},
		{"behind the end", "description:", 13, "description:", 12},
		{"no column", "name: tea", 0, "name: tea", -1},
		{"empty line", "", 1, "", 0},
		{"tab before it", "\tname: x", 2, "    name: x", 4},
		{"wide letters", "名前: x", 5, "名前: x", 6},
		{"joined marks", "e\u0301a", 3, "e\u0301a", 1},
		{"hidden characters are written out", "a\u202eb\x1b[31m", 3, "a<U+202E>b<U+001B>[31m", 9},
		{"not UTF-8", "a\xffb", 3, "a<?>b", 4},
		{"blanks at the end go", "name: tea   ", 1, "name: tea", 0},
		{"the start of a long line", long, 1, long[:100] + "...", 0},
	} {
		e := excerptOf(tc.line, tc.column)
		if e.text != tc.text || e.caret != tc.caret {
			t.Errorf("%s: %q at %d, want %q at %d", tc.name, e.text, e.caret, tc.text, tc.caret)
		}
	}
	e := excerptOf(long+"HERE"+long, 501)
	if got := []rune(e.text); len(got) > 110 || got[e.caret] != 'H' {
		t.Errorf("deep in a long line: %q at %d", e.text, e.caret)
	}
}

// Whatever a line holds, what is shown of it cannot control a terminal, is of a bounded
// size, and the caret stands within or right behind it.
func TestExcerptIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.String().Draw(t, "line")
		column := rapid.IntRange(0, 300).Draw(t, "column")
		e := excerptOf(line, column)
		for _, r := range e.text {
			if unicode.IsControl(r) || r != ' ' && skill.Sanitize(string(r)) == "" {
				t.Fatalf("%q is shown as %q", line, e.text)
			}
		}
		if cellsIn(e.text) > 2*maxShown || e.caret > cellsIn(e.text) {
			t.Fatalf("%q at %d", e.text, e.caret)
		}
		if printable(line) != printable(printable(line)) {
			t.Fatalf("%q stays unsafe", line)
		}
	})
}

func TestSafePath(t *testing.T) {
	for path, want := range map[string]string{
		"skills/tea/SKILL.md": "skills/tea/SKILL.md",
		"a  b/SKILL.md":       "a  b/SKILL.md",
		"a\n::error::b":       "a?::error::b",
		"::add-mask::x":       "./::add-mask::x",
		"a\x1b[2J\u202eb\xff": "a?[2J?b?",
	} {
		if got := safePath(path); got != want {
			t.Errorf("%q is shown as %q, want %q", path, got, want)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("---\nname: a\ndescription: b: c\n---\n"), 3, 15)
	f.Add([]byte("x"), 1, 9)
	f.Fuzz(func(t *testing.T, src []byte, line, column int) {
		l, ok := sourceLine(src, line)
		if !ok && l != "" && line < 1 {
			t.Errorf("line %d is %q", line, l)
		}
		if e := excerptOf(l, column); strings.ContainsAny(e.text, "\r\n\x1b") {
			t.Errorf("%q", e.text)
		}
		for _, x := range skill.Parse(src, nil).Findings {
			l, _ := sourceLine(src, x.Line)
			excerptOf(l, x.Column)
		}
	})
}
