// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"encoding/json"

	"github.com/skillgraft/skillgraft/acp/internal/object"
)

// Members are what an object holds beside the fields of its type, in the order
// of the wire: members that this package does not know, and values of those it
// knows which say no more than that a field is unset, such as null. They are
// written again behind the fields, save those whose field is set, so that a
// value that is read and sent on loses nothing.
//
// Get returns the value of a member, and Equal compares two of them, in whatever
// order they are.
type Members = object.Members

// A Member is one of [Members]: a Name, and a Value as it was written.
type Member = object.Member

// A Named is a Name and a Value of an object whose names are free, such as the
// headers of a request. Lists of them keep the order of the wire.
type Named[T any] = object.Named[T]

// A FieldError says where a value does not have the shape that the protocol
// gives it: a Path as in prompt[2].name, and a Reason.
type FieldError = object.FieldError

// A Patch is a field of an update that says one of three things: leave the
// value as it is (the zero Patch, omitted on the wire), clear it ([Clear], null
// on the wire), or replace it ([Set]).
//
// Get returns the new value if there is one, Clears and IsZero report the two
// other states, and Apply makes the new value of the old one.
type Patch[T any] = object.Patch[T]

// Set is the [Patch] that replaces a value.
func Set[T any](v T) Patch[T] { return object.Set(v) }

// Clear is the [Patch] that clears a value.
func Clear[T any]() Patch[T] { return object.Clear[T]() }

// MetaValue reads the value that stands under key in a _meta object. ok is
// false when there is none, or it does not fit into v.
func MetaValue(meta json.RawMessage, key string, v any) (ok bool) {
	var all map[string]json.RawMessage
	if json.Unmarshal(meta, &all) != nil || all[key] == nil {
		return false
	}
	return json.Unmarshal(all[key], v) == nil
}
