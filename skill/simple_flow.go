// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"strings"
	"unicode/utf8"
)

// A simpleFlow reads a list or mapping in brackets that stands in one line, such as the
// metadata that some tools write as JSON. Like readSimple it declines what is not plainly of
// one meaning, and also lists of more than scalars.
type simpleFlow struct {
	rest         string
	line, column int // of rest
	space        *Scratch
}

// readSimpleFlow reads s, which starts with a bracket and stands at the value's place.
func (v *Value) readSimpleFlow(s string, depth int, space *Scratch) bool {
	f := simpleFlow{rest: s, line: v.Line, column: v.Column, space: space}
	return f.value(v, depth) && f.rest == ""
}

// skip goes on by n bytes.
func (f *simpleFlow) skip(n int) {
	f.column += utf8.RuneCountInString(f.rest[:n])
	f.rest = f.rest[n:]
}

// next goes on to what follows blanks and returns its first byte, or 0 at the end.
func (f *simpleFlow) next() byte {
	f.skip(len(f.rest) - len(strings.TrimLeft(f.rest, " ")))
	if f.rest == "" {
		return 0
	}
	return f.rest[0]
}

// value reads one value. depth is that of the mapping around it.
func (f *simpleFlow) value(v *Value, depth int) bool {
	v.Line, v.Column = f.line, f.column
	switch f.next() {
	case 0:
		return false
	case '[':
		return f.list(v)
	case '{':
		return depth < maxSimple && f.mapping(v, depth+1)
	}
	return f.scalar(v)
}

func (f *simpleFlow) list(v *Value) bool {
	v.Kind = Sequence
	f.skip(1)
	if f.next() == ']' {
		f.skip(1)
		return true
	}
	start := len(f.space.items)
	for {
		f.next()
		it := f.space.value()
		it.Line, it.Column = f.line, f.column
		if !f.scalar(it) {
			return false
		}
		f.space.items = append(f.space.items, it)
		switch f.next() {
		case ',':
			f.skip(1)
		case ']':
			f.skip(1)
			v.Items = f.space.itemsFrom(start)
			return true
		default:
			return false
		}
	}
}

func (f *simpleFlow) mapping(v *Value, depth int) bool {
	v.Kind = Mapping
	f.skip(1)
	if f.next() == '}' {
		f.skip(1)
		v.Fields = []Field{}
		return true
	}
	fields := &f.space.fields[depth]
	start := len(*fields)
	defer func() { v.Fields = (*fields)[start:len(*fields):len(*fields)] }()
	for {
		f.next()
		column := f.column
		key, ok := f.key()
		if !ok {
			return false
		}
		f.next()
		val := f.space.value()
		*fields = append(*fields, Field{Key: key, Value: val, Line: f.line, Column: column})
		if !f.value(val, depth) {
			return false
		}
		switch f.next() {
		case ',':
			f.skip(1)
		case '}':
			f.skip(1)
			return true
		default:
			return false
		}
	}
}

// key reads a key with its colon. Only behind a key in quotes a value may follow at once.
func (f *simpleFlow) key() (string, bool) {
	if f.rest == "" {
		return "", false
	}
	if q := f.rest[0]; q == '"' {
		end := strings.IndexByte(f.rest[1:], q)
		if end < 1 || end > maxFlowKey {
			return "", false
		}
		key, after := f.rest[1:1+end], f.rest[2+end:]
		if !simpleText(key) || strings.IndexByte(key, '\\') >= 0 || after == "" || after[0] != ':' {
			return "", false
		}
		f.skip(end + 3)
		return key, true
	}
	end := strings.IndexByte(f.rest, ':')
	if end < 1 || end > maxFlowKey || !simpleKey(f.rest[:end]) || !strings.HasPrefix(f.rest[end:], ": ") {
		return "", false
	}
	key := f.rest[:end]
	f.skip(end + 1)
	return key, true
}

// maxFlowKey is below what YAML allows for a key in one line.
const maxFlowKey = 256

// scalar reads a text in quotes, or a plain one up to what ends it.
func (f *simpleFlow) scalar(v *Value) bool {
	n := 0
	if f.rest == "" {
		return false
	}
	if q := f.rest[0]; q == '"' || q == '\'' {
		if n = quotedEnd(f.rest); n < 0 {
			return false
		}
		if !v.readSimple(f.rest[:n]) {
			return false
		}
		f.skip(n)
		return true
	}
	if n = strings.IndexAny(f.rest, ",[]{}:"); n < 0 {
		return false
	}
	word := strings.TrimRight(f.rest[:n], " ")
	if word == "" || !v.readSimple(word) {
		return false
	}
	f.skip(n)
	return true
}

// quotedEnd returns the length of the text in quotes that s starts with, or -1.
func quotedEnd(s string) int {
	q := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && q == '"':
			i++
		case s[i] != q:
		case q == '\'' && i+1 < len(s) && s[i+1] == q:
			i++
		default:
			return i + 1
		}
	}
	return -1
}
