// SPDX-License-Identifier: Apache-2.0

// Package rawjson looks into JSON text without decoding it, and changes parts
// of it without touching the rest.
//
// A relay that forwards byte for byte (PXY-1) can neither decode nor print what
// it passes on: numbers, escapes, key order and unknown fields have to stay as
// they were. So it needs two things, and this package has just those: finding
// the span of a value, and replacing that span.
//
// The grammar is RFC 8259. Strings may hold bytes that are not UTF-8 and
// escapes of lone surrogates, since a peer may send them and they are not ours
// to mend; everything else that [github.com/go-json-experiment/json/jsontext]
// refuses is refused here too. A fuzz target holds the two against each other.
package rawjson

import (
	"fmt"
)

// MaxDepth is how deep arrays and objects may nest. It is jsontext's limit, and
// keeps a hostile line from costing a deep stack in whoever parses it next.
const MaxDepth = 10000

// SyntaxError says where text stops being JSON.
type SyntaxError struct {
	Offset int    // byte offset in the text given
	Reason string // what was expected, or what is wrong
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not JSON at byte %d: %s", e.Offset, e.Reason)
}

func fail(at int, reason string) (int, error) { return at, &SyntaxError{Offset: at, Reason: reason} }

// SkipSpace returns the first index at or after i that is not JSON white space.
func SkipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// Skip checks the JSON value that starts at b[i], which must not be white
// space, and returns the index just behind it.
func Skip(b []byte, i int) (int, error) { return skipValue(b, i, 0) }

// Valid reports whether b is one JSON value, with nothing but white space
// around it.
func Valid(b []byte) bool {
	i, err := Skip(b, SkipSpace(b, 0))
	return err == nil && SkipSpace(b, i) == len(b)
}

func skipValue(b []byte, i, depth int) (int, error) {
	if i >= len(b) {
		return fail(i, "a value is missing")
	}
	switch c := b[i]; c {
	case '"':
		return skipString(b, i)
	case '{':
		return skipObject(b, i, depth+1)
	case '[':
		return skipArray(b, i, depth+1)
	case 't':
		return skipWord(b, i, "true")
	case 'f':
		return skipWord(b, i, "false")
	case 'n':
		return skipWord(b, i, "null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return skipNumber(b, i)
		}
		return fail(i, "a value is missing")
	}
}

func skipWord(b []byte, i int, word string) (int, error) {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return fail(i, "expected "+word)
	}
	return i + len(word), nil
}

func skipObject(b []byte, i, depth int) (int, error) {
	if depth > MaxDepth {
		return fail(i, "nested too deep")
	}
	i = SkipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return fail(i, "expected a name in quotes")
		}
		var err error
		if i, err = skipString(b, i); err != nil {
			return i, err
		}
		if i = SkipSpace(b, i); i >= len(b) || b[i] != ':' {
			return fail(i, "expected ':'")
		}
		if i, err = skipValue(b, SkipSpace(b, i+1), depth); err != nil {
			return i, err
		}
		if i = SkipSpace(b, i); i >= len(b) {
			return fail(i, "an object is not closed")
		}
		switch b[i] {
		case ',':
			i = SkipSpace(b, i+1)
		case '}':
			return i + 1, nil
		default:
			return fail(i, "expected ',' or '}'")
		}
	}
}

func skipArray(b []byte, i, depth int) (int, error) {
	if depth > MaxDepth {
		return fail(i, "nested too deep")
	}
	i = SkipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	for {
		var err error
		if i, err = skipValue(b, i, depth); err != nil {
			return i, err
		}
		if i = SkipSpace(b, i); i >= len(b) {
			return fail(i, "an array is not closed")
		}
		switch b[i] {
		case ',':
			i = SkipSpace(b, i+1)
		case ']':
			return i + 1, nil
		default:
			return fail(i, "expected ',' or ']'")
		}
	}
}

func skipNumber(b []byte, i int) (int, error) {
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return fail(i, "a number has no digits")
	case b[i] == '0':
		i++
	case '1' <= b[i] && b[i] <= '9':
		i = skipDigits(b, i)
	default:
		return fail(i, "a number has no digits")
	}
	if i < len(b) && b[i] == '.' {
		from := i + 1
		if i = skipDigits(b, from); i == from {
			return fail(i, "a number has no digits behind its point")
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		from := i
		if i = skipDigits(b, from); i == from {
			return fail(i, "a number has no digits in its exponent")
		}
	}
	return i, nil
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}
