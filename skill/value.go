// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"strings"
	"unicode/utf8"
)

// Kind is the shape of a [Value].
type Kind uint8

const (
	// Scalar is text: a string, number, boolean, date or null. See [Value.Text].
	Scalar Kind = iota
	// Sequence is a list. See [Value.Items].
	Sequence
	// Mapping is a list of fields in the author's order. See [Value.Fields].
	Mapping
	// Alias is a reference to an anchor, which this package never follows (FMT-4);
	// Text is the anchor's name.
	Alias
)

// String returns the word that messages use for the kind.
func (k Kind) String() string {
	return [...]string{"text", "a list", "a mapping", "an alias"}[k&3]
}

// A Value is one YAML value of a frontmatter with its place in the file. Values are
// immutable once parsed.
type Value struct {
	Kind Kind
	// Text is a scalar's content after YAML's unquoting and folding, and otherwise as the
	// author wrote it: 1.10, 007, 2026-05-30 and yes keep their spelling (FMT-4).
	Text string
	// Plain is true for a scalar without quotes, block style or tag: the only kind that
	// can mean null, a boolean or a number.
	Plain bool
	// Tag is an explicit tag, such as "!important". Its meaning is not applied.
	Tag string
	// Anchor is the name that the value defines, if any.
	Anchor string
	Items  []*Value
	Fields []Field
	// Line and Column of the value's start in the file, from 1.
	Line, Column int

	// comment is a comment on the value's own line: for a plain scalar a sign that a
	// '#' cut it (FMT-11).
	comment bool
}

// A Field is one key of a mapping.
type Field struct {
	Key          string
	Value        *Value
	Line, Column int
}

// IsNull reports whether v is absent or one of the plain spellings of null in YAML's core
// schema: nothing, ~, null, Null, NULL.
func (v *Value) IsNull() bool {
	if v == nil {
		return true
	}
	if v.Kind != Scalar || !v.Plain {
		return false
	}
	switch v.Text {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// Bool reads v as a boolean: true, True, TRUE, false, False, FALSE, quoted or not. For
// anything else ok is false, also for yes and on, which YAML 1.2 reads as text.
func (v *Value) Bool() (b, ok bool) {
	if v == nil || v.Kind != Scalar {
		return false, false
	}
	switch v.Text {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

// Get returns the value of the first field named key, or nil.
func (v *Value) Get(key string) *Value {
	if v == nil {
		return nil
	}
	for i := range v.Fields {
		if v.Fields[i].Key == key {
			return v.Fields[i].Value
		}
	}
	return nil
}

// AppendJSON appends v as JSON. The mapping follows YAML's core schema and never changes
// what was written:
//
//   - plain null and boolean spellings become null, true and false;
//   - a plain scalar that is spelled as a JSON number is that number, digit for digit (1.10);
//   - every other scalar is a string of its text (007, 0x1f, .inf, 2026-05-30, yes);
//   - sequences are arrays, mappings objects in the author's order with their keys as
//     text, the first one of equal keys;
//   - an alias, which is never resolved, is null.
func (v *Value) AppendJSON(b []byte) []byte {
	switch {
	case v.IsNull(), v.Kind == Alias:
		return append(b, "null"...)
	case v.Kind == Sequence:
		b = append(b, '[')
		for i, it := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = it.AppendJSON(b)
		}
		return append(b, ']')
	case v.Kind == Mapping:
		b = append(b, '{')
		seen := make(map[string]bool, len(v.Fields))
		for _, f := range v.Fields {
			if seen[f.Key] {
				continue
			}
			if len(seen) > 0 {
				b = append(b, ',')
			}
			seen[f.Key] = true
			b = appendString(b, f.Key)
			b = append(b, ':')
			b = f.Value.AppendJSON(b)
		}
		return append(b, '}')
	}
	if v.Plain {
		if t, ok := v.Bool(); ok {
			if t {
				return append(b, "true"...)
			}
			return append(b, "false"...)
		}
		if jsonNumber(v.Text) {
			return append(b, v.Text...)
		}
	}
	return appendString(b, v.Text)
}

// MarshalJSON returns what [Value.AppendJSON] appends.
func (v *Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// jsonNumber reports whether s is a number by JSON's grammar.
func jsonNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	digits := func() bool {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	if strings.HasPrefix(s, "0") {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if strings.HasPrefix(s, ".") {
		if s = s[1:]; !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}

// appendString appends s as a JSON string. It is written out here because the value of a
// skill must reach JSON without passing through the any-typed encoders.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < ' ' || r >= 0x7f && r <= 0x9f || r == 0x2028 || r == 0x2029:
			b = append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
