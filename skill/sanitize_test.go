// SPDX-License-Identifier: Apache-2.0

package skill_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/skillgraft/skillgraft/skill"
	"pgregory.net/rapid"
)

func TestSanitizeE08(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain text", "plain text"},
		{"", ""},
		{"  two  blanks ", "two blanks"},
		{"Nice\x1b[2K\rTrusted", "Nice[2K Trusted"},
		{"a\u202Egnp.exe", "agnp.exe"},
		{"a\U000E0041\U000E0042b", "ab"},
		{"a\x00b", "ab"},
		{"one\n- fake-skill: two", "one - fake-skill: two"},
		{"a\u200bb\u2060c\ufeffd", "abcd"},
		{"a\u2028b\u2029c\u0085d\u00a0e", "a b c d e"},
		{"a\u009b31mb", "a31mb"},
		{"x\u3164\u115f\u2800y", "xy"},
		{"v\U000E0100\ufe00w", "vw"},
		{"bad\xffbyte", "badbyte"},
		{"naïve 数据 👍", "naïve 数据 👍"},
	} {
		if got := skill.Sanitize(tt.in); got != tt.want {
			t.Errorf("Sanitize(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestSanitizeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		got := skill.Sanitize(in)
		if !utf8.ValidString(got) || skill.Sanitize(got) != got || strings.TrimSpace(got) != got {
			t.Fatalf("%q -> %q", in, got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r != ' ' && unicode.IsSpace(r) {
				t.Fatalf("%q keeps %U", got, r)
			}
		}
	})
}

func TestDisplayDescriptionA5(t *testing.T) {
	s := &skill.Skill{Description: "Long\nform", Frontmatter: parse(t, "metadata:\n  short-description: \"Short\\n\\e form\"\n")}
	if got := s.DisplayDescription(); got != "Short form" {
		t.Errorf("%q", got)
	}
	s.Frontmatter = parse(t, "metadata: {short-description: \"\\u200b\"}\n")
	if got := s.DisplayDescription(); got != "Long form" {
		t.Errorf("%q", got)
	}
}
