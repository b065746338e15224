// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"strings"
	"testing"
)

// FMT-4: JSON in a block is YAML, also where JSON needs two escapes for one character.
func TestParseSurrogatePairs(t *testing.T) {
	src := "---\nname: x\ndescription: \"a \\ud83e\\udde0 \\\" \\uD83D\\uDCB0 \\u00e9 \\\\ud83e\\\\udde0\"\n" +
		"plain: a\\ud83e\\udde0\nmetadata: {\"é\": {\"emoji\": \"\\ud83d\\udde3\\ufe0f\", \"after\": 1}, \"next\": \"\\ud83e\\udde0\"}\nlast: [z]\n---\n"
	doc := Parse([]byte(src), nil)
	if doc.Repaired || doc.Frontmatter == nil {
		t.Fatalf("%v", doc.Findings)
	}
	fm := doc.Frontmatter
	if want := "a \U0001f9e0 \" \U0001f4b0 \u00e9 \\ud83e\\udde0"; fm.Description != want {
		t.Errorf("description %q, want %q", fm.Description, want)
	}
	if got, want := fm.Get("plain").Text, `a\ud83e\udde0`; got != want {
		t.Errorf("plain text %q, want it as written: %q", got, want)
	}
	m := fm.Get("metadata")
	if got, want := m.Get("é").Get("emoji").Text, "\U0001f5e3\ufe0f"; got != want {
		t.Errorf("emoji %q, want %q", got, want)
	}
	// FMT-12: columns are the author's.
	line := strings.Split(src, "\n")[4]
	column := func(of string) int { return len([]rune(line[:strings.Index(line, of)])) + 1 }
	if got, want := m.Get("é").Get("after").Column, column("1}"); got != want {
		t.Errorf("the value of after is in column %d, want %d", got, want)
	}
	if got, want := m.Fields[1].Column, column(`"next"`); got != want {
		t.Errorf("next is in column %d, want %d", got, want)
	}
}

// Half a pair is no character, and neither is a wrong one.
func TestParseHalfPairs(t *testing.T) {
	for _, bad := range []string{`\ud83e`, `\ud83e \udde0`, `\udde0\ud83e`, `\ud83e\u0041`, `\ud83e\n`} {
		doc := Parse([]byte("---\nname: x\ndescription: d\nmetadata: {a: \"\\ud83e\\udde0 "+bad+"\"}\n---\n"), nil)
		if doc.Valid() {
			t.Errorf("%s was accepted", bad)
			continue
		}
		if f := doc.Findings[0]; f.Line != 4 || !strings.Contains(f.Message, surrogateError) {
			t.Errorf("%s: %v", bad, f)
		}
	}
}
