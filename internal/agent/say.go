// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"errors"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/agent/model"
)

// insert makes the prompt part of the session and tells the client so.
func (s *session) insert(p *acp.UserPrompt, in *input) (messageID string, err error) {
	content, err := acp.EncodeContent(p.Prompt)
	if err != nil {
		return "", err
	}
	messageID = newMessageID()
	records := make([]record, 0, 2+len(in.skills))
	title := ""
	if s.history.title() == "" {
		title = titleOf(p.Prompt)
		records = append(records, record{Type: recordTitle, Title: title})
	}
	records = append(records, record{Type: recordUser, MessageID: messageID, Content: content})
	for _, i := range in.skills {
		if i.err == nil && !i.known {
			records = append(records, i.record())
		}
	}

	s.out.Lock()
	defer s.out.Unlock()
	if err := s.history.add(records...); err != nil {
		return "", err
	}
	s.send(&acp.UserMessage{MessageID: messageID, Content: acp.Set(p.Prompt)}) // ACP-P6
	s.state = acp.StateRunning
	s.send(&acp.StateUpdate{State: s.state})
	if title != "" {
		s.send(&acp.SessionInfoUpdate{Title: acp.Set(title)})
	}
	s.sent()
	s.keep(record{Type: recordBegin})
	return messageID, nil
}

// say adds a piece to a message of the agent.
func (s *session) say(messageID, text string) {
	s.out.Lock()
	defer s.out.Unlock()
	s.send(&acp.AgentMessageChunk{MessageID: messageID, Content: acp.TextBlock(text)})
	s.sent()
	s.keep(record{Type: recordAgent, MessageID: messageID, Text: text})
}

// think adds a piece to a thought.
func (s *session) think(messageID, text string) {
	s.out.Lock()
	defer s.out.Unlock()
	s.send(&acp.AgentThoughtChunk{MessageID: messageID, Content: acp.TextBlock(text)})
	s.sent()
	s.keep(record{Type: recordThought, MessageID: messageID, Text: text})
}

// report sends another update that a replay will have.
func (s *session) report(u acp.SessionUpdate) {
	s.out.Lock()
	defer s.out.Unlock()
	s.send(u)
	s.sent()
	raw, err := u.MarshalJSON()
	if err != nil {
		s.handler.log.Error("an update was not kept", "session", s.client.ID(), "error", err)
		return
	}
	s.keep(record{Type: recordUpdate, Content: raw})
}

// tell sends an update that only matters now.
func (s *session) tell(u acp.SessionUpdate) {
	s.out.Lock()
	defer s.out.Unlock()
	s.send(u)
}

// notice tells the user of something beside the answer.
func (s *session) notice(severity, title, description string) {
	s.report(&acp.Notice{Severity: severity, Title: title, Description: description})
}

// changeState tells the client that the work waits for the user, or goes on.
func (s *session) changeState(state string) {
	s.out.Lock()
	defer s.out.Unlock()
	s.state = state
	s.send(&acp.StateUpdate{State: state})
}

// remember adds a message to the conversation with the model.
func (s *session) remember(m model.Message) {
	raw, err := json.Marshal(m)
	if err != nil {
		s.handler.log.Error("a message of the model was not kept", "session", s.client.ID(), "error", err)
		return
	}
	s.keep(record{Type: recordModel, Content: raw})
}

// keep writes what was sent. When that fails there is nothing better to do than to go
// on: the client has it.
func (s *session) keep(r record) {
	if err := s.history.add(r); err != nil {
		s.handler.log.Error("something that was sent was not kept", "session", s.client.ID(), "what", r.Type, "error", err)
	}
}

// An ending is how a turn ended, unless it was cancelled. The zero value is a turn
// that is done.
type ending struct {
	reason string // empty: end_turn
	err    error  // why, when the reason is an error
	usage  *acp.Usage
}

// finish tells the client that the session is idle, as the last word on the turn,
// and lets the next prompt in.
func (s *session) finish(t *turn, e ending) {
	u := &acp.StateUpdate{State: acp.StateIdle, StopReason: acp.StopEndTurn, Usage: e.usage}
	said := ""
	switch {
	case t.ctx.Err() != nil:
		u.StopReason = acp.StopCancelled
	case e.err != nil:
		said = e.err.Error()
		u.StopReason, u.Error = acp.StopError, &acp.ErrorDetail{Code: jsonrpc.CodeInternal, Message: said}
	case e.reason != "":
		u.StopReason = e.reason
	}
	s.out.Lock()
	s.keep(record{Type: recordEnd, Stop: u.StopReason, Error: said})
	s.state = acp.StateIdle
	s.send(u)
	s.out.Unlock()
	s.drop(t)
}

// send sends an update. When that fails the connection has ended, and there is
// nobody to tell; the history has what was said.
func (s *session) send(u acp.SessionUpdate) {
	err := s.client.Send(s.client.Context(), u)
	if err != nil && s.client.Context().Err() == nil && !errors.Is(err, acp.ErrSessionClosed) {
		s.handler.log.Warn("an update was not sent", "session", s.client.ID(), "update", u.UpdateVariant(), "error", err)
	}
}

// sent returns when what was sent has left this process, so that a history never has
// what a client cannot have seen.
func (s *session) sent() { s.client.Conn().Drain() }
