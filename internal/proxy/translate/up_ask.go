// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// upAsk is a question of the agent to the user that has no answer yet.
type upAsk struct {
	session    *upSession
	turn       *upTurn // in which it was asked; nil is outside of any
	permission bool
}

// agentRequest handles a request of the agent. Its id goes through: what the
// client answers is the agent's.
func (u *Up) agentRequest(m jsonrpc.Message) {
	switch m.Method {
	case v1.MethodReadTextFile, v1.MethodWriteTextFile, v1.MethodCreateTerminal, v1.MethodTerminalOutput,
		v1.MethodReleaseTerminal, v1.MethodWaitForTerminalExit, v1.MethodKillTerminal:
		if s := u.sessions[m.SessionID]; s != nil {
			u.workBegan(s)
		}
		u.tellAgent(jsonrpc.EncodeError(m.ID, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the client speaks version 2 of the protocol, which has no %s: it did not offer it in its capabilities; use your own tools", m.Method)))
	case v1.MethodRequestPermission:
		u.permission(m)
	case v1.MethodCreateElicitation:
		// It may be about a request that the agent knows by an id of ours.
		if c := u.calls[jsonrpc.ID(rawjson.Get(m.Params(), "requestId")).Plain()]; c != nil {
			m = m.WithParams(rawjson.Set(m.Params(), []byte(c.id), "requestId"))
		}
		if s := u.sessions[m.SessionID]; s != nil && !s.closed {
			u.ask(s, m, false)
			return
		}
		u.opts.ToClient(m)
	default:
		u.opts.ToClient(m)
	}
}

func (u *Up) tellAgent(line []byte) { u.opts.ToAgent(jsonrpc.Scan(line)) }

// permission is session/request_permission. Version 1 asks about a tool call and
// has no words of its own for the question: its title is the call's.
func (u *Up) permission(m jsonrpc.Message) {
	if m.SessionID == "" {
		u.tellAgent(jsonrpc.EncodeError(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "sessionId is missing")))
		return
	}
	s := u.session(m.SessionID)
	if s.closed {
		u.tellAgent(jsonrpc.EncodeResult(m.ID, []byte(`{"outcome":{"outcome":"cancelled"}}`)))
		return
	}
	params := m.Params()
	call := rawjson.Get(params, "toolCall")
	id, _ := rawjson.GetString(call, "toolCallId")
	title, _ := rawjson.GetString(call, "title")
	if title == "" {
		title = s.titles[id]
	}
	if title == "" {
		title = "The agent asks for permission"
	}
	params = rawjson.Set(rawjson.Delete(params, "toolCall"), rawjson.Quote(title), "title")
	if rawjson.IsObject(call) {
		params = rawjson.Set(params, objectOf(textField("type", "tool_call"), field{"toolCall", u.toolCall(s, call)}), "subject")
	}
	var known acp.RequestPermissionRequest
	if err := known.UnmarshalJSON(params); err != nil {
		u.opts.Log.Warn("the agent's request for permission is malformed; it was refused", "error", err)
		u.tellAgent(jsonrpc.EncodeError(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%v", err)))
		return
	}
	u.ask(s, m.WithParams(params), true)
}

// ask puts a question to the user and tells the client that the work waits for
// the answer.
func (u *Up) ask(s *upSession, m jsonrpc.Message, permission bool) {
	u.workBegan(s)
	u.flushUser(s)
	if s.turn != nil && u.asks[m.ID.Plain()] == nil {
		s.turn.asked++
	}
	u.asks[m.ID.Plain()] = &upAsk{session: s, turn: s.turn, permission: permission}
	u.opts.ToClient(m)
	u.tellWaiting(s)
}

// tellWaiting tells the client whether foreground work waits for the user.
func (u *Up) tellWaiting(s *upSession) {
	t := s.turn
	if t == nil || !t.accepted || t.abandoned {
		return
	}
	state := acp.StateRunning
	if t.asked > 0 {
		state = acp.StateRequiresAction
	}
	if s.state == state {
		return
	}
	s.state = state
	u.notify(s, objectOf(textField("sessionUpdate", "state_update"), textField("state", state)))
}

// answerAsk takes an answer of the client. An outcome that version 1 does not
// know must not be taken for approval, which an agent of it cannot be trusted
// with.
func (u *Up) answerAsk(m jsonrpc.Message) {
	key := m.ID.Plain()
	if u.asks[key] == nil {
		for id := range u.asks {
			if m.ID.Answers(id) {
				key = id
				break
			}
		}
	}
	a := u.asks[key]
	if a == nil {
		u.opts.ToAgent(m)
		return
	}
	delete(u.asks, key)
	if outcome, _ := rawjson.GetString(m.Result(), "outcome", "outcome"); a.permission && m.Result() != nil && outcome != "selected" && outcome != "cancelled" {
		u.opts.Log.Warn("the client answered a request for permission with an outcome that the agent's version does not have; the agent is told that it was cancelled", "outcome", outcome)
		m = m.WithResult([]byte(`{"outcome":{"outcome":"cancelled"}}`))
	}
	u.opts.ToAgent(m)
	if a.turn != nil && a.turn == a.session.turn {
		a.turn.asked--
		u.tellWaiting(a.session)
	}
}
