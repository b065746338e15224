// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"strings"
	"unicode"
)

// plainWords is what to say of the place in a line where it stops being YAML, for the slips
// that the text there gives away (FMT-4); otherwise it is "", and a YAML parser's own words
// have to do. column counts characters from 1.
func plainWords(line string, column int) string {
	runes := []rune(line)
	at := min(max(column-1, 0), len(runes))
	rest := string(runes[at:])
	before := string(runes[:at])
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	switch {
	case strings.Contains(indent, "\t"):
		return "a tab cannot indent in YAML: use blanks"
	case strings.HasPrefix(rest, ": ") || rest == ":" || strings.HasPrefix(rest, ":\t"):
		if strings.Contains(before, ": ") {
			return "a colon with a blank behind it would start another value: put the whole value in quotes"
		}
	case afterKey(before) && strings.ContainsAny(rest[:min(1, len(rest))], "@`%&*!|>[]{},#?"):
		return "a value that starts with " + string(runes[at:at+1]) + " means something else in YAML: put the whole value in quotes"
	case afterClosed(before):
		return "a quote or bracket ends here, and text goes on: put the whole value in quotes"
	case at == 0 && indent == "" && !keyLine(line):
		return "this line is no \"name: value\": indent it by two blanks if it continues the line above"
	}
	return ""
}

// afterKey reports whether a text is a key with its colon, so that a value comes next.
func afterKey(s string) bool { return strings.HasSuffix(strings.TrimRight(s, " "), ":") }

// afterClosed reports whether a text is a key and a value in quotes or brackets that has
// ended.
func afterClosed(s string) bool {
	_, value, ok := strings.Cut(s, ": ")
	value = strings.TrimSpace(value)
	if !ok || len(value) < 2 {
		return false
	}
	first, last := value[0], value[len(value)-1]
	return first == '"' && last == '"' || first == '\'' && last == '\'' || first == '[' && last == ']' || first == '{' && last == '}'
}

// keyLine reports whether a line starts with a word and a colon.
func keyLine(line string) bool {
	key, _, ok := strings.Cut(line, ":")
	return ok && key != "" && !strings.ContainsFunc(key, unicode.IsSpace)
}

// lineOf returns a line of a text by its number from 1, or "".
func lineOf(text string, n int) string {
	for l := range strings.Lines(text) {
		if n--; n == 0 {
			return strings.TrimSuffix(l, "\n")
		}
	}
	return ""
}
