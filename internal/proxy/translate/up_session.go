// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"maps"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// upSession is what has to be remembered of a session.
type upSession struct {
	id     string
	cwd    string // as the client gave it; relative paths of the agent are of it
	open   bool   // the client has the response that made it
	closed bool   // nothing is sent for it any more

	turn  *upTurn   // what the agent works on
	queue []*upTurn // prompts that wait for it to end
	state string    // what the client was told last

	replay *upReplay         // a load is under way
	later  []jsonrpc.Message // resumes that wait for its end

	// The history, as far as it is known: how often each text was said by the
	// user.
	known bool
	said  map[string]int

	live    string // what the ids of live messages begin with
	lastID  int
	message upMessage         // that is being streamed
	titles  map[string]string // of the turn's tool calls

	options         [][]byte // the session's options, in version 2's form
	modeID, modelID string   // the options that we made of modes and models
}

// session is the state of a session, made when it is first spoken of: an agent
// may report on it before it has answered.
func (u *Up) session(id string) *upSession {
	s := u.sessions[id]
	if s == nil {
		s = &upSession{id: id, said: map[string]int{}, titles: map[string]string{}}
		u.sessions[id] = s
	}
	return s
}

// upSetupParams are the parameters of a setup in version 1's form.
func upSetupParams(params []byte) []byte {
	if !rawjson.IsObject(params) {
		params = []byte("{}")
	}
	servers := [][]byte{}
	for _, tok := range rawjson.Values(rawjson.Get(params, "mcpServers")) {
		servers = append(servers, upServer(tok))
	}
	return rawjson.Set(params, rawjson.Array(servers), "mcpServers")
}

// upServer is an MCP server in version 1's form: the type of one that is started
// is that it has none, and its lists are required.
func upServer(tok []byte) []byte {
	var lists []string
	switch kind, _ := rawjson.GetString(tok, "type"); kind {
	case "stdio":
		tok, lists = rawjson.Delete(tok, "type"), []string{"args", "env"}
	case "http":
		lists = []string{"headers"}
	}
	for _, name := range lists {
		if !rawjson.IsArray(rawjson.Get(tok, name)) {
			tok = rawjson.Set(tok, []byte("[]"), name)
		}
	}
	return tok
}

// beginSession is session/new and session/fork: a session whose id the agent
// gives.
func (u *Up) beginSession(m jsonrpc.Message) {
	cwd, _ := rawjson.GetString(m.Params(), "cwd")
	parent, fork := m.SessionID, m.Method == acp.MethodForkSession
	u.call(m, m.Method, upSetupParams(m.Params()), func(c *upCall, r jsonrpc.Message) {
		if r.SessionID == "" {
			u.opts.Log.Warn("the agent's answer names no session", "method", m.Method)
			u.answer(c, r, nil)
			return
		}
		s := u.session(r.SessionID)
		s.cwd, s.open, s.closed, s.known = cwd, true, false, true
		if p := u.sessions[parent]; fork {
			s.known = p != nil && p.known
			if s.known {
				s.said = maps.Clone(p.said) // the copy's history is the same
			}
		}
		u.answer(c, r, u.setupResult(s, r.Result()))
	})
}

// setupResult is version 2's result of a setup: modes and models are options
// there.
func (u *Up) setupResult(s *upSession, result []byte) []byte {
	if !rawjson.IsObject(result) {
		result = []byte("{}")
	}
	u.takeOptions(s, result)
	for _, name := range []string{"modes", "models", "configOptions"} {
		result = rawjson.Delete(result, name)
	}
	if len(s.options) > 0 {
		result = rawjson.Set(result, rawjson.Array(s.options), "configOptions")
	}
	return result
}

// resume is session/resume. Version 1 has two methods for it, each optional: one
// replays and one does not.
func (u *Up) resume(m jsonrpc.Message) {
	s := u.sessions[m.SessionID]
	if s != nil && s.replay != nil {
		// What the agent replays for two at a time could not be told apart.
		if len(s.later) >= maxQueued {
			u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeInternal, "%d requests wait already for the session to be resumed: wait for one of them", maxQueued))
			return
		}
		s.later = append(s.later, m.Clone())
		return
	}
	from := rawjson.Get(m.Params(), "replayFrom")
	replay := from != nil && string(from) != "null"
	if kind, _ := rawjson.GetString(from, "type"); replay && kind != "start" {
		u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "replayFrom: the agent speaks version 1 of the protocol, which replays from the start only"))
		return
	}
	if m.SessionID == "" {
		u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "sessionId is missing"))
		return
	}
	switch {
	case u.agent.load && (replay || !u.agent.resume):
		u.load(m, !replay)
	case u.agent.resume:
		u.resumed(m, replay)
	case s != nil && s.open:
		// The agent has it still, whatever the client was told.
		s.closed = false
		u.tellState(s)
		result := []byte("{}")
		if len(s.options) > 0 {
			result = objectOf(field{"configOptions", rawjson.Array(s.options)})
		}
		u.reply(m.ID, result)
		u.noReplay(s, replay)
	default:
		u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the agent can neither load nor resume sessions: start a new one"))
	}
}

func (u *Up) resumed(m jsonrpc.Message, replay bool) {
	s := u.session(m.SessionID)
	s.closed = false
	cwd, _ := rawjson.GetString(m.Params(), "cwd")
	u.call(m, v1.MethodResumeSession, rawjson.Delete(upSetupParams(m.Params()), "replayFrom"), func(c *upCall, r jsonrpc.Message) {
		s.cwd, s.open = cwd, true
		result := u.setupResult(s, r.Result())
		u.tellState(s)
		u.answer(c, r, result)
		u.noReplay(s, replay)
	})
}

// noReplay says that a client that asked for the history gets none. The session
// itself works, so that is no reason to refuse it.
func (u *Up) noReplay(s *upSession, asked bool) {
	if asked {
		u.notify(s, objectOf(
			textField("sessionUpdate", "notice"), textField("severity", acp.NoticeWarning),
			textField("title", "The agent cannot show what was said before in this session"),
			textField("description", "It remembers it all the same, and goes on from there."),
		))
	}
}

// load is a resume by session/load. Without a replay, what the agent replays is
// swallowed.
func (u *Up) load(m jsonrpc.Message, swallow bool) {
	s := u.session(m.SessionID)
	wasClosed, created := s.closed, !s.open
	s.closed = false
	s.message = upMessage{}
	s.replay = &upReplay{swallow: swallow, said: map[string]int{}, begun: map[string]bool{}}
	cwd, _ := rawjson.GetString(m.Params(), "cwd")
	if s.cwd == "" {
		s.cwd = cwd
	}
	c := u.call(m, v1.MethodLoadSession, rawjson.Delete(upSetupParams(m.Params()), "replayFrom"), nil)
	c.answer = func(r jsonrpc.Message) {
		u.flushUser(s)
		ok := r.Result() != nil
		if ok {
			s.cwd, s.open, s.known, s.said = cwd, true, true, s.replay.said
		}
		s.replay, s.message = nil, upMessage{}
		switch {
		case ok && !s.closed:
			result := u.setupResult(s, r.Result())
			u.tellState(s)
			u.answer(c, r, result)
		case ok:
			u.answer(c, r, nil) // closed while it was on its way
		default:
			s.closed = wasClosed || s.closed
			u.answer(c, r, nil)
			if s.closed {
				u.dropQueue(s) // sent in the hope that it would succeed
			}
			if created && s.turn == nil && len(s.queue) == 0 && len(s.later) == 0 {
				delete(u.sessions, s.id)
			}
		}
		later := s.later
		s.later = nil
		for _, m := range later {
			u.resume(m)
		}
		u.next(s)
	}
}

// tellState sends the client the session's state, as it is owed behind a replay.
func (u *Up) tellState(s *upSession) {
	state := acp.StateIdle
	if s.turn != nil && s.turn.accepted && !s.turn.abandoned {
		state = s.state
	}
	s.state = state
	u.notify(s, objectOf(textField("sessionUpdate", "state_update"), textField("state", state)))
}

// list is session/list, which version 1 has as an option.
func (u *Up) list(m jsonrpc.Message) {
	if u.agent.list {
		u.opts.ToAgent(m)
		return
	}
	u.reply(m.ID, []byte(`{"sessions":[]}`))
}

// end is session/close and session/delete. What waits is cancelled at once, as by
// session/cancel.
func (u *Up) end(m jsonrpc.Message) {
	id := m.SessionID
	s := u.sessions[id]
	if s != nil {
		u.dropQueue(s)
		u.dropLater(s)
	}
	if m.Method == acp.MethodDeleteSession || u.agent.close {
		u.call(m, m.Method, m.Params(), func(c *upCall, r jsonrpc.Message) {
			if s := u.sessions[id]; s != nil {
				u.endSession(s)
				s.turn = nil // the agent need not answer it any more
			}
			u.answer(c, r, nil)
		})
		return
	}
	if s != nil && !s.closed {
		if s.turn != nil && !s.turn.cancelled {
			u.cancelTurn(s)
		}
		u.endSession(s)
	}
	u.reply(m.ID, []byte("{}"))
}

// endSession ends what the client waits for. The session stays known, so that
// what the agent still says of it is not sent on.
func (u *Up) endSession(s *upSession) {
	u.dropQueue(s)
	if t := s.turn; t != nil && !t.abandoned {
		switch {
		case t.accepted:
			u.tellIdle(s, textField("stopReason", acp.StopCancelled))
		default:
			u.rejectTurn(t, "the session was closed before the agent began to work on the prompt")
		}
		t.abandoned = true
	}
	s.closed = true
	clear(s.titles)
}

// dropQueue rejects the prompts that wait.
func (u *Up) dropQueue(s *upSession) {
	for _, t := range s.queue {
		u.rejectTurn(t, "the prompt was cancelled before it was sent to the agent")
	}
	s.queue = nil
}

// dropLater rejects the resumes that wait: whoever closes the session behind them
// wants it closed.
func (u *Up) dropLater(s *upSession) {
	for _, m := range s.later {
		u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeCancelled, "the session was closed before it was resumed"))
	}
	s.later = nil
}

// notify sends the client an update of ours.
func (u *Up) notify(s *upSession, update []byte) {
	if s.closed {
		return
	}
	u.opts.ToClient(jsonrpc.Scan(jsonrpc.EncodeNotification(acp.MethodUpdate, objectOf(textField("sessionId", s.id), field{"update", update}))))
}
