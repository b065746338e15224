// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"encoding/json"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// Tag reads the discriminator of a union. Everything else is left to the
// variant. It is also where a union finds out that it has no object.
func Tag(tok []byte, name string) (string, error) {
	tag, err := OptionalTag(tok, name)
	if err == nil && tag == nil {
		err = &FieldError{Path: name, Reason: "is missing"}
	}
	if err != nil {
		return "", err
	}
	return *tag, nil
}

// OptionalTag is Tag for a union with a variant that has none. It is nil then.
func OptionalTag(tok []byte, name string) (*string, error) {
	if !rawjson.IsObject(tok) {
		return nil, Expected("an object")
	}
	value := rawjson.Get(tok, name)
	if value == nil {
		return nil, nil
	}
	s, ok := rawjson.String(value)
	if !ok {
		return nil, &FieldError{Path: name, Reason: "expected a string"}
	}
	return &s, nil
}

// Trim is the token without the blanks around it, which the value of a caller
// may have.
func Trim(tok []byte) []byte { return bytes.TrimSpace(tok) }

// Variant reads tok into v, a pointer that is one of the union U. A variant that
// is malformed is an error, and never an unknown one.
func Variant[U any](tok []byte, v json.Unmarshaler) (U, error) {
	if err := v.UnmarshalJSON(tok); err != nil {
		var none U
		return none, err
	}
	return v.(U), nil
}

// Unknown checks a variant that is kept as it was written.
func Unknown[U any](tok []byte, v U) (U, error) {
	if err := Read(tok, nil); err != nil {
		var none U
		return none, err
	}
	return v, nil
}
