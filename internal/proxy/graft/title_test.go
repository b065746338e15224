// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/internal/proxy/journal"
)

func TestRename(t *testing.T) {
	const tag = `<skill_content name="one" id="QWERTYQWERTYQWERTYQWERTYQW">`
	slash := title{shown: "cl fix the tests", sent: []string{"/clfixthetests"}}
	expanded := title{shown: "please one now", sent: []string{withoutSpace("please " + tag + "\nBODY")}, nonces: []string{"QWERTYQWERTYQWERTYQWERTYQW"}}
	for _, tt := range []struct{ name, given, want string }{
		{"what was sent", "/cl fix the tests", "cl fix the tests"},
		{"cut", "/cl fix th…", "cl fix the…"},
		{"cut with dots", "/cl fix th...", "cl fix the t…"},
		{"a fork", "/cl fix the tests (fork)", "cl fix the tests (fork)"},
		{"a fork of a fork", "/cl fix the tests (fork) (fork)", "cl fix the tests (fork) (fork)"},
		{"white space collapsed", "/cl  fix\tthe tests", "cl fix the tests"},
		{"in the agent's own words", "Fixing the tests", "Fixing the tests"},
		{"cut before our text", "please", "please"},
		{"cut within our text", "please <skill_con", "please one now"},
		{"our tag somewhere", "Summary of " + tag, "please one now"},
		{"somebody else's tag", `Summary of <skill_content name="one" id="AAAA">`, `Summary of <skill_content name="one" id="AAAA">`},
		{"empty", "", ""},
		{"another prompt that starts so", "/clean up", "/clean up"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := rename(tt.given, []title{slash, expanded}); got != tt.want {
				t.Errorf("rename(%q) = %q, want %q", tt.given, got, tt.want)
			}
		})
	}
}

// However an agent cuts a title out of what it was sent, the client sees the
// start of what was typed, and no more than the agent showed.
func TestRenameOfAnyCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typed := rapid.StringMatching(`[a-zé ]{1,40}`).Draw(t, "typed")
		blocks := [][]byte{skillBlock("one"), []byte(`{"type":"text","text":"` + typed + `"}`)}
		sent := [][]byte{[]byte(`{"type":"text","text":"/one ` + typed + `"}`)}
		r := journal.Record{Title: titleOf(blocks), SentTitle: sentTitle(sent)}
		line := []rune(strings.Join(strings.Fields("/one "+typed), " "))
		cut := string(line[:rapid.IntRange(1, len(line)).Draw(t, "cut")]) + rapid.SampledFrom([]string{"", "…", "..."}).Draw(t, "end")
		got := rename(cut, []title{titleFrom(r)})
		if strings.Contains(got, "/") {
			t.Fatalf("rename(%q) = %q", cut, got)
		}
		if bare := strings.TrimSuffix(got, "…"); !strings.HasPrefix(r.Title, bare) {
			t.Fatalf("rename(%q) = %q, which is not the start of %q", cut, got, r.Title)
		}
		if n := utf8.RuneCountInString(got); n > max(utf8.RuneCountInString(cut), 2) {
			t.Fatalf("rename(%q) = %q is longer", cut, got)
		}
	})
}

// A title in words that the client sent itself is not touched, though it may be
// what the agent got as well.
func TestRenameKeepsOwnWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typed := rapid.StringMatching(`[a-z]{1,9}( [a-z]{1,9}){0,3}`).Draw(t, "typed")
		tl := title{shown: typed + " one", sent: []string{withoutSpace(typed) + "<skill_content"}}
		cut := typed[:rapid.IntRange(1, len(typed)).Draw(t, "cut")]
		if got := rename(cut, []title{tl}); got != cut {
			t.Fatalf("rename(%q) = %q", cut, got)
		}
	})
}
