// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"context"
	"fmt"
	"sync"

	"github.com/skillgraft/skillgraft/acp/internal/object"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// An AgentSession is a session as its agent has it. Its methods are safe for
// concurrent use.
type AgentSession struct {
	conn *agentConn
	ctx  context.Context
	stop context.CancelCauseFunc

	mu     sync.Mutex
	id     string
	known  bool          // the client knows the session
	opened chan struct{} // closed when it does
	held   [][]byte      // updates that wait for that
	closed bool
	turns  map[*turn]bool
}

// A turn is a prompt that is not answered.
type turn struct{ cancel context.CancelCauseFunc }

func newAgentSession(c *agentConn, id string, known bool) *AgentSession {
	s := &AgentSession{conn: c, id: id, known: known, opened: make(chan struct{}), turns: make(map[*turn]bool)}
	if known {
		close(s.opened)
	}
	s.ctx, s.stop = context.WithCancelCause(c.base)
	return s
}

// ID is the session's id. Until NewSession has returned it may still change, to
// the one in its response.
func (s *AgentSession) ID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

func (s *AgentSession) rename(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = id
}

// Client is what the client said in its initialize request. It is not to be
// changed.
func (s *AgentSession) Client() *InitializeRequest {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.conn.client
}

// Conn is the connection to the client, for what this package has no method for.
func (s *AgentSession) Conn() *jsonrpc.Conn { return s.conn.conn }

// Context ends when the session is closed or the connection ends.
func (s *AgentSession) Context() context.Context { return s.ctx }

// Send sends an update. It waits only while the client reads too slowly.
func (s *AgentSession) Send(ctx context.Context, u SessionUpdate) error {
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

// openUp sends what was held: the response is queued, and the client knows the
// session from then on.
func (s *AgentSession) openUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = true
	close(s.opened)
	for _, u := range s.held {
		_ = s.post(u) // the connection has ended, and there is nobody to tell
	}
	s.held = nil
}

// awaitOpen waits while the response that sets the session up is on its way.
func (s *AgentSession) awaitOpen(ctx context.Context) {
	select {
	case <-s.opened:
	case <-ctx.Done():
	}
}

// turn counts a turn in. done is called when it is answered.
func (s *AgentSession) turn() (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(s.ctx)
	t := &turn{cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns[t] = true
	return ctx, func() {
		s.mu.Lock()
		delete(s.turns, t)
		s.mu.Unlock()
		cancel(nil)
	}
}

func (s *AgentSession) cancelTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for t := range s.turns {
		t.cancel(errCancelled)
	}
}

func (s *AgentSession) end() {
	s.stop(ErrSessionClosed)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.held = true, nil
}

// RequestPermission asks the user. SessionID is filled in. When ctx ends the
// question is taken back.
func (s *AgentSession) RequestPermission(ctx context.Context, r *RequestPermissionRequest) (*RequestPermissionResponse, error) {
	out := *r
	out.SessionID = s.ID()
	return ask[RequestPermissionResponse](ctx, s.conn.conn, MethodRequestPermission, &out)
}

// ReadTextFile reads a file as the client has it, unsaved changes included.
// SessionID is filled in. The error is an *[UnsupportedError] when the client
// does not do that.
func (s *AgentSession) ReadTextFile(ctx context.Context, r *ReadTextFileRequest) (*ReadTextFileResponse, error) {
	if fs := s.fs(); fs == nil || !fs.ReadTextFile {
		return nil, &UnsupportedError{"fs.readTextFile"}
	}
	out := *r
	out.SessionID = s.ID()
	return ask[ReadTextFileResponse](ctx, s.conn.conn, MethodReadTextFile, &out)
}

// WriteTextFile has the client write a file. SessionID is filled in. The error is
// an *[UnsupportedError] when the client does not do that.
func (s *AgentSession) WriteTextFile(ctx context.Context, r *WriteTextFileRequest) error {
	if fs := s.fs(); fs == nil || !fs.WriteTextFile {
		return &UnsupportedError{"fs.writeTextFile"}
	}
	out := *r
	out.SessionID = s.ID()
	return s.conn.conn.Call(ctx, MethodWriteTextFile, &out, nil)
}

func (s *AgentSession) fs() *FileSystemCapabilities {
	if c := s.Client().ClientCapabilities; c != nil {
		return c.FS
	}
	return nil
}

// Terminal calls one of the terminal methods of the client, such as
// [MethodCreateTerminal]; params and result are of that method's types. The error
// is an *[UnsupportedError] when the client has no terminals.
func (s *AgentSession) Terminal(ctx context.Context, method string, params, result any) error {
	if c := s.Client().ClientCapabilities; c == nil || !c.Terminal {
		return &UnsupportedError{"terminal"}
	}
	return s.conn.conn.Call(ctx, method, params, result)
}
