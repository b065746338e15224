// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/skillgraft/skillgraft/acp/internal/object"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// ErrSessionClosed says that a session can send no more.
var ErrSessionClosed = errors.New("the session is closed")

var (
	errSessionClosed = &jsonrpc.Error{Code: jsonrpc.CodeCancelled, Message: "the session was closed"}
	errCancelled     = &jsonrpc.Error{Code: jsonrpc.CodeCancelled, Message: "the session's work was cancelled before the prompt was inserted"}
	errSetupFailed   = &jsonrpc.Error{Code: jsonrpc.CodeCancelled, Message: "the session could not be set up"}
)

// An AgentSession is a session as its agent has it: where updates are sent, and
// what runs on the session's behalf. Its methods are safe for concurrent use.
type AgentSession struct {
	conn  *agentConn
	ctx   context.Context
	stop  context.CancelCauseFunc
	work  sync.WaitGroup
	turns lane

	mu      sync.Mutex
	prompts context.Context // ends when session/cancel comes, for the prompts before it
	refuse  context.CancelCauseFunc

	id     string
	known  bool          // the client knows the session, and no setup response is on its way
	opened chan struct{} // closed while known; another one while not
	held   [][]byte      // updates that wait for that
	setUp  bool          // the list of the setup response is settled
	closed bool
	list   []AvailableCommand // as the client has it; nil: it has none yet
	sent   []byte             // the same, encoded
	lookup SkillResolver      // in list
}

func newAgentSession(c *agentConn, id string, known bool) *AgentSession {
	s := &AgentSession{conn: c, id: id, known: known, lookup: ResolveIn(nil), opened: make(chan struct{})}
	if known {
		close(s.opened)
	}
	s.ctx, s.stop = context.WithCancelCause(c.base)
	s.prompts, s.refuse = context.WithCancelCause(s.ctx)
	return s
}

// untilCancel is the context of a prompt that has just come. It is called in the
// order of the wire, as is cancelPrompts: only so is it decided which prompts a
// session/cancel means.
func (s *AgentSession) untilCancel() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompts
}

// cancelPrompts gives up the prompts that have come and are not inserted.
func (s *AgentSession) cancelPrompts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse(errCancelled)
	s.prompts, s.refuse = context.WithCancelCause(s.ctx)
}

// ID is the session's id. Until NewSession has returned it may still change, to
// the one in its response.
func (s *AgentSession) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// Client is what the client said in its initialize request. It is not to be
// changed.
func (s *AgentSession) Client() *InitializeRequest {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.conn.client
}

// Conn is the connection to the client, for methods that this package does not
// know.
func (s *AgentSession) Conn() *jsonrpc.Conn { return s.conn.conn }

// Context ends when the session is closed or the connection ends.
func (s *AgentSession) Context() context.Context { return s.ctx }

// Go runs f in a goroutine of the session: the work on a prompt, a watch on
// files. f has to return when its context, the session's, ends; it may then
// still send. Closing the session waits for it. Go reports whether the session
// was still open.
func (s *AgentSession) Go(f func(ctx context.Context)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil || !s.conn.begin() {
		return false
	}
	s.work.Add(1)
	go func() {
		defer s.conn.work.Done()
		defer s.work.Done()
		f(s.ctx)
	}()
	return true
}

// Send sends an update. It waits only while the client reads too slowly, and
// works on after ctx has ended: the last word on cancelled work is an update. A
// list goes the way of SetCommands.
func (s *AgentSession) Send(ctx context.Context, u SessionUpdate) error {
	if l, ok := u.(*AvailableCommandsUpdate); ok {
		return s.setCommands(ctx, l)
	}
	raw, err := object.Encode(nil, u)
	if err != nil {
		return fmt.Errorf("the update cannot be encoded: %w", err)
	}
	s.mu.Lock()
	err = s.post(raw)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.conn.conn.Flush(ctx)
}

// post queues an update, or holds it. The lock is held: it makes the order of
// updates that of the calls.
func (s *AgentSession) post(update []byte) error {
	switch {
	case s.closed:
		return ErrSessionClosed
	case !s.known:
		s.held = append(s.held, update)
		return nil
	}
	params, err := object.Write([]object.Field{object.Must("sessionId", &s.id, object.String), object.Written("update", update)})
	if err != nil {
		return err
	}
	return s.conn.conn.Post(MethodUpdate, params)
}

// SetCommands replaces the session's list of commands and skills. A client that
// does not understand skills gets them as commands (ACP-A1, ACP-A2), and a list
// that the client has already is not sent again (ACP-A8). The error is a
// *[RuleError] when the list must not be sent.
func (s *AgentSession) SetCommands(ctx context.Context, list []AvailableCommand) error {
	return s.setCommands(ctx, &AvailableCommandsUpdate{AvailableCommands: list})
}

func (s *AgentSession) setCommands(ctx context.Context, u *AvailableCommandsUpdate) error {
	if err := CheckCommands(u.AvailableCommands, s.conn.agent.opts.Skills); err != nil {
		return err
	}
	out := *u
	out.AvailableCommands = ForClient(u.AvailableCommands, s.conn.clientCapabilities())
	if out.AvailableCommands == nil {
		out.AvailableCommands = []AvailableCommand{}
	}
	encoded, err := EncodeCommands(out.AvailableCommands)
	if err != nil {
		return fmt.Errorf("the list cannot be encoded: %w", err)
	}
	raw, err := out.MarshalJSON()
	if err != nil {
		return fmt.Errorf("the list cannot be encoded: %w", err)
	}
	s.mu.Lock()
	switch {
	case s.closed:
		err = ErrSessionClosed
	case s.list != nil && bytes.Equal(encoded, s.sent):
	default:
		s.setList(out.AvailableCommands, encoded)
		if s.known || s.setUp { // else the response takes it along
			err = s.post(raw)
		}
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.conn.conn.Flush(ctx)
}

func (s *AgentSession) setList(list []AvailableCommand, encoded []byte) {
	s.list, s.sent = list, encoded
	s.lookup = ResolveIn(list)
}

// Commands is the list as the client has it, nil when it was given none.
func (s *AgentSession) Commands() []AvailableCommand {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list
}

// adopt takes over the list and the id of a setup response, and returns the list
// as the client gets it. Without one it is the list that was set meanwhile.
func (s *AgentSession) adopt(list []AvailableCommand, id string) ([]AvailableCommand, error) {
	if err := CheckCommands(list, s.conn.agent.opts.Skills); err != nil {
		return nil, err
	}
	list = ForClient(list, s.conn.clientCapabilities())
	encoded, err := EncodeCommands(list)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if id != "" {
		s.id = id
	}
	// A list that is set from now on is newer than the response's, so it has
	// to stand behind it.
	s.setUp = true
	if s.known {
		s.known, s.opened = false, make(chan struct{})
	}
	if list != nil {
		s.setList(list, encoded)
	}
	return s.list, nil
}

// openUp sends what was held: the response is queued, and the client knows the
// session from then on.
func (s *AgentSession) openUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known {
		return
	}
	s.known = true
	close(s.opened)
	for _, u := range s.held {
		_ = s.post(u) // the connection has ended, and there is nobody to tell
	}
	s.held = nil
}

// awaitOpen waits while a setup response is on its way. A quick client can have
// read it and asked for more before we have sent what was held.
func (s *AgentSession) awaitOpen(ctx context.Context) {
	s.mu.Lock()
	opened := s.opened
	s.mu.Unlock()
	select {
	case <-opened:
	case <-s.ctx.Done():
	case <-ctx.Done():
	}
}

// end stops the session's work, waits for it, and lets nothing out after that.
func (s *AgentSession) end(why error) {
	s.mu.Lock()
	s.stop(why)
	s.mu.Unlock() // from here on Go starts nothing
	s.work.Wait()
	s.mu.Lock()
	s.closed, s.held = true, nil
	s.mu.Unlock()
}

// RequestPermission asks the user. SessionID is filled in. When ctx ends the
// question is taken back.
func (s *AgentSession) RequestPermission(ctx context.Context, r *RequestPermissionRequest) (*RequestPermissionResponse, error) {
	out := *r
	out.SessionID = s.ID()
	var resp RequestPermissionResponse
	if err := s.conn.conn.Call(ctx, MethodRequestPermission, &out, &resp); err != nil {
		return nil, err
	}
	return &resp, nil
}

// inTurn answers r with what f returns, after all that joined before, and gives up
// when end does. The place is taken at once, so this is called in the order of
// the wire.
func (s *AgentSession) inTurn(r *jsonrpc.IncomingRequest, end context.Context, f func(ctx context.Context) (any, error)) {
	t := s.turns.join()
	r.Go(func(request context.Context) (any, error) {
		// A child of end, so that it has ended when the handler is told of a
		// cancellation, and not a little later.
		ctx, cancel := context.WithCancelCause(end)
		defer cancel(nil)
		defer context.AfterFunc(request, func() { cancel(context.Cause(request)) })()
		if !s.turns.wait(ctx, t) {
			return nil, context.Cause(ctx)
		}
		defer s.turns.leave()
		s.awaitOpen(ctx)
		if end.Err() != nil {
			return nil, context.Cause(end)
		}
		result, err := f(ctx)
		if cause := context.Cause(end); err != nil && (errors.Is(cause, errSessionClosed) || errors.Is(cause, errCancelled)) {
			err = cause // that is why, whatever the handler made of it
		}
		return result, err
	})
}
