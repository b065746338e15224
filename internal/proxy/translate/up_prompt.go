// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"slices"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// An upTurn is a prompt. In version 1 its answer ends the turn; in version 2 the
// answer says that the prompt was inserted, and the end is an idle state.
//
// Version 1 does not tell when a prompt is inserted, so the first sign of work
// on it is taken for that, or that the agent has neither worked nor refused for a
// while. An error until then is a rejection, which leaves nothing (ACP-P4); one
// that comes later ends the turn.
type upTurn struct {
	call   *upCall
	params []byte
	blocks [][]byte // of the prompt, parts of params

	stop      func() // ends the timer
	accepted  bool
	output    bool // the agent has said something of its own
	asked     int  // questions to the user without an answer
	cancelled bool // the agent was told to stop
	withdrawn bool // by $/cancel_request, before it was accepted
	abandoned bool // the client waits for nothing any more
}

// maxQueued is how many prompts may wait in one session.
const maxQueued = 64

// prompt is session/prompt. One at a time goes to the agent: what it would do
// with a second one differs from agent to agent.
func (u *Up) prompt(m jsonrpc.Message) {
	if m.SessionID == "" || !rawjson.IsArray(rawjson.Get(m.Params(), "prompt")) {
		u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "session/prompt needs a sessionId and a prompt, which is an array of content blocks"))
		return
	}
	s := u.session(m.SessionID)
	if s.closed {
		e := jsonrpc.Errorf(jsonrpc.CodeNotFound, "the session is closed: resume it first")
		e.Data = objectOf(textField("sessionId", s.id))
		u.refuse(m.ID, e)
		return
	}
	if len(s.queue) >= maxQueued {
		u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeInternal, "%d prompts wait for the agent already: wait for one of them to end", maxQueued))
		return
	}
	m = m.Clone()
	t := &upTurn{call: &upCall{id: m.ID}, params: m.Params()}
	t.blocks = rawjson.Values(rawjson.Get(t.params, "prompt"))
	t.call.turn = t
	t.call.answer = func(r jsonrpc.Message) { u.turnEnded(s, t, r) }
	u.clients[m.ID.Plain()] = t.call
	s.queue = append(s.queue, t)
	u.next(s)
}

// next sends the agent the next prompt when it is ready for one.
func (u *Up) next(s *upSession) {
	if s.turn != nil || s.replay != nil || len(s.queue) == 0 {
		return
	}
	t := s.queue[0]
	s.queue = slices.Delete(s.queue, 0, 1)
	s.turn = t
	s.message = upMessage{}
	u.send(t.call, v1.MethodPrompt, t.params)
	t.stop = u.opts.After(u.opts.Patience, func() {
		u.mu.Lock()
		late := !u.closed && s.turn == t && !t.accepted && !t.abandoned
		if late {
			u.work.Add(1)
			u.accept(s, t)
		}
		u.mu.Unlock()
		if late {
			if u.opts.Flush != nil {
				u.opts.Flush()
			}
			u.work.Done()
		}
	})
}

func (t *upTurn) stopTimer() {
	if t.stop != nil {
		t.stop()
		t.stop = nil
	}
}

// accept tells the client that its prompt was inserted: that work has begun, what
// was inserted, and then the answer, as agents of version 2 do it.
func (u *Up) accept(s *upSession, t *upTurn) {
	t.accepted = true
	t.stopTimer()
	id := u.userID(s, t.blocks, s.said)
	s.state = acp.StateRunning
	u.notify(s, objectOf(textField("sessionUpdate", "state_update"), textField("state", s.state)))
	u.notify(s, objectOf(textField("sessionUpdate", "user_message"), textField("messageId", id), field{"content", rawjson.Array(t.blocks)}))
	u.reply(t.call.id, objectOf(textField("messageId", id)))
}

// workBegan notes that the agent works on the prompt.
func (u *Up) workBegan(s *upSession) {
	if t := s.turn; t != nil && !t.accepted && !t.abandoned && s.replay == nil {
		u.accept(s, t)
	}
}

// turnEnded takes the agent's answer to a prompt.
func (u *Up) turnEnded(s *upSession, t *upTurn, r jsonrpc.Message) {
	t.stopTimer()
	if s.turn != t {
		return // the session was ended, and may have been begun again
	}
	s.turn = nil
	clear(s.titles)
	if !t.abandoned {
		u.tellEnd(s, t, r)
	}
	s.message = upMessage{}
	u.next(s)
}

func (u *Up) tellEnd(s *upSession, t *upTurn, r jsonrpc.Message) {
	stop, ok := rawjson.GetString(r.Result(), "stopReason")
	switch {
	case r.Result() == nil && t.accepted:
		if t.cancelled || upCancelled(r) {
			// Agents let the error through that their cancelled work ends in.
			u.tellIdle(s, textField("stopReason", acp.StopCancelled))
			return
		}
		u.tellIdle(s, textField("stopReason", acp.StopError), field{"error", upErrorDetail(r.ErrorValue())})
	case r.Result() == nil && t.cancelled, r.Result() != nil && !t.accepted && t.withdrawn && stop == v1.StopCancelled:
		u.rejectTurn(t, "the prompt was cancelled before the agent began to work on it")
	case r.Result() == nil:
		u.answer(t.call, r, nil)
	default:
		if !t.accepted {
			u.accept(s, t)
		}
		if !ok {
			stop = acp.StopEndTurn
		}
		u.tellIdle(s, textField("stopReason", stop), field{"usage", objectAt(r.Result(), "usage")}, field{"_meta", objectAt(r.Result(), "_meta")})
	}
}

// upErrorDetail is an error as a state tells it; nil when it cannot be read.
func upErrorDetail(tok []byte) []byte {
	var e acp.ErrorDetail
	if e.UnmarshalJSON(tok) != nil {
		return nil
	}
	return tok
}

func (u *Up) tellIdle(s *upSession, fields ...field) {
	s.state = acp.StateIdle
	u.notify(s, objectOf(append([]field{textField("sessionUpdate", "state_update"), textField("state", s.state)}, fields...)...))
}

// rejectTurn answers a prompt that was not inserted as cancelled.
func (u *Up) rejectTurn(t *upTurn, why string) {
	delete(u.clients, t.call.id.Plain())
	t.stopTimer()
	u.refuse(t.call.id, jsonrpc.Errorf(jsonrpc.CodeCancelled, "%s", why))
}

// cancel is session/cancel: the work, and what was sent before it and waits. An
// agent that has nothing to cancel may take it out on the next prompt, so it is
// sent on only when there is work, or when the session is not known here.
func (u *Up) cancel(m jsonrpc.Message) {
	s := u.sessions[m.SessionID]
	if s != nil {
		u.dropQueue(s)
		if s.turn == nil && s.open {
			return
		}
		if s.turn != nil {
			s.turn.cancelled = true
		}
	}
	u.opts.ToAgent(m)
}

// cancelTurn cancels the work for us.
func (u *Up) cancelTurn(s *upSession) {
	s.turn.cancelled = true
	u.opts.ToAgent(jsonrpc.Scan(jsonrpc.EncodeNotification(v1.MethodCancel, objectOf(textField("sessionId", s.id)))))
}

// cancelRequest is $/cancel_request. A prompt that was accepted has its answer
// already, and is cancelled by session/cancel alone.
func (u *Up) cancelRequest(m jsonrpc.Message) {
	id := jsonrpc.ID(rawjson.Get(m.Params(), "requestId")).Plain()
	c := u.clients[id]
	switch {
	case c == nil && u.cancelLater(id):
	case c == nil:
		u.opts.ToAgent(m)
	case c.turn == nil:
		u.opts.ToAgent(m.WithParams(rawjson.Set(m.Params(), []byte(c.own), "requestId")))
	default:
		u.withdraw(c.turn)
	}
}

// cancelLater rejects a resume that waits for another one.
func (u *Up) cancelLater(id jsonrpc.ID) bool {
	for _, s := range u.sessions {
		i := slices.IndexFunc(s.later, func(m jsonrpc.Message) bool { return m.ID.Plain() == id })
		if i >= 0 {
			m := s.later[i]
			s.later = slices.Delete(s.later, i, i+1)
			u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeCancelled, "the request was cancelled before the agent got it"))
			return true
		}
	}
	return false
}

// withdraw cancels a prompt that is not accepted yet. To agents of version 1 it
// is the turn, which all of them can cancel.
func (u *Up) withdraw(t *upTurn) {
	for _, s := range u.sessions {
		if i := slices.Index(s.queue, t); i >= 0 {
			s.queue = slices.Delete(s.queue, i, i+1)
			u.rejectTurn(t, "the prompt was cancelled before it was sent to the agent")
			return
		}
		if s.turn == t {
			t.withdrawn = true
			if !t.cancelled {
				u.cancelTurn(s)
			}
			return
		}
	}
}
