// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	stdjson "encoding/json"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// ErrClosed says that the connection has ended. The error is a *[ClosedError],
// which says why.
var ErrClosed = errors.New("the connection is closed")

// A ClosedError is what calls and notifications end with when the connection
// has ended. It is [ErrClosed].
type ClosedError struct {
	Cause error // io.EOF when the peer closed it; nil when we did
}

func (e *ClosedError) Error() string {
	if e.Cause == nil {
		return ErrClosed.Error()
	}
	return ErrClosed.Error() + ": " + e.Cause.Error()
}

// Is makes the error an [ErrClosed].
func (e *ClosedError) Is(target error) bool { return target == ErrClosed }

// Unwrap is the cause.
func (e *ClosedError) Unwrap() error { return e.Cause }

var errNotJSON = errors.New("the raw value is not JSON on one line")

// encodeValue encodes parameters or a result. Raw JSON is passed on as it is.
func encodeValue(v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []byte:
		return rawValue(v)
	case stdjson.RawMessage:
		return rawValue(v)
	case jsontext.Value:
		return rawValue(v)
	}
	raw, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, err
	}
	return raw, nil
}

func rawValue(raw []byte) ([]byte, error) {
	if raw == nil {
		return nil, nil
	}
	for _, b := range raw {
		if b == '\n' || b == '\r' {
			return nil, errNotJSON
		}
	}
	if !rawjson.Valid(raw) {
		return nil, errNotJSON
	}
	return raw, nil
}

func decodeValue(raw []byte, v any) error {
	switch v := v.(type) {
	case nil:
		return nil
	case *[]byte:
		*v = raw
		return nil
	case *stdjson.RawMessage:
		*v = raw
		return nil
	case stdjson.Unmarshaler:
		return v.UnmarshalJSON(raw)
	}
	return json.Unmarshal(raw, v, jsontext.AllowInvalidUTF8(true))
}
