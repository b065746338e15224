// SPDX-License-Identifier: Apache-2.0

package rawjson

import (
	"errors"
	"iter"
)

// A Member is one name and value of an object, as spans of the object's text.
type Member struct {
	Key   []byte // the name's value, unescaped; may share memory with the text
	Value []byte // the value's token, as it was written
	Start int    // where the name's token starts in the object's text
	At    int    // where the value's token starts
}

// End is where the value's token ends in the object's text.
func (m Member) End() int { return m.At + len(m.Value) }

// Open steps into the object that starts at b[i] == '{'. It returns where the
// first name starts, or with empty the index behind the object.
func Open(b []byte, i int) (next int, empty bool) {
	i = SkipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, true
	}
	return i, false
}

// Key reads the name that starts at b[i] and returns its value, unescaped, and
// where the value behind it starts.
func Key(b []byte, i int) (key []byte, at int, err error) {
	if i >= len(b) || b[i] != '"' {
		i, err = fail(i, "expected a name in quotes")
		return nil, i, err
	}
	end, escaped, err := skipText(b, i)
	if err != nil {
		return nil, end, err
	}
	if key = b[i+1 : end-1]; escaped {
		key = Text(b[i:end])
	}
	if i = SkipSpace(b, end); i >= len(b) || b[i] != ':' {
		i, err = fail(i, "expected ':'")
		return nil, i, err
	}
	if i = SkipSpace(b, i+1); i >= len(b) {
		i, err = fail(i, "a value is missing")
		return nil, i, err
	}
	return key, i, nil
}

// Next goes on behind a value of an object that ends at i: to where the next
// name starts, or with last to the index behind the object.
func Next(b []byte, i int) (next int, last bool, err error) {
	if i = SkipSpace(b, i); i >= len(b) {
		i, err = fail(i, "an object is not closed")
		return i, false, err
	}
	switch b[i] {
	case ',':
		return SkipSpace(b, i+1), false, nil
	case '}':
		return i + 1, true, nil
	}
	i, err = fail(i, "expected ',' or '}'")
	return i, false, err
}

// Walk reads the object that starts at b[i] == '{', checking it as [Skip] does,
// and returns the index behind it. For each member it calls f with the name's
// value, where the name's token starts and where the value starts; f returns
// where the value ends, which [Skip] tells when f has no use for it.
func Walk(b []byte, i int, f func(key []byte, start, at int) (int, error)) (int, error) {
	i, last := Open(b, i)
	for !last {
		key, at, err := Key(b, i)
		if err != nil {
			return at, err
		}
		if i, err = f(key, i, at); err != nil {
			return i, err
		}
		if i, last, err = Next(b, i); err != nil {
			return i, err
		}
	}
	return i, nil
}

// Members walks over an object's members in their order. obj must be an object
// that [Skip] has accepted; of anything else there are no members.
func Members(obj []byte) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		if !IsObject(obj) {
			return
		}
		_, _ = Walk(obj, 0, func(key []byte, start, at int) (int, error) {
			end, err := Skip(obj, at)
			if err == nil && !yield(Member{Key: key, Value: obj[at:end], Start: start, At: at}) {
				err = errStop
			}
			return end, err
		})
	}
}

var errStop = errors.New("the walk was ended")

// An Element is one value of an array.
type Element struct {
	Value []byte // the value's token, as it was written
	At    int    // where it starts in the array's text
}

// Elements walks over an array's values in their order. arr must be an array
// that [Skip] has accepted; of anything else there are no elements.
func Elements(arr []byte) iter.Seq2[int, Element] {
	return func(yield func(int, Element) bool) {
		if !IsArray(arr) {
			return
		}
		i := SkipSpace(arr, 1)
		for n := 0; i < len(arr) && arr[i] != ']'; n++ {
			end, err := Skip(arr, i)
			if err != nil || !yield(n, Element{Value: arr[i:end], At: i}) {
				return
			}
			if i = SkipSpace(arr, end); i < len(arr) && arr[i] == ',' {
				i = SkipSpace(arr, i+1)
			}
		}
	}
}

// Get follows names from object to object and returns the value's token, nil
// when one of them is missing or stands in something that is no object. Where a
// name stands twice the last one counts, as with most parsers.
func Get(obj []byte, path ...string) []byte {
	for _, name := range path {
		var found []byte
		for m := range Members(obj) {
			if string(m.Key) == name {
				found = m.Value
			}
		}
		if obj = found; obj == nil {
			return nil
		}
	}
	return obj
}

// GetString is the text of the string at path. ok is false when there is none.
func GetString(obj []byte, path ...string) (s string, ok bool) { return String(Get(obj, path...)) }

// HasDuplicate reports whether an object has the same name twice, and which.
// Names are compared unescaped.
func HasDuplicate(obj []byte) (name string, dup bool) {
	seen := make(map[string]bool)
	for m := range Members(obj) {
		if seen[string(m.Key)] {
			return string(m.Key), true
		}
		seen[string(m.Key)] = true
	}
	return "", false
}

// Values are the elements of an array, as parts of its text. What is no array
// has none.
func Values(arr []byte) [][]byte {
	var out [][]byte
	for _, e := range Elements(arr) {
		out = append(out, e.Value)
	}
	return out
}
