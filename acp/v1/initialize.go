// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/skillgraft/skillgraft/acp/internal/object"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// ProtocolVersion is what a peer has to ask for or to answer with.
const ProtocolVersion = 1

// readVersion reads the number of a version, which 16 bits can hold.
func readVersion(tok []byte) (int, error) {
	v, err := object.Int[uint16](tok)
	return int(v), err
}

// An UnsupportedError says that the peer has not advertised what was asked of
// it.
type UnsupportedError struct{ Capability string }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the peer does not support this (it did not advertise %s)", e.Capability)
}

// ErrSessionClosed says that a session can send no more.
var ErrSessionClosed = errors.New("the session is closed")

// errNoResponse is for a handler that returns neither a response nor an error.
var errNoResponse = errors.New("the handler returned no response")

// errCancelled is the cause of a context whose turn was cancelled.
var errCancelled = errors.New("the turn was cancelled")

func sessionNotFound(id string) *jsonrpc.Error {
	e := jsonrpc.Errorf(jsonrpc.CodeNotFound, "session %s is not open; create or load it first", strconv.QuoteToASCII(id))
	e.Data = append(append([]byte(`{"sessionId":`), rawjson.Quote(id)...), '}')
	return e
}

// decodeParams reads parameters; the error is the answer to the request.
func decodeParams(params []byte, v json.Unmarshaler) error {
	if params == nil {
		params = []byte("{}")
	}
	if err := v.UnmarshalJSON(params); err != nil {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%v", object.At("params", err))
	}
	return nil
}

// ask makes a call that is answered with an R.
func ask[R any](ctx context.Context, conn *jsonrpc.Conn, method string, params any) (*R, error) {
	var resp R
	if err := conn.Call(ctx, method, params, &resp); err != nil {
		return nil, err
	}
	return &resp, nil
}
