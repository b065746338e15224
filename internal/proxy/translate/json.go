// SPDX-License-Identifier: Apache-2.0

package translate

import "github.com/skillgraft/skillgraft/internal/rawjson"

// object writes a JSON object.
type object struct{ b []byte }

// put adds a member; a nil value adds nothing.
func (o *object) put(name string, value []byte) {
	if value == nil {
		return
	}
	if o.b == nil {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ',')
	}
	o.b = append(append(o.b, rawjson.Quote(name)...), ':')
	o.b = append(o.b, value...)
}

func (o *object) text(name, value string) { o.put(name, rawjson.Quote(value)) }

// meta adds the _meta of another object.
func (o *object) meta(from []byte) { o.put("_meta", objectAt(from, "_meta")) }

// empty reports whether nothing was added.
func (o *object) empty() bool { return o.b == nil }

// bytes is the object. Nothing may be added to it any more.
func (o *object) bytes() []byte {
	if o.b == nil {
		return []byte("{}")
	}
	return append(o.b, '}')
}

// field is a member of an object that is written at once. One without a value is
// left out.
type field struct {
	name  string
	value []byte
}

func textField(name, value string) field { return field{name, rawjson.Quote(value)} }

// objectOf writes an object.
func objectOf(fields ...field) []byte {
	var o object
	for _, f := range fields {
		o.put(f.name, f.value)
	}
	return o.bytes()
}

// objectAt is the object at path; nil when there is none. Missing, null and
// anything else mean no, as with every capability of version 2.
func objectAt(obj []byte, path ...string) []byte {
	if v := rawjson.Get(obj, path...); rawjson.IsObject(v) {
		return v
	}
	return nil
}

// rename gives a member of an object another name, and leaves all else as it is.
// An object that has the new name already stays so.
func rename(obj []byte, from, to string) []byte {
	if rawjson.Get(obj, to) != nil {
		return obj
	}
	start, end := 0, 0
	for m := range rawjson.Members(obj) {
		if string(m.Key) == from {
			start = m.Start
			end, _ = rawjson.Skip(obj, m.Start)
		}
	}
	if start == 0 {
		return obj
	}
	return rawjson.Splice(obj, start, end, rawjson.Quote(to))
}
