// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"strconv"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// EncodeRequest writes a request as one line without its line end. params is
// raw JSON on one line, or nil.
func EncodeRequest(id ID, method string, params []byte) []byte {
	return encodeCall([]byte(`{"jsonrpc":"2.0","id":`+string(id)+`,`), method, params)
}

// EncodeNotification writes a notification, as EncodeRequest does.
func EncodeNotification(method string, params []byte) []byte {
	return encodeCall([]byte(`{"jsonrpc":"2.0",`), method, params)
}

func encodeCall(line []byte, method string, params []byte) []byte {
	line = append(line, `"method":`...)
	line = append(line, rawjson.Quote(method)...)
	if params != nil {
		line = append(line, `,"params":`...)
		line = append(line, params...)
	}
	return append(line, '}')
}

// EncodeResult writes the response that answers id with a result.
func EncodeResult(id ID, result []byte) []byte {
	if result == nil {
		result = []byte("null")
	}
	line := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	line = append(line, `,"result":`...)
	line = append(line, result...)
	return append(line, '}')
}

// EncodeError writes the response that answers id with an error. An empty id is
// written as null: the message that failed could not be read.
func EncodeError(id ID, e *Error) []byte {
	if id == "" {
		id = NullID
	}
	line := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	line = append(line, `,"error":{"code":`...)
	line = strconv.AppendInt(line, int64(e.Code), 10)
	line = append(line, `,"message":`...)
	line = append(line, rawjson.Quote(e.Message)...)
	if e.Data != nil {
		line = append(line, `,"data":`...)
		line = append(line, e.Data...)
	}
	return append(line, "}}"...)
}
