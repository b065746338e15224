// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"strings"
	"unicode"
)

// wordsOf are the words of a text that say something, without their endings, each
// once.
func wordsOf(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		w = stem(w)
		if len([]rune(w)) < 2 || isFiller(w) || seen[w] {
			continue
		}
		seen[w] = true
		out = append(out, w)
	}
	return out
}

// stem takes the commonest English endings off, so that tables finds table.
func stem(w string) string {
	for _, end := range []string{"ing", "ies", "es", "ed", "s"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 3 && !strings.HasSuffix(rest, "s") {
			switch end {
			case "ies":
				return rest + "y"
			case "es":
				return strings.TrimSuffix(rest, "e")
			}
			return strings.TrimSuffix(rest, "e")
		}
	}
	return strings.TrimSuffix(w, "e")
}

// isFiller reports whether a word, as stem leaves it, stands in every description.
func isFiller(w string) bool {
	switch w {
	case "an", "and", "or", "th", "the", "to", "of", "in", "on", "for", "with", "at", "by", "from", "as", "is", "ar", "be", "it", "its",
		"thi", "this", "that", "us", "when", "user", "want", "need", "ask", "skill", "do", "can", "you", "your", "my", "me", "pleas", "how",
		"what", "which", "mak", "run", "will", "would", "should", "hav", "has":
		return true
	}
	return false
}

func set(words []string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
