// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import "fmt"

// The error codes that ACP version 2 uses.
const (
	CodeParse              = -32700 // the line is not JSON
	CodeInvalidRequest     = -32600 // JSON, but no message
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeCancelled          = -32800 // the request was cancelled before it took effect
	CodeAuthRequired       = -32000
	CodeNotFound           = -32002 // a resource or a session is not there
	CodeUnsupportedVersion = -32022
)

// An Error is the error member of a response.
type Error struct {
	Code    int
	Message string
	Data    []byte // raw JSON, nil when there is none
}

// Errorf makes an Error of a code and a formatted message.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// A LineTooLongError says that a line went over the reader's limit. The reader
// has dropped that line, at bounded memory, and goes on with the next one.
type LineTooLongError struct {
	Limit int // bytes a line may have

	// What the start of the line said of itself, as far as it could be read:
	// a peer that waits for this message can then be told what became of it.
	ID     ID
	Method string
}

func (e *LineTooLongError) Error() string {
	return fmt.Sprintf("a line is longer than %d MiB (%d bytes), the limit for one message; it was dropped", e.Limit>>20, e.Limit)
}
