// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bytes"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// The objects that the scan looks into. Everything deeper is only checked.
const (
	inMessage = iota // the message itself
	inPayload        // params, or result
	inUpdate         // params.update
)

// walkState is where the walk over a message stands, between two tokens.
type walkState struct {
	level   int
	seen    int  // bits of the message's members
	params  bool // the payload is params
	session bool // the payload has a sessionId
	update  bool // params has an update
	variant bool // the update has a sessionUpdate
	others  [][]byte
	problem *Error // the first thing that is wrong with the members
}

// scanner scans the lines of one stream. What it keeps of earlier lines saves
// time and changes nothing.
type scanner struct {
	lastSession string

	last   []byte // the start of the last line that was walked over
	differ int    // where the one that is walked over differs from it
	varies span   // the value of its update in which that is
	alike  alike
}

// walk reads the object that starts at i, and what is of interest inside it. err
// says that the text is no JSON; what else is wrong is in the state.
func (s *scanner) walk(m *Message, i int) (st walkState, end int, err error) {
	b := m.Raw
	if i >= len(b) {
		return st, i, &rawjson.SyntaxError{Offset: i, Reason: "the line is empty"}
	}
	i, last := rawjson.Open(b, i)
	if last {
		return st, i, nil
	}
	for {
		key, at, err := rawjson.Key(b, i)
		if err != nil {
			return st, at, err
		}
		if i, last, err = s.member(m, &st, key, at); err != nil {
			return st, i, err
		}
		if !last { // the value was walked over, or was empty
			i, last, err = s.next(m, &st, i)
		} else {
			last = false // the walk is inside the value now
		}
		if err != nil || last {
			return st, i, err
		}
	}
}

// next goes on behind a value, out of the objects that end there. last means
// that the message has ended.
func (s *scanner) next(m *Message, st *walkState, i int) (next int, last bool, err error) {
	for {
		next, closed, err := rawjson.Next(m.Raw, i)
		if err != nil || !closed {
			return next, false, err
		}
		switch st.level {
		case inMessage:
			return next, true, nil
		case inPayload:
			if st.params {
				m.params.to = next
			} else {
				m.result.to = next
			}
		}
		st.level--
		i = next
	}
}

// member handles the member whose value starts at at. inside means that the walk
// stepped into the value, whose first name starts at next; else the value ends
// there.
func (s *scanner) member(m *Message, st *walkState, key []byte, at int) (next int, inside bool, err error) {
	switch st.level {
	case inPayload:
		return s.inPayload(m, st, key, at)
	case inUpdate:
		return s.inUpdate(m, st, key, at)
	}
	bit := envelopeBit(key)
	switch {
	case bit == 0:
		for _, k := range st.others {
			if bytes.Equal(k, key) {
				st.wrong(duplicate("the message", key))
			}
		}
		st.others = append(st.others, key)
	case st.seen&bit != 0:
		st.wrong(duplicate("the message", key))
		if bit == seenID {
			st.seen |= seenTwoIDs
		}
	}
	st.seen |= bit
	if (bit == seenParams || bit == seenResult) && m.Raw[at] == '{' {
		st.params, st.session, st.update = bit == seenParams, false, false
		if next, empty := rawjson.Open(m.Raw, at); !empty {
			st.level = inPayload
			if st.params {
				m.params = span{at, at}
			} else {
				m.result = span{at, at}
			}
			return next, true, nil
		}
	}
	if next, err = rawjson.Skip(m.Raw, at); err == nil {
		st.take(m, bit, at, next)
	}
	return next, false, err
}

// take notes a value of the message.
func (st *walkState) take(m *Message, bit, at, end int) {
	tok := m.Raw[at:end]
	switch bit {
	case seenVersion:
		if !rawjson.IsString(tok) || string(rawjson.Text(tok)) != "2.0" {
			st.wrong(Errorf(CodeInvalidRequest, `"jsonrpc" has to be "2.0"`))
		}
	case seenID:
		m.ID = ID(tok)
	case seenMethod:
		if !rawjson.IsString(tok) {
			st.wrong(Errorf(CodeInvalidRequest, "a method is a string"))
			return
		}
		m.Method = known(rawjson.Text(tok))
	case seenParams:
		m.params = span{at, end}
	case seenResult:
		m.result = span{at, end}
	case seenError:
		m.err = span{at, end}
	}
}

func (s *scanner) inPayload(m *Message, st *walkState, key []byte, at int) (next int, inside bool, err error) {
	switch {
	case string(key) == "sessionId":
		if st.session {
			st.wrong(duplicate("the payload", key))
		}
		st.session = true
		if next, err = rawjson.Skip(m.Raw, at); err == nil && m.Raw[at] == '"' {
			m.SessionID = s.session(rawjson.Text(m.Raw[at:next]))
		}
		return next, false, err
	case st.params && string(key) == "update":
		if st.update {
			st.wrong(duplicate("the payload", key))
		}
		st.update, st.variant = true, false
		if m.Raw[at] == '{' {
			if next, empty := rawjson.Open(m.Raw, at); !empty {
				st.level = inUpdate
				return next, true, nil
			}
		}
	}
	next, err = rawjson.Skip(m.Raw, at)
	return next, false, err
}

func (s *scanner) inUpdate(m *Message, st *walkState, key []byte, at int) (next int, inside bool, err error) {
	if string(key) != "sessionUpdate" {
		if next, err = rawjson.Skip(m.Raw, at); at <= s.differ && s.differ < next {
			s.varies = span{at, next}
		}
		return next, false, err
	}
	if st.variant {
		st.wrong(duplicate("the update", key))
	}
	st.variant = true
	if next, err = rawjson.Skip(m.Raw, at); err == nil && m.Raw[at] == '"' {
		m.Variant = known(rawjson.Text(m.Raw[at:next]))
	}
	return next, false, err
}

func (st *walkState) wrong(p *Error) {
	if st.problem == nil {
		st.problem = p
	}
}

func (s *scanner) session(text []byte) string {
	if string(text) != s.lastSession {
		s.lastSession = string(text)
	}
	return s.lastSession
}
