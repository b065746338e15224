// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"context"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// hold is a prompt whose skills are being read. What the client sends for the
// session meanwhile queues behind it; a cancel, other sessions and responses
// pass.
type hold struct {
	id     jsonrpc.ID
	ctx    context.Context
	cancel context.CancelFunc
}

// startHold holds the session's client side and runs work beside the loop. work
// returns what is to be done with the lock held, and what instead when the hold
// was ended before; that may be nil.
func (s *Stage) startHold(sess *session, id jsonrpc.ID, work func(context.Context) (then, instead func())) {
	h := &hold{id: id}
	h.ctx, h.cancel = context.WithCancel(s.ctx)
	sess.held = h
	s.aside(func() {
		defer h.cancel()
		then, instead := work(h.ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		if sess.held != h || s.ctx.Err() != nil {
			if instead != nil {
				instead()
			}
			return
		}
		sess.held = nil
		then()
		s.drainClient(sess)
	})
}

func (s *Stage) drainClient(sess *session) {
	for sess.held == nil {
		next, ok := sess.clientQueue.pop(s)
		if !ok {
			return
		}
		s.fromClient(sess, next.m)
	}
}

// endHeld answers the held prompt, and those behind it, as cancelled: they were
// sent before what ends them, and nothing of them has reached the agent. The
// other messages that waited go on, in their order. It reports whether anything
// was held.
func (s *Stage) endHeld(sess *session) bool {
	if sess.held == nil {
		return false
	}
	s.dropHold(sess)
	for {
		next, ok := sess.clientQueue.pop(s)
		if !ok {
			return true
		}
		if next.m.Kind == jsonrpc.Request && next.m.Method == "session/prompt" {
			s.answerCancelled(next.m.ID)
			continue
		}
		s.fromClient(sess, next.m)
	}
}

func (s *Stage) dropHold(sess *session) {
	h := sess.held
	sess.held = nil
	h.cancel()
	s.answerCancelled(h.id)
}

// cancelRequest handles a $/cancel_request. One for a request that has its answer
// is of no use to the agent, and may name one that it has never seen.
func (s *Stage) cancelRequest(m jsonrpc.Message) {
	id := jsonrpc.ID(rawjson.Get(m.Params(), "requestId")).Plain()
	if id != "" && (s.cancelHeld(id) || !s.opts.Open(id)) {
		return
	}
	s.opts.ToAgent(m)
}

// cancelHeld handles a $/cancel_request for a request that we still have. It
// reports whether there was one: a request that was forwarded is the agent's to
// cancel, under the id that it knows.
func (s *Stage) cancelHeld(id jsonrpc.ID) bool {
	for _, sess := range s.sessions {
		if sess.held == nil {
			continue
		}
		if sess.held.id.Plain() == id {
			s.dropHold(sess)
			s.drainClient(sess)
			return true
		}
		for i, q := range sess.clientQueue.items {
			if q.m.Kind == jsonrpc.Request && q.m.ID.Plain() == id {
				sess.clientQueue.bytes -= len(q.m.Raw)
				sess.clientQueue.items = append(sess.clientQueue.items[:i], sess.clientQueue.items[i+1:]...)
				s.answerCancelled(q.m.ID)
				return true
			}
		}
	}
	return false
}

func (s *Stage) answerCancelled(id jsonrpc.ID) {
	s.reply(s.conn.dialect.cancelled(id))
}

// reply sends the client a message of ours.
func (s *Stage) reply(line []byte) { s.opts.ToClient(jsonrpc.Scan(line)) }
