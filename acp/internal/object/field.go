// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// The constructors below are named after what the reader does with a value that
// is missing, null or wrong. On the way out zero means omitted, save for Must.

// Must is required, and an error when it is wrong.
func Must[T any](name string, p *T, read Reader[T]) Field {
	return Field{
		name: name, must: true,
		read: func(tok []byte) error {
			v, err := read(tok)
			if err == nil {
				*p = v
			}
			return err
		},
		write: func(b []byte) ([]byte, error) { return Encode(b, *p) },
	}
}

// Strict is optional: null is as if absent, and anything wrong is an error.
func Strict[T comparable](name string, p *T, read Reader[T]) Field {
	var zero T
	f := Field{name: name, read: func(tok []byte) error {
		if isNull(tok) {
			return errUnset
		}
		v, err := read(tok)
		if err != nil {
			return err
		}
		if *p = v; v == zero {
			return errUnset
		}
		return nil
	}}
	if *p != zero {
		f.write = func(b []byte) ([]byte, error) { return Encode(b, *p) }
	}
	return f
}

// Soft is optional: null and anything wrong are as if absent.
func Soft[T comparable](name string, p *T, read Reader[T]) Field {
	return forgiving(Strict(name, p, read))
}

// Path is Soft for a text, which is as if absent unless ok says yes (ACP-A9).
func Path(name string, p *string, ok func(string) bool) Field {
	return Soft(name, p, func(tok []byte) (string, error) {
		s, err := String(tok)
		if err == nil && !ok(s) {
			err = Expected("an absolute path")
		}
		return s, err
	})
}

// StrictPtr is Strict for a value whose zero says something, too.
func StrictPtr[T any](name string, p **T, read Reader[T]) Field {
	f := Field{name: name, read: func(tok []byte) error {
		if isNull(tok) {
			return errUnset
		}
		v, err := read(tok)
		if err == nil {
			*p = &v
		}
		return err
	}}
	if *p != nil {
		f.write = func(b []byte) ([]byte, error) { return Encode(b, **p) }
	}
	return f
}

// SoftPtr is Soft for a value whose zero says something, too.
func SoftPtr[T any](name string, p **T, read Reader[T]) Field {
	return forgiving(StrictPtr(name, p, read))
}

// Always is optional to the reader, for whom anything wrong is as if empty, and
// always written.
func Always[T any](name string, p *T, read Reader[T]) Field {
	f := Must(name, p, read)
	f.must = false
	return forgiving(f)
}

// Raw keeps any value as it is written, null included.
func Raw(name string, p *json.RawMessage) Field {
	f := Field{name: name, read: func(tok []byte) error {
		*p = bytes.Clone(tok)
		return nil
	}}
	if *p != nil {
		f.write = func(b []byte) ([]byte, error) { return Encode(b, *p) }
	}
	return f
}

// Meta is the _meta member: an object, else as if absent.
func Meta(p *json.RawMessage) Field {
	f := Raw("_meta", p)
	f.read = func(tok []byte) error {
		switch {
		case rawjson.IsObject(tok):
			*p = bytes.Clone(tok)
		case isNull(tok):
			return errUnset
		}
		return nil
	}
	return f
}

// PatchMeta is _meta in an update that patches: null clears it and is kept.
func PatchMeta(p *json.RawMessage) Field {
	f := Raw("_meta", p)
	f.read = func(tok []byte) error {
		if rawjson.IsObject(tok) || isNull(tok) {
			*p = bytes.Clone(tok)
		}
		return nil
	}
	return f
}

// Rest keeps what no other field takes.
func Rest(p *Members) Field { return Field{rest: p} }

// Const is a member that has one value: the discriminator of a variant.
func Const(name, value string) Field {
	return Field{
		name: name, must: true,
		read: func(tok []byte) error {
			if s, ok := rawjson.String(tok); !ok || s != value {
				return Expected(strconv.Quote(value))
			}
			return nil
		},
		write: func(b []byte) ([]byte, error) { return append(b, rawjson.Quote(value)...), nil },
	}
}

// Written is a value that is written as it is, and not read.
func Written(name string, tok []byte) Field {
	return Field{name: name, write: func(b []byte) ([]byte, error) { return append(b, tok...), nil }}
}

// A Mode says what the reader of a list forgives.
type Mode uint8

// The modes of lists, which go together.
const (
	SkipBad   Mode = 1 << iota // an element that is wrong is dropped alone
	SoftList                   // a list that is wrong or null is as if absent
	NullEmpty                  // null is as if absent, all else is strict
	Required                   // the list must be there; a nil one is written as []
)

// List is an array. A nil list is absent, an empty one is not.
func List[T any](name string, p *[]T, read Reader[T], mode Mode) Field {
	f := Field{name: name, must: mode&Required != 0}
	f.read = func(tok []byte) error {
		if isNull(tok) && mode&(SoftList|NullEmpty) != 0 {
			return errUnset
		}
		l, err := ReadList(tok, read, mode&SkipBad != 0)
		if err != nil && mode&SoftList != 0 {
			return nil
		}
		*p = l
		return err
	}
	if *p != nil || mode&Required != 0 {
		f.write = func(b []byte) ([]byte, error) { return EncodeList(b, *p) }
	}
	return f
}

// Map is an object whose names are free. They keep their order, and a nil one is
// absent. With must it has to be there.
func Map[T any](name string, p *[]Named[T], read Reader[T], must bool) Field {
	f := Field{name: name, must: must, read: func(tok []byte) error {
		if isNull(tok) && !must {
			return errUnset
		}
		var all Members
		if err := Read(tok, []Field{Rest(&all)}); err != nil {
			return err
		}
		l := []Named[T]{}
		for _, m := range all {
			v, err := read(m.Value)
			if err != nil {
				return At(m.Name, err)
			}
			l = append(l, Named[T]{m.Name, v})
		}
		*p = l
		return nil
	}}
	if *p != nil || must {
		f.write = func(b []byte) ([]byte, error) {
			b = append(b, '{')
			for _, m := range *p {
				b = append(append(comma(b), rawjson.Quote(m.Name)...), ':')
				var err error
				if b, err = Encode(b, m.Value); err != nil {
					return nil, At(m.Name, err)
				}
			}
			return append(b, '}'), nil
		}
	}
	return f
}

// forgiving has anything wrong be as if absent.
func forgiving(f Field) Field {
	strict := f.read
	f.read = func(tok []byte) error {
		if err := strict(tok); err == errUnset {
			return err
		}
		return nil
	}
	return f
}
