// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/skillgraft/skillgraft/skill"
)

// maxShown is how many columns of a source line are shown. A description may have
// a thousand characters, and a line without an end is a common form of hostility.
const maxShown = 100

// sourceLine returns line n, from 1, of a file without its end. Lines end as the
// parser counts them: with LF, CR or both (FMT-3).
func sourceLine(src []byte, n int) (string, bool) {
	s := strings.TrimPrefix(string(src), "\ufeff")
	for ; n > 0; n-- {
		if s == "" {
			return "", false
		}
		end := strings.IndexAny(s, "\r\n")
		if end < 0 {
			return s, n == 1
		}
		if n == 1 {
			return s[:end], true
		}
		if strings.HasPrefix(s[end:], "\r\n") {
			end++
		}
		s = s[end+1:]
	}
	return "", false
}

// An excerpt is a source line as a terminal may show it, and where in it a column
// stands.
type excerpt struct {
	text  string
	caret int // in cells of a terminal, from 0; -1 when there is nothing to point at
}

// excerptOf makes a line fit to be shown, with the column (in code points, from 1,
// 0 for none) within what is shown. What cannot be seen is written out, because it may
// be what the finding is about.
func excerptOf(line string, column int) excerpt {
	var cells []string
	for line != "" {
		r, n := utf8.DecodeRuneInString(line)
		cells = append(cells, visible(r, n))
		line = line[n:]
	}
	for len(cells) > column && len(cells) > 0 && cells[len(cells)-1] == " " {
		cells = cells[:len(cells)-1]
	}
	at := min(column-1, len(cells)) // a finding may stand behind the last character
	from, to := window(cells, max(at, 0))
	var b strings.Builder
	if from > 0 {
		b.WriteString("...")
	}
	e := excerpt{caret: -1}
	column = cellsIn(b.String())
	for i := from; i < to; i++ {
		if i == at {
			e.caret = column
		}
		b.WriteString(cells[i])
		column += cellsIn(cells[i])
	}
	if at == to {
		e.caret = column
	}
	if to < len(cells) {
		b.WriteString("...")
	}
	e.text = b.String()
	return e
}

// visible is how one character of a source line is shown.
func visible(r rune, n int) string {
	switch {
	case r == utf8.RuneError && n == 1:
		return "<?>"
	case r == '\t':
		return "    "
	case unicode.IsSpace(r) && r != ' ', r != ' ' && skill.Sanitize(string(r)) == "":
		return fmt.Sprintf("<U+%04X>", r)
	}
	return string(r)
}

// printable is a whole line with what cannot be seen written out.
func printable(line string) string {
	var b strings.Builder
	for line != "" {
		r, n := utf8.DecodeRuneInString(line)
		if r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteString(visible(r, n))
		}
		line = line[n:]
	}
	return b.String()
}

// window picks which cells are shown so that the one at stands among them.
func window(cells []string, at int) (from, to int) {
	size := 0
	for to < len(cells) && (size+len(cells[to]) <= maxShown || to <= at) {
		size += cellsIn(cells[to])
		to++
		for size > maxShown && from < at {
			size -= cellsIn(cells[from])
			from++
		}
	}
	return from, to
}

// cellsIn is how many cells of a terminal a text takes: none for marks that join
// the letter before, two for the wide letters of East Asia.
func cellsIn(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case r >= 0x1f300 && r <= 0x1faff:
			n += 2 // pictures
		default:
			n++
			if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
				n++
			}
		}
	}
	return n
}
