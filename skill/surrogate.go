// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON writes a character beyond U+FFFF in a quoted string as two escapes of surrogates, and
// YAML 1.2 reads JSON. Public skills have metadata that a JSON encoder wrote. The YAML
// library refuses such escapes, so what it stops at is rewritten as the one escape that
// means the same.

const (
	surrogateError = "found invalid Unicode character escape code"
	pairLen        = len(`\ud83e\udde0`)
	joinedLen      = len(`\U0001f9e0`)
	// maxJoins bounds how many scalars of a block are rewritten: each costs another parse.
	maxJoins = 64
)

// joins are the places where two escapes became one: columns, in order, by the line of the
// rewritten block. Nil means that there are none.
type joins map[int][]int

// column maps a column of the rewritten block to that of the author's.
func (j joins) column(line, column int) int {
	was := column
	for _, at := range j[line] {
		if at < column {
			was += pairLen - joinedLen
		}
	}
	return was
}

// joinPairs rewrites the pairs in the double-quoted scalar where the library stopped: at line
// and column, just behind the backslash and the letter of an escape.
func (j *joins) joinPairs(block string, line, column int) (string, bool) {
	i, ok := offsetOf(block, line, column)
	if i -= 2; !ok || i < 0 {
		return "", false
	}
	if _, ok := pairAt(block[i:]); !ok {
		return "", false // half a pair means nothing
	}
	column -= 2
	var b strings.Builder
	b.WriteString(block[:i])
	for i < len(block) && block[i] != '"' {
		if r, ok := pairAt(block[i:]); ok {
			if *j == nil {
				*j = joins{}
			}
			(*j)[line] = append((*j)[line], column)
			fmt.Fprintf(&b, `\U%08x`, r)
			i, column = i+pairLen, column+joinedLen
			continue
		}
		if block[i] == '\\' && i+1 < len(block) {
			b.WriteByte('\\') // what it escapes, a quote perhaps, is copied below
			i, column = i+1, column+1
		}
		_, n := utf8.DecodeRuneInString(block[i:])
		b.WriteString(block[i : i+n])
		if column++; block[i] == '\n' {
			line, column = line+1, 1
		}
		i += n
	}
	b.WriteString(block[i:])
	return b.String(), true
}

// pairAt returns the character that s begins with, written as two escapes.
func pairAt(s string) (rune, bool) {
	if len(s) < pairLen || s[:2] != `\u` || s[6:8] != `\u` {
		return 0, false
	}
	hi, err1 := strconv.ParseUint(s[2:6], 16, 16)
	lo, err2 := strconv.ParseUint(s[8:12], 16, 16)
	r := utf16.DecodeRune(rune(hi), rune(lo))
	return r, err1 == nil && err2 == nil && r != utf8.RuneError
}

// offsetOf returns the byte offset of a line and column, both from 1.
func offsetOf(block string, line, column int) (int, bool) {
	at := 0
	for ; line > 1; line-- {
		n := strings.IndexByte(block[at:], '\n')
		if n < 0 {
			return 0, false
		}
		at += n + 1
	}
	for ; column > 1; column-- {
		_, n := utf8.DecodeRuneInString(block[at:])
		if n == 0 {
			return 0, false
		}
		at += n
	}
	return at, true
}
