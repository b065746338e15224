// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// downFenced is text as a block of code, in a fence that the text cannot close.
func downFenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + language + "\n" + text + fence
}

// downPlain is terminal output as plain text: without escape sequences and
// control characters, and of a line that was written over the last writing.
func downPlain(out []byte) string {
	line := 0 // where the line starts
	text := make([]byte, 0, len(out))
	for i := 0; i < len(out); {
		r, n := utf8.DecodeRune(out[i:])
		switch {
		case r == 0x1b:
			i = downEscape(out, i)
			continue
		case r == '\r':
			for i+n < len(out) && out[i+n] == '\r' {
				n++
			}
			if i+n < len(out) && out[i+n] != '\n' {
				text = text[:line]
			}
		case r == '\n':
			text = append(text, '\n')
			line = len(text)
		case r == '\b':
			if len(text) > line {
				_, size := utf8.DecodeLastRune(text[line:])
				text = text[:len(text)-size]
			}
		case r == utf8.RuneError && n == 1:
			text = utf8.AppendRune(text, utf8.RuneError)
		case r == '\t' || r >= 0x20 && r != 0x7f && (r < 0x80 || r > 0x9f):
			text = append(text, out[i:i+n]...)
		}
		i += n
	}
	return string(text)
}

// downEscape is where the escape sequence that starts at out[i] ends.
func downEscape(out []byte, i int) int {
	if i++; i >= len(out) {
		return i
	}
	switch out[i] {
	case '[': // a control sequence: parameters, then one final byte
		for i++; i < len(out) && out[i] >= 0x20 && out[i] < 0x40; i++ {
		}
		if i < len(out) && out[i] >= 0x40 && out[i] < 0x7f {
			i++
		}
		return i
	case ']', 'P', 'X', '^', '_': // a string, up to BEL or ESC \
		for i++; i < len(out) && out[i] != 0x07 && out[i] != 0x1b && out[i] != '\n'; i++ {
		}
		switch {
		case i+1 < len(out) && out[i] == 0x1b && out[i+1] == '\\':
			return i + 2
		case i < len(out) && out[i] == 0x07:
			return i + 1
		}
		return i
	case '(', ')', '*', '+', '#', '%':
		return min(i+2, len(out))
	}
	if out[i] < 0x20 || out[i] >= 0x7f {
		return i
	}
	return i + 1
}

// downVisible is text of which somebody has to judge what it says, such as a
// command to be allowed: nothing in it may hide or undo anything, so what does not
// print is escaped. Line ends stay if there may be lines.
func downVisible(text string, lines bool) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsPrint(r), lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// downCode is text in a span of code, on one line, that it cannot end.
func downCode(text string) string {
	text = downVisible(text, false)
	ticks := "`"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	if ticks != "`" || text == "" {
		text = " " + text + " "
	}
	return ticks + text + ticks
}
