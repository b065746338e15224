// SPDX-License-Identifier: Apache-2.0

package rawjson

// Set returns a copy of obj in which the value at path is value. What is not on
// the path keeps its bytes and its place. A name that is missing is added at
// the end of its object, and so are the objects on the way to it; a value on
// the way that is no object is replaced by one.
func Set(obj, value []byte, path ...string) []byte {
	if len(path) == 0 {
		return append([]byte(nil), value...)
	}
	if !IsObject(obj) {
		obj = []byte("{}")
	}
	at, end, members := 0, 0, 0
	for m := range Members(obj) {
		members++
		if string(m.Key) == path[0] {
			at, end = m.At, m.End()
		}
	}
	if at > 0 {
		return Splice(obj, at, end, Set(obj[at:end], value, path[1:]...))
	}
	last := len(obj) - 1 // the closing brace
	add := append(Quote(path[0]), ':')
	add = append(add, Set(nil, value, path[1:]...)...)
	if members > 0 {
		add = append([]byte{','}, add...)
	}
	return Splice(obj, last, last, add)
}

// Delete returns a copy of obj without the member at path, or obj itself when
// there is none.
func Delete(obj []byte, path ...string) []byte {
	if len(path) == 0 || !IsObject(obj) {
		return obj
	}
	var found, next Member
	var have, haveNext bool
	prevEnd := -1
	lastEnd := -1
	for m := range Members(obj) {
		if have && !haveNext {
			next, haveNext = m, true
		}
		if string(m.Key) == path[0] {
			found, have, haveNext, prevEnd = m, true, false, lastEnd
		}
		lastEnd = m.End()
	}
	switch {
	case !have:
		return obj
	case len(path) > 1:
		return Splice(obj, found.At, found.End(), Delete(found.Value, path[1:]...))
	case haveNext:
		return Splice(obj, found.Start, next.Start, nil)
	case prevEnd >= 0:
		return Splice(obj, prevEnd, found.End(), nil)
	default:
		return Splice(obj, found.Start, found.End(), nil)
	}
}

// Splice returns a copy of b in which b[from:to] is replaced by with.
func Splice(b []byte, from, to int, with []byte) []byte {
	out := make([]byte, 0, len(b)-(to-from)+len(with))
	out = append(out, b[:from]...)
	out = append(out, with...)
	return append(out, b[to:]...)
}

// Array writes tokens as an array.
func Array(tokens [][]byte) []byte {
	n := 2
	for _, t := range tokens {
		n += len(t) + 1
	}
	out := append(make([]byte, 0, n), '[')
	for i, t := range tokens {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, t...)
	}
	return append(out, ']')
}
