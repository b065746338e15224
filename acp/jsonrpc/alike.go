// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bytes"
	"encoding/binary"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// The lines of a stream are alike: thousands in a row differ in one string, the
// text that an agent says. alike is what two such lines have in common. A line
// that starts with head and ends with tail, and has the inside of one string
// between them, is the last line's message but for that string: what a walk
// finds depends on the tokens, and these are the same.
type alike struct {
	head, tail []byte // up to and with the string's quotes; nil when nothing is known
	paramsTo   int    // where the params end, were the string empty
}

// maxAlike bounds what is kept of a line, in bytes.
const maxAlike = 4 << 10

// take makes m, the last line's message, that of a line which is alike.
func (a *alike) take(m *Message, line []byte) bool {
	if !a.match(line) {
		return false
	}
	m.Raw, m.owned = line, false
	m.params.to = a.paramsTo + len(line) - len(a.head) - len(a.tail)
	return true
}

func (a *alike) match(line []byte) bool {
	from, to := len(a.head), len(line)-len(a.tail)
	return a.head != nil && from <= to && bytes.Equal(line[:from], a.head) && bytes.Equal(line[to:], a.tail) && rawjson.IsInside(line[from:to])
}

// learn keeps what m has in common with the line before it, if they differ
// first inside a string of the value at value, which is one of an update's.
func (a *alike) learn(m *Message, differ int, value span) {
	start, end := stringAround(m.Raw, value, differ)
	if start < 0 || len(m.Raw)-(end-start) > maxAlike {
		return
	}
	a.head = append(a.head[:0], m.Raw[:start+1]...)
	a.tail = append(a.tail[:0], m.Raw[end-1:]...)
	a.paramsTo = m.params.to - (end - start - 2)
}

// stringAround is the span of the string value, no name, around the byte at.
// start is negative when there is none.
func stringAround(b []byte, in span, at int) (start, end int) {
	for i := in.from; i < in.to && i <= at; i++ {
		if b[i] != '"' {
			continue
		}
		end, err := rawjson.Skip(b, i)
		if err != nil {
			break
		}
		if i < at && at < end {
			if next := rawjson.SkipSpace(b, end); next < len(b) && b[next] == ':' {
				break
			}
			return i, end
		}
		i = end - 1
	}
	return -1, 0
}

// firstDifference is the length of what a and b start with alike.
func firstDifference(a, b []byte) int {
	n, i := min(len(a), len(b)), 0
	for n-i >= 8 && binary.LittleEndian.Uint64(a[i:]) == binary.LittleEndian.Uint64(b[i:]) {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
