// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"bytes"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// maxEarly is how many lists of unknown sessions are remembered.
const maxEarly = 64

// earlySession is the session that a list belongs to which comes before the
// response that makes it (C01). While one setup alone is under way the list is
// of that one. With several nobody can say which: the list goes on as the agent
// sent it, and is remembered until the responses have come.
func (s *Stage) earlySession(m jsonrpc.Message) *session {
	id := m.SessionID
	var only *setup
	several := false
	for _, su := range s.setups {
		if su.kind == opensKnown || su.sess != nil {
			continue
		}
		several = only != nil
		only = su
		if several {
			break
		}
	}
	if only == nil || id == "" {
		return nil
	}
	if several {
		list := rawjson.Get(m.Params(), "update", "availableCommands")
		if _, have := s.early[id]; rawjson.IsArray(list) && (have || len(s.early) < maxEarly) {
			s.early[id] = bytes.Clone(list)
		}
		return nil
	}
	sess := s.newSession(id)
	s.sessions[id] = sess
	only.sess, only.created = sess, true
	if only.loaded {
		s.adopt(sess, only)
	} else {
		s.raiseGate(only)
	}
	return sess
}

// unknownList is a list of a session that nobody here knows, as the client gets
// it.
func (s *Stage) unknownList(m jsonrpc.Message) jsonrpc.Message {
	list := rawjson.Get(m.Params(), "update", "availableCommands")
	if !rawjson.IsArray(list) {
		return m
	}
	shown := s.withoutOurs(list)
	if sameEntries(shown, list) {
		return m
	}
	return m.WithParams(rawjson.Set(m.Params(), shown, "update", "availableCommands"))
}

// withoutOurs is a list as the client gets it when there are no skills of ours:
// without skills for a client that knows none (ACP-A1), and with each name once.
func (s *Stage) withoutOurs(list []byte) []byte {
	return s.newWeaver(&session{}).weave(rawjson.Values(list), nil).list
}

// takeEarly gives a new session the list that came for it before anybody could
// say so. The client has it.
func (s *Stage) takeEarly(sess *session) {
	list, ok := s.early[sess.id]
	if !ok {
		return
	}
	delete(s.early, sess.id)
	s.takeList(sess, list)
	sess.sent = hashList(s.withoutOurs(list))
}

// mistaken takes back that an early list was of the setup's session: the answer
// names another one. What waited for it goes on, as that of a session that
// nobody here has set up.
func (s *Stage) mistaken(su *setup) {
	wrong := su.sess
	su.sess = nil
	if su.gated {
		su.gated = false
		s.lowerGate(wrong)
	}
	if !su.created {
		return
	}
	su.created = false
	s.endHeld(wrong)
	delete(s.sessions, wrong.id)
	wrong.watch = nil // it is the setup's, and goes to the right session
}

// endSetup forgets a setup that was answered. Lists that nobody asked for by
// then are of no session.
func (s *Stage) endSetup(id jsonrpc.ID) {
	if delete(s.setups, id); len(s.setups) == 0 {
		clear(s.early)
	}
}
