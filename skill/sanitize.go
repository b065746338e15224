// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize returns s fit to be shown on one line of a terminal, a list or a log: white
// space of every kind collapses to single blanks, and characters that control a terminal,
// reorder text or hide in it are removed (ACP-U3): C0, C1 and DEL, bidi controls,
// zero-width and other format characters, tag characters, variation selectors beyond
// those of ordinary emoji, private use, and bytes that are not UTF-8.
//
// Zero-width joiners inside emoji and scripts that need them are removed too: what is
// shown may look plainer than what was written, never different in kind.
func Sanitize(s string) string {
	if plainLine(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == utf8.RuneError && n == 1:
			continue
		case unicode.IsSpace(r):
			blank = true
			continue
		case hidden(r):
			continue
		}
		if blank && b.Len() > 0 {
			b.WriteByte(' ')
		}
		blank = false
		b.WriteRune(r)
	}
	return b.String()
}

// blank reports whether nothing of s would be shown: what [Sanitize] returns is empty.
func blank(s string) bool {
	for i, r := range s {
		if r > ' ' && r <= '~' {
			return false
		}
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				continue // a byte that is not UTF-8
			}
		}
		if !unicode.IsSpace(r) && !hidden(r) {
			return false
		}
	}
	return true
}

// plainLine is the common case: printable ASCII with single inner blanks.
func plainLine(s string) bool {
	prev := byte(' ')
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c > '~' || c == ' ' && prev == ' ' {
			return false
		}
		prev = c
	}
	return s == "" || prev != ' '
}

// hidden reports whether r is a character that a reader cannot see and that can change
// what is seen. White space is not hidden.
func hidden(r rune) bool {
	switch {
	case r < ' ', r == 0x7f, r >= 0x80 && r <= 0x9f:
		return !unicode.IsSpace(r)
	case r < 0x80:
		return false
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x2800:
		return true // fillers that draw nothing
	case r >= 0xfe00 && r <= 0xfe0d, r == 0x34f, r >= 0xe0100 && r <= 0xe01ef:
		return true // FE0E and FE0F choose text or emoji style and stay
	case r >= 0xfff0 && r <= 0xfffb:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Co, unicode.Cs) || r >= 0xe0000 && r <= 0xe0fff
}

// hasHidden returns the first hidden character of s other than line breaks and tabs.
func hasHidden(s string) (rune, bool) {
	for _, r := range s {
		if r >= 0x20 && r < 0x7f {
			continue
		}
		if hidden(r) {
			return r, true
		}
	}
	return 0, false
}
