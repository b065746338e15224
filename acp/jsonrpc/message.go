// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"strconv"
	"strings"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// Kind says what sort of message a line is.
type Kind uint8

// The kinds of messages.
const (
	Invalid      Kind = iota // no message; Problem says why
	Request                  // has an id and a method
	Notification             // has a method
	Response                 // has an id, and a result or an error
)

func (k Kind) String() string {
	return [...]string{"invalid", "request", "notification", "response"}[k]
}

// An ID is the token of a message's id, exactly as it stood on the wire: 7 and
// "7" are two ids. The zero ID is none; the token null occurs only in an error
// response to a message that could not be read.
type ID string

// Plain is the spelling by which ids are compared: the same string may be written
// with other escapes by whoever repeats it.
func (id ID) Plain() ID {
	if id == "-0" {
		return "0"
	}
	if strings.Contains(string(id), `\`) {
		if s, ok := rawjson.String([]byte(id)); ok {
			return ID(rawjson.Quote(s))
		}
	}
	return id
}

// Answers reports whether an answer with this id is one to a request. Agents that
// read numbers as floating point round a large one: theirs is what it would be
// without us.
func (id ID) Answers(request ID) bool {
	a, b := id.Plain(), request.Plain()
	if a == b {
		return true
	}
	if !mayBeRounded(a) || !mayBeRounded(b) {
		return false
	}
	x, errX := strconv.ParseFloat(string(a), 64)
	y, errY := strconv.ParseFloat(string(b), 64)
	return errX == nil && errY == nil && x == y
}

func mayBeRounded(id ID) bool { return len(id) >= len("9007199254740992") && id[0] != '"' }

// AnswerKey is the plain id under which the request that an answer is to stands
// in open, and that of the answer when there is none.
func AnswerKey[V any](open map[ID]V, answer ID) ID {
	key := answer.Plain()
	if _, ok := open[key]; ok || !mayBeRounded(key) {
		return key
	}
	for other := range open {
		if answer.Answers(other) {
			return other
		}
	}
	return key
}

// NullID is the id of an error response to an unreadable message.
const NullID ID = "null"

// A Message is one line of the wire and what a scan of its envelope found. The
// content is checked to be JSON, and not decoded.
//
// A Message is a view: Raw, and what Params, Result and ErrorValue return, are
// valid as long as whoever made the Message says. The strings are copies.
type Message struct {
	Raw    []byte // the line without its line end
	Kind   Kind
	ID     ID
	Method string

	// SessionID is params.sessionId (in a response: result.sessionId), empty
	// when that is no string.
	SessionID string
	// Variant is params.update.sessionUpdate, empty when that is no string.
	Variant string

	// Problem is what the sender of an invalid message is to be told.
	Problem *Error

	params, result, err span
	owned               bool // Raw is not reused by the reader
}

type span struct{ from, to int }

func (s span) of(b []byte) []byte {
	if s.to == 0 {
		return nil
	}
	return b[s.from:s.to]
}

// Params is the token of the params member, nil when there is none.
func (m *Message) Params() []byte { return m.params.of(m.Raw) }

// Result is the token of the result member, nil when there is none.
func (m *Message) Result() []byte { return m.result.of(m.Raw) }

// ErrorValue is the token of the error member, nil when there is none.
func (m *Message) ErrorValue() []byte { return m.err.of(m.Raw) }

// WithParams is the message with other params, all else as it was.
func (m *Message) WithParams(params []byte) Message { return m.with(m.params, params) }

// WithResult is the message with another result, all else as it was.
func (m *Message) WithResult(result []byte) Message { return m.with(m.result, result) }

func (m *Message) with(s span, value []byte) Message {
	raw := make([]byte, 0, len(m.Raw)-(s.to-s.from)+len(value))
	raw = append(raw, m.Raw[:s.from]...)
	raw = append(raw, value...)
	raw = append(raw, m.Raw[s.to:]...)
	out := Scan(raw)
	out.owned = true
	return out
}

// Clone is a copy of the message whose memory is its own.
func (m Message) Clone() Message {
	if !m.owned {
		m.Raw = append([]byte(nil), m.Raw...)
		m.owned = true
	}
	return m
}
