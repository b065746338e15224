// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"bytes"
	"errors"
	"slices"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// agentList handles a list that the agent sends on its own. The disk is looked
// at again before it is woven: an agent sends a list when something changed. One
// that it has sent before says nothing of the kind: some agents send theirs to
// every open session whenever there is a new one.
func (s *Stage) agentList(sess *session, m jsonrpc.Message) {
	list := rawjson.Get(m.Params(), "update", "availableCommands")
	if sess.watch == nil || sess.hasList && hashList(list) == sess.agentHash {
		s.weave(sess, m)
		return
	}
	m = m.Clone()
	w := sess.watch
	sess.gate++
	s.aside(func() {
		s.refresh(w)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.weave(sess, m)
		s.lowerGate(sess)
	})
}

func (s *Stage) refresh(w *watch) {
	_, err := w.cat.Refresh(s.ctx)
	// A closed catalog is that of a session that ends, which is no news.
	if err != nil && s.ctx.Err() == nil && !errors.Is(err, catalog.ErrClosed) {
		s.opts.Log.Warn("the session's folders could not be read again", "error", err)
	}
}

// weave takes over the agent's list in m and sends it on with our skills in it,
// unless the client has that list already.
func (s *Stage) weave(sess *session, m jsonrpc.Message) {
	list := rawjson.Get(m.Params(), "update", "availableCommands")
	if !rawjson.IsArray(list) {
		s.opts.ToClient(m) // malformed, and not ours to judge
		return
	}
	s.takeList(sess, list)
	merged := s.merge(sess)
	meta := rawjson.Get(m.Params(), "update", "_meta")
	same := !rawjson.IsObject(meta) || hashList(meta) == sess.sentMeta
	if merged.hash == sess.sent && same && !sess.again {
		return
	}
	if sess.sent, sess.again = merged.hash, false; !same {
		sess.sentMeta = hashList(meta) // some agents say there what the entries cannot
	}
	if !sameEntries(merged.list, list) {
		m = m.WithParams(rawjson.Set(m.Params(), merged.list, "update", "availableCommands"))
	}
	s.opts.ToClient(m)
}

// diskChanged is called by the catalog of a session when something that matters
// is another than before (DSC-9).
func (s *Stage) diskChanged(sess *session, w *watch) {
	s.mu.Lock()
	if s.sessions[sess.id] == sess && sess.watch == w && sess.ready {
		s.sendList(sess, false)
	}
	s.mu.Unlock()
	if s.opts.Flush != nil {
		s.opts.Flush()
	}
}

// sendList sends the client the session's list if it has another one, or asks
// for it again (ACP-A8).
func (s *Stage) sendList(sess *session, again bool) {
	merged := s.merge(sess)
	same := merged.hash == sess.sent
	if same && !again || (same || sess.sent == (listHash{})) && !sess.hasList && string(merged.list) == "[]" {
		return
	}
	sess.sent, sess.again = merged.hash, false
	params := append([]byte(`{"sessionId":`), rawjson.Quote(sess.id)...)
	params = append(params, `,"update":{"sessionUpdate":"available_commands_update","availableCommands":`...)
	params = append(params, merged.list...)
	params = append(params, "}}"...)
	s.reply(jsonrpc.EncodeNotification("session/update", params))
}

// sameEntries reports whether two lists have the same entries, byte for byte. A
// list to which nothing was added keeps the agent's own white space (PXY-1).
func sameEntries(a, b []byte) bool {
	return bytes.Equal(a, b) || slices.EqualFunc(rawjson.Values(a), rawjson.Values(b), slices.Equal[[]byte])
}

// takeList remembers the agent's entries, as they came. With the first one the
// names are given for good, where the agent could not have said its own before.
func (s *Stage) takeList(sess *session, list []byte) {
	if !sess.hasList && !sess.used && s.conn.dialect.listsLater() {
		sess.woven = nil
	}
	sess.hasList = true
	hash := hashList(list)
	if hash == sess.agentHash {
		return
	}
	sess.agent, sess.agentHash = rawjson.Values(bytes.Clone(list)), hash
}
