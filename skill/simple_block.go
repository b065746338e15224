// SPDX-License-Identifier: Apache-2.0

package skill

import "strings"

// readSimpleBlock reads the lines of a literal or folded scalar, the form of most longer
// descriptions, and returns what follows them. header is what stands behind the colon. Like
// readSimple it declines all that is not plainly of one meaning: an indentation that is
// given or changes, tabs, more-indented lines in a folded text.
func (v *Value) readSimpleBlock(header, block string, space *Scratch) (rest string, lines int, ok bool) {
	folded := header[0] == '>'
	strip := header[1:] == "-"
	if !strip && header[1:] != "" {
		return "", 0, false
	}
	b := space.text[:0]
	indent, blank := 0, 0
	for block != "" {
		l, next, closed := strings.Cut(block, "\n")
		if l != "" && l[0] != ' ' {
			break
		}
		if !closed {
			return "", 0, false
		}
		n := len(l) - len(strings.TrimLeft(l, " "))
		if n == len(l) {
			if indent == 0 || n > indent {
				return "", 0, false
			}
			blank++
		} else {
			if indent == 0 {
				indent = n
			}
			if n < indent || folded && n > indent || !simpleText(l[n:]) {
				return "", 0, false
			}
			if len(b) > 0 && folded && blank == 0 {
				b = append(b, ' ')
			} else if len(b) > 0 && !folded {
				b = append(b, '\n')
			}
			for ; blank > 0; blank-- {
				b = append(b, '\n')
			}
			b = append(b, l[indent:]...)
		}
		block = next
		lines++
	}
	if indent == 0 {
		return "", 0, false
	}
	if !strip {
		b = append(b, '\n')
	}
	v.Text, space.text = string(b), b
	return block, lines, true
}

// simpleText reports whether s has only characters that YAML takes as they are: no control
// characters, no tabs, no line breaks of other standards and no byte order mark.
func simpleText(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= ' ' && s[i] <= '~' {
			continue
		}
		for _, r := range s[i:] {
			switch {
			case r < ' ', r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, r >= 0xd800 && r < 0xe000, r == 0xfeff, r >= 0xfffd && r <= 0xffff:
				return false
			}
		}
		return true
	}
	return true
}
