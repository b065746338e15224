// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"context"
	"errors"
	"sync"
)

var errTurnCancelled = errors.New("the work that asked was cancelled")

// A ClientSession is a session as its client has it. Its methods are safe for
// concurrent use.
type ClientSession struct {
	conn *ClientConn
	id   string

	mu        sync.Mutex
	list      []AvailableCommand
	questions map[*question]bool
}

// A question is a permission request that the user has not answered.
type question struct{ cancel context.CancelCauseFunc }

// ID is the session's id.
func (s *ClientSession) ID() string { return s.id }

// Conn is the connection that the session belongs to.
func (s *ClientSession) Conn() *ClientConn { return s.conn }

// Commands is the session's current list, wherever it came from last (ACP-U4).
// It is nil when the agent has not sent one.
func (s *ClientSession) Commands() []AvailableCommand {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list
}

// Skills are the skill entries of the current list.
func (s *ClientSession) Skills() []*Skill {
	var out []*Skill
	for _, c := range s.Commands() {
		if k, ok := c.(*Skill); ok {
			out = append(out, k)
		}
	}
	return out
}

// setList takes over a list. nil is none and changes nothing.
func (s *ClientSession) setList(list []AvailableCommand) {
	if list == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = list
}

// Prompt sends a user message and returns when the agent has inserted it; what
// becomes of it the updates say. A skill block that the agent does not take, or
// that is not in the current list, is not sent: the error is a *[PromptError]
// (ACP-U1).
func (s *ClientSession) Prompt(ctx context.Context, blocks ...ContentBlock) (*PromptResponse, error) {
	return s.Send(ctx, &PromptRequest{Prompt: blocks})
}

// Send is Prompt with all that the request may hold. SessionID is filled in.
func (s *ClientSession) Send(ctx context.Context, r *PromptRequest) (*PromptResponse, error) {
	out := *r
	out.SessionID = s.id
	if _, err := CheckContent(out.Prompt, s.conn.agent.Capabilities.SkillSupport(), ResolveIn(s.Commands())); err != nil {
		return nil, err
	}
	var resp PromptResponse
	if err := s.conn.conn.Call(ctx, MethodPrompt, &out, &resp); err != nil {
		return nil, err
	}
	return &resp, nil
}

// Cancel ends the work on the prompts so far, and answers the questions that are
// open as cancelled. The update that says so is still to come.
func (s *ClientSession) Cancel(ctx context.Context) error {
	err := s.conn.conn.Notify(ctx, MethodCancel, &SessionRef{SessionID: s.id})
	s.mu.Lock()
	defer s.mu.Unlock()
	for q := range s.questions {
		q.cancel(errTurnCancelled)
	}
	return err
}

// question counts a question in. done is called when it is answered.
func (s *ClientSession) question(parent context.Context) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(parent)
	q := &question{cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.questions == nil {
		s.questions = make(map[*question]bool)
	}
	s.questions[q] = true
	return ctx, func() {
		s.mu.Lock()
		delete(s.questions, q)
		s.mu.Unlock()
		cancel(nil)
	}
}

// Close ends the session at the agent. It can be resumed later. That the agent
// does not have it open is success.
func (s *ClientSession) Close(ctx context.Context) error {
	return s.conn.endSession(ctx, MethodCloseSession, s.id)
}

// Fork asks for a new session with this one's history. SessionID is filled in.
func (s *ClientSession) Fork(ctx context.Context, r *ForkSessionRequest) (*ClientSession, *ForkSessionResponse, error) {
	if !s.conn.agent.Capabilities.Sessions() || s.conn.agent.Capabilities.Session.Fork == nil {
		return nil, nil, &UnsupportedError{Capability: "session.fork"}
	}
	out := *r
	out.SessionID = s.id
	return s.conn.setUp(ctx, MethodForkSession, &out)
}

// SetConfigOption changes an option. SessionID is filled in.
func (s *ClientSession) SetConfigOption(ctx context.Context, r *SetConfigOptionRequest) (*SetConfigOptionResponse, error) {
	out := *r
	out.SessionID = s.id
	var resp SetConfigOptionResponse
	if err := s.conn.conn.Call(ctx, MethodSetConfigOption, &out, &resp); err != nil {
		return nil, err
	}
	return &resp, nil
}
