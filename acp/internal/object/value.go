// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A Reader reads one value. The readers below are those of the kinds of JSON;
// a union has one of its own, since an interface cannot read itself.
type Reader[T any] = func(tok []byte) (T, error)

// String reads a text.
func String(tok []byte) (string, error) {
	s, ok := rawjson.String(tok)
	if !ok {
		return "", Expected("a string")
	}
	return s, nil
}

// Bool reads true or false.
func Bool(tok []byte) (bool, error) {
	switch string(tok) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, &FieldError{Reason: "not a boolean"}
}

// Int reads a whole number that T can hold.
func Int[T int | int32 | int64 | uint16 | uint32 | uint64](tok []byte) (T, error) {
	var v T
	if err := jsonv2.Unmarshal(tok, &v); err != nil || isNull(tok) {
		return 0, &FieldError{Reason: "not a whole number in range"}
	}
	return v, nil
}

// Float reads a number.
func Float(tok []byte) (float64, error) {
	var v float64
	if err := jsonv2.Unmarshal(tok, &v); err != nil || isNull(tok) {
		return 0, &FieldError{Reason: "not a number"}
	}
	return v, nil
}

// Any takes a value as it is written.
func Any(tok []byte) (json.RawMessage, error) { return bytes.Clone(tok), nil }

// Struct reads a value of a type that reads itself.
func Struct[T any, P interface {
	*T
	json.Unmarshaler
}](tok []byte) (T, error) {
	var v T
	err := P(&v).UnmarshalJSON(tok)
	return v, err
}

// Encode writes one value.
func Encode(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return nil, Expected("a value, not nil")
	case string:
		return append(b, rawjson.Quote(v)...), nil
	case json.RawMessage:
		if !rawjson.Valid(v) {
			return nil, Expected("raw JSON")
		}
		return append(b, OneLine(v)...), nil
	case json.Marshaler:
		out, err := v.MarshalJSON()
		return append(b, out...), err
	}
	out, err := jsonv2.Marshal(v, jsontext.AllowInvalidUTF8(true))
	return append(b, out...), err
}

// ReadList reads an array. With skip an element that is wrong is dropped alone.
func ReadList[T any](tok []byte, read Reader[T], skip bool) ([]T, error) {
	if !rawjson.IsArray(tok) {
		return nil, Expected("an array")
	}
	l := []T{}
	for i, e := range rawjson.Elements(tok) {
		switch v, err := read(e.Value); {
		case err == nil:
			l = append(l, v)
		case !skip:
			return nil, AtIndex(i, err)
		}
	}
	return l, nil
}

// EncodeList writes an array.
func EncodeList[T any](b []byte, l []T) ([]byte, error) {
	b = append(b, '[')
	for i, v := range l {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = Encode(b, v); err != nil {
			return nil, AtIndex(i, err)
		}
	}
	return append(b, ']'), nil
}
