// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"context"
	"sync"
)

// A ClientSession is a session as its client has it. Its methods are safe for
// concurrent use.
type ClientSession struct {
	conn *ClientConn
	id   string

	mu        sync.Mutex
	commands  []AvailableCommand
	questions map[*turn]bool
}

// ID is the session's id.
func (s *ClientSession) ID() string { return s.id }

// Conn is the connection that the session belongs to.
func (s *ClientSession) Conn() *ClientConn { return s.conn }

// Commands is the session's current list, nil when the agent has sent none.
func (s *ClientSession) Commands() []AvailableCommand {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commands
}

func (s *ClientSession) setCommands(list []AvailableCommand) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands = list
}

// Prompt sends a message of the user and returns when the agent has done with
// it: the response says why it stopped. Updates that it sent before have been
// handled by then.
func (s *ClientSession) Prompt(ctx context.Context, blocks ...ContentBlock) (*PromptResponse, error) {
	return ask[PromptResponse](ctx, s.conn.conn, MethodPrompt, &PromptRequest{SessionID: s.id, Prompt: blocks})
}

// Cancel ends the turn, and answers the questions that are open as cancelled.
// The prompt's response is still to come.
func (s *ClientSession) Cancel(ctx context.Context) error {
	err := s.conn.conn.Notify(ctx, MethodCancel, &SessionRef{SessionID: s.id})
	s.mu.Lock()
	defer s.mu.Unlock()
	for q := range s.questions {
		q.cancel(errCancelled)
	}
	return err
}

// question counts a question in. done is called when it is answered.
func (s *ClientSession) question(parent context.Context) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(parent)
	q := &turn{cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.questions == nil {
		s.questions = make(map[*turn]bool)
	}
	s.questions[q] = true
	return ctx, func() {
		s.mu.Lock()
		delete(s.questions, q)
		s.mu.Unlock()
		cancel(nil)
	}
}

// SetMode puts the session into one of its modes.
func (s *ClientSession) SetMode(ctx context.Context, modeID string) error {
	return s.conn.conn.Call(ctx, MethodSetMode, &SetModeRequest{SessionID: s.id, ModeID: modeID}, nil)
}

// SetConfigOption changes an option. SessionID is filled in.
func (s *ClientSession) SetConfigOption(ctx context.Context, r *SetConfigOptionRequest) (*SetConfigOptionResponse, error) {
	out := *r
	out.SessionID = s.id
	return ask[SetConfigOptionResponse](ctx, s.conn.conn, MethodSetConfigOption, &out)
}

// Close ends the session at the agent. The error is an *[UnsupportedError] when
// the agent does not do that.
func (s *ClientSession) Close(ctx context.Context) error {
	if s.conn.sessionCapabilities().Close == nil {
		return &UnsupportedError{"sessionCapabilities.close"}
	}
	if err := s.conn.conn.Call(ctx, MethodCloseSession, &SessionRef{SessionID: s.id}, nil); err != nil {
		return err
	}
	s.conn.forget(s)
	return nil
}
