// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"fmt"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// Scan reads the envelope of one line and checks that the whole line is JSON.
// The Message refers to line. It is safe for concurrent use; a [Reader] saves
// the copies of strings that come again and again.
//
// A line whose envelope has a name twice is refused, and so is one with two
// sessionIds in its params: parsers differ in which of the two they take, and
// whoever checks a message has to read the same one as whoever acts on it.
func Scan(line []byte) Message {
	var m Message
	new(scanner).scan(&m, line)
	return m
}

// The members of an envelope, as bits of what was seen.
const (
	seenVersion = 1 << iota
	seenID
	seenMethod
	seenParams
	seenResult
	seenError
	seenTwoIDs
)

// scan is Scan into m, which holds what the last call left there.
func (s *scanner) scan(m *Message, line []byte) {
	if s.alike.take(m, line) {
		return
	}
	s.alike.head = nil
	*m = Message{Raw: line}
	i := rawjson.SkipSpace(line, 0)
	if i < len(line) && line[i] != '{' {
		*m = notAnObject(*m, i)
		return
	}
	s.differ, s.varies = firstDifference(s.last, line), span{}
	st, i, err := s.walk(m, i)
	if err == nil && rawjson.SkipSpace(line, i) != len(line) {
		err = &rawjson.SyntaxError{Offset: i, Reason: "more text follows the message"}
	}
	switch {
	case err != nil:
		m.Problem = Errorf(CodeParse, "%v", err)
		m.ID = ""
	case st.problem != nil:
		m.Problem = st.problem
		if st.seen&seenTwoIDs != 0 || !validID(m.ID) {
			m.ID = "" // only an id that is certain can be answered
		}
	default:
		m.Kind, m.Problem = classify(m, st.seen)
	}
	if m.Kind == Notification && m.Variant != "" {
		if s.varies.to > 0 {
			s.alike.learn(m, s.differ, s.varies)
		}
		s.last = append(s.last[:0], line[:min(len(line), maxAlike)]...)
	}
}

func notAnObject(m Message, i int) Message {
	switch {
	case !rawjson.Valid(m.Raw):
		m.Problem = Errorf(CodeParse, "the line is not JSON")
	case m.Raw[i] == '[':
		m.Problem = Errorf(CodeInvalidRequest, "batches are not supported: send one message a line")
	default:
		m.Problem = Errorf(CodeInvalidRequest, "a message is a JSON object")
	}
	return m
}

func classify(m *Message, seen int) (Kind, *Error) {
	const shape = seenID | seenMethod | seenResult | seenError
	if seen&seenID != 0 && !validID(m.ID) {
		id := m.ID
		if m.ID = ""; id != NullID || seen&seenMethod != 0 || seen&seenError == 0 {
			return Invalid, Errorf(CodeInvalidRequest, "an id is an integer or a string")
		}
		m.ID = id
	}
	if seen&seenVersion == 0 {
		return Invalid, Errorf(CodeInvalidRequest, `"jsonrpc": "2.0" is missing`)
	}
	switch seen & shape {
	case seenMethod:
		return Notification, nil
	case seenID | seenMethod:
		return Request, nil
	case seenID | seenResult, seenID | seenError:
		return Response, nil
	}
	return Invalid, Errorf(CodeInvalidRequest, "a message has a method, or an id with either a result or an error")
}

// validID reports whether the token is a string or a number without a fraction
// or an exponent.
func validID(id ID) bool {
	if id == "" {
		return false
	}
	if id[0] == '"' {
		return true
	}
	for i := range len(id) {
		if c := id[i]; c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func envelopeBit(key []byte) int {
	switch string(key) {
	case "jsonrpc":
		return seenVersion
	case "id":
		return seenID
	case "method":
		return seenMethod
	case "params":
		return seenParams
	case "result":
		return seenResult
	case "error":
		return seenError
	}
	return 0
}

func duplicate(where string, key []byte) *Error {
	if len(key) > 64 {
		key = key[:64]
	}
	return &Error{Code: CodeInvalidRequest, Message: fmt.Sprintf("%s has the name %q twice", where, key)}
}
