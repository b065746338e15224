// SPDX-License-Identifier: Apache-2.0

package format

import "strings"

// wrap breaks a text into lines of at most width cells, at blanks. A longer word has a
// line of its own.
func wrap(text string, width int) []string {
	var lines []string
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := cellsIn(word)
		if at > 0 && at+1+n > width {
			lines = append(lines, b.String())
			b.Reset()
			at = 0
		}
		if at > 0 {
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	if at > 0 {
		lines = append(lines, b.String())
	}
	return lines
}
