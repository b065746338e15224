// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A Named is a member of an object whose names are free, such as a header.
type Named[T any] struct {
	Name  string
	Value T
}

// A Member is one member of an object as it was written.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members are what an object holds beside the fields of its type.
type Members []Member

// Get returns the value of a member, nil when there is none.
func (m Members) Get(name string) json.RawMessage {
	for _, x := range m {
		if x.Name == name {
			return x.Value
		}
	}
	return nil
}

// Equal reports whether both say the same: their order does not matter, and a
// null says no more than nothing does.
func (m Members) Equal(other Members) bool { return m.within(other) && other.within(m) }

func (m Members) within(other Members) bool {
	for _, x := range m {
		if !isNull(x.Value) && !bytes.Equal(x.Value, other.Get(x.Name)) {
			return false
		}
	}
	return true
}

// A FieldError says where a value does not have the shape that it should.
type FieldError struct {
	Path   string // as in prompt[2].name; empty for the value itself
	Reason string // what was expected or is missing
}

func (e *FieldError) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

// At puts a step in front of the path of a FieldError.
func At(step string, err error) error {
	if err == nil {
		return nil
	}
	var fe *FieldError
	switch {
	case !errors.As(err, &fe):
		return &FieldError{Path: step, Reason: err.Error()}
	case fe.Path == "" || fe.Path[0] == '[':
		return &FieldError{Path: step + fe.Path, Reason: fe.Reason}
	}
	return &FieldError{Path: step + "." + fe.Path, Reason: fe.Reason}
}

// AtIndex is At for the element of a list.
func AtIndex(i int, err error) error { return At(fmt.Sprintf("[%d]", i), err) }

// Expected is the error for a value of another kind.
func Expected(what string) error { return &FieldError{Reason: "expected " + what} }

// A Field describes one member of an object for both directions.
type Field struct {
	name  string
	must  bool // the object is malformed without it
	read  func(tok []byte) error
	write func(b []byte) ([]byte, error) // nil: nothing to write
	rest  *Members                       // takes what no other field does
}

// errUnset is what a read returns for a value that leaves the field unset. The
// value is well-formed and kept as it was written.
var errUnset = errors.New("says no more than that the field is unset")

// Read reads an object into its fields. A name that stands twice is an error:
// peers differ in which of the two counts.
func Read(tok []byte, fields []Field) error {
	start := rawjson.SkipSpace(tok, 0)
	if start >= len(tok) || tok[start] != '{' {
		return Expected("an object")
	}
	var rest *Members
	for _, f := range fields {
		if f.rest != nil {
			rest = f.rest
			*rest = nil
		}
	}
	keep := func(key, value []byte) {
		if rest != nil {
			*rest = append(*rest, Member{Name: string(key), Value: bytes.Clone(value)})
		}
	}
	var seen uint64
	var others map[string]bool
	end, err := rawjson.Walk(tok, start, func(key []byte, _, from int) (int, error) {
		to, err := rawjson.Skip(tok, from)
		if err != nil {
			return to, err
		}
		for i, f := range fields {
			if f.rest != nil || f.name != string(key) {
				continue
			}
			if seen&(1<<i) != 0 {
				return to, &FieldError{Path: f.name, Reason: "stands twice in one object"}
			}
			seen |= 1 << i
			err := f.read(tok[from:to])
			if err == errUnset {
				keep(key, tok[from:to])
				err = nil
			}
			return to, At(f.name, err)
		}
		if others[string(key)] {
			return to, &FieldError{Path: string(key), Reason: "stands twice in one object"}
		}
		if others == nil {
			others = make(map[string]bool)
		}
		others[string(key)] = true
		keep(key, tok[from:to])
		return to, nil
	})
	if err != nil {
		return err
	}
	if rawjson.SkipSpace(tok, end) != len(tok) {
		return Expected("nothing behind the object")
	}
	for i, f := range fields {
		if f.must && seen&(1<<i) == 0 {
			return &FieldError{Path: f.name, Reason: "is missing"}
		}
	}
	return nil
}

// Write writes the fields that are set, in the order of the list, and then what
// else the object holds. A field that is set wins over what was kept for it.
func Write(fields []Field) ([]byte, error) {
	b := []byte{'{'}
	for _, f := range fields {
		if f.rest != nil {
			for _, x := range *f.rest {
				if isSet(fields, x.Name) {
					continue
				}
				if !rawjson.Valid(x.Value) {
					return nil, &FieldError{Path: x.Name, Reason: "the raw value is not JSON"}
				}
				b = append(append(append(comma(b), rawjson.Quote(x.Name)...), ':'), OneLine(x.Value)...)
			}
			continue
		}
		if f.write == nil {
			continue
		}
		var err error
		b = append(append(comma(b), rawjson.Quote(f.name)...), ':')
		if b, err = f.write(b); err != nil {
			return nil, At(f.name, err)
		}
	}
	return append(b, '}'), nil
}

func isSet(fields []Field, name string) bool {
	for _, f := range fields {
		if f.rest == nil && f.name == name {
			return f.write != nil
		}
	}
	return false
}

func comma(b []byte) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return b
}

// OneLine is the raw value without line ends: a message is one line, and JSON
// has line ends only between tokens.
func OneLine(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	out := bytes.Clone(raw)
	for i, c := range out {
		if c == '\n' || c == '\r' {
			out[i] = ' '
		}
	}
	return out
}

func isNull(tok []byte) bool { return string(tok) == "null" }
