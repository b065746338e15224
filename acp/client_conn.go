// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// A ClientConn is a client at one agent. Its methods are safe for concurrent
// use.
type ClientConn struct {
	client *Client
	conn   *jsonrpc.Conn
	agent  InitializeResponse
	other  any // the connection of another version
	done   chan struct{}
	err    error // of the connection; set before done is closed

	mu       sync.Mutex
	sessions map[string]*ClientSession
	early    early
}

// An UnsupportedError says that the peer has not advertised what was asked of
// it.
type UnsupportedError struct{ Capability string }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the peer does not support this (it did not advertise %s)", e.Capability)
}

// Agent is what the agent said of itself. It is not to be changed.
func (c *ClientConn) Agent() *InitializeResponse { return &c.agent }

// Other is the connection of another version of the protocol when the agent has
// chosen one of [ClientOptions]: a *v1.ClientConn when that was a v1.Client. Then
// only Conn, Done, Err and Close are of use here. It is nil otherwise.
func (c *ClientConn) Other() any { return c.other }

// Conn is the connection itself, for methods that this package does not know.
func (c *ClientConn) Conn() *jsonrpc.Conn { return c.conn }

// Done is closed when the connection has ended and nothing of it is left.
func (c *ClientConn) Done() <-chan struct{} { return c.done }

// Err is why the connection has ended: nil while it has not, and when either
// side closed it in order.
func (c *ClientConn) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Close ends the connection and waits for that. It is not called by a handler.
func (c *ClientConn) Close() error {
	_ = c.conn.Close() // Serve says what there is to say
	<-c.done
	return nil
}

// NewSession asks for a session.
func (c *ClientConn) NewSession(ctx context.Context, r *NewSessionRequest) (*ClientSession, *NewSessionResponse, error) {
	return c.setUp(ctx, MethodNewSession, r)
}

// setUp makes a request that is answered with a new session. The session is
// known when the response takes its turn, and what the agent sent for it before
// is handled then, so that no later update overtakes it (C01).
func (c *ClientConn) setUp(ctx context.Context, method string, params any) (*ClientSession, *NewSessionResponse, error) {
	if !c.agent.Capabilities.Sessions() {
		return nil, nil, &UnsupportedError{Capability: "session"}
	}
	c.expect()
	defer c.expected()
	var s *ClientSession
	var resp NewSessionResponse
	var bad error
	err := c.conn.CallWith(ctx, method, params, nil, &jsonrpc.CallOptions{Answered: func(turn context.Context, raw []byte) {
		if bad = resp.UnmarshalJSON(raw); bad == nil {
			s = c.admit(turn, resp.SessionID, resp.AvailableCommands)
		}
	}})
	if err == nil && bad != nil {
		err = fmt.Errorf("%s: the agent's answer is malformed: %w", method, bad)
	}
	if err != nil {
		return nil, nil, err
	}
	return s, &resp, nil
}

// ResumeSession asks for a session that was there before. Its updates, a replay
// among them, are handled before it returns.
func (c *ClientConn) ResumeSession(ctx context.Context, r *ResumeSessionRequest) (*ClientSession, *ResumeSessionResponse, error) {
	if !c.agent.Capabilities.Sessions() {
		return nil, nil, &UnsupportedError{Capability: "session"}
	}
	c.mu.Lock()
	s := c.sessions[r.SessionID]
	fresh := s == nil
	if fresh {
		s = &ClientSession{conn: c, id: r.SessionID}
		c.sessions[r.SessionID] = s
	}
	c.mu.Unlock()
	var resp ResumeSessionResponse
	var bad error
	err := c.conn.CallWith(ctx, MethodResumeSession, r, nil, &jsonrpc.CallOptions{Answered: func(_ context.Context, raw []byte) {
		if bad = resp.UnmarshalJSON(raw); bad == nil {
			s.setList(resp.AvailableCommands)
		}
	}})
	if err == nil && bad != nil {
		err = fmt.Errorf("%s: the agent's answer is malformed: %w", MethodResumeSession, bad)
	}
	if err != nil {
		if fresh {
			c.forget(s)
		}
		return nil, nil, err
	}
	return s, &resp, nil
}

// ListSessions asks for a page of the sessions that can be resumed.
func (c *ClientConn) ListSessions(ctx context.Context, r *ListSessionsRequest) (*ListSessionsResponse, error) {
	if !c.agent.Capabilities.Sessions() {
		return nil, &UnsupportedError{Capability: "session"}
	}
	var resp ListSessionsResponse
	if err := c.conn.Call(ctx, MethodListSessions, r, &resp); err != nil {
		return nil, err
	}
	return &resp, nil
}

// DeleteSession deletes a session for good. That there is none is success.
func (c *ClientConn) DeleteSession(ctx context.Context, sessionID string) error {
	if !c.agent.Capabilities.Sessions() || c.agent.Capabilities.Session.Delete == nil {
		return &UnsupportedError{Capability: "session.delete"}
	}
	return c.endSession(ctx, MethodDeleteSession, sessionID)
}

func (c *ClientConn) endSession(ctx context.Context, method, id string) error {
	err := c.conn.Call(ctx, method, &SessionRef{SessionID: id}, nil)
	var answer *jsonrpc.Error
	if err != nil && !(errors.As(err, &answer) && answer.Code == jsonrpc.CodeNotFound) {
		return err
	}
	if s := c.session(id); s != nil {
		c.forget(s)
	}
	return nil
}

func (c *ClientConn) session(id string) *ClientSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

func (c *ClientConn) forget(s *ClientSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[s.id] == s {
		delete(c.sessions, s.id)
	}
}

// clientHandler is the connection's handler. Its methods are no business of who
// has the ClientConn.
type clientHandler struct{ *ClientConn }

// HandleNotification implements [jsonrpc.Handler].
func (c clientHandler) HandleNotification(ctx context.Context, m *jsonrpc.Message) {
	if m.Method != MethodUpdate {
		if x, ok := c.client.handler.(ExtensionHandler); ok {
			x.HandleNotification(ctx, c.conn, m.Method, json.RawMessage(m.Params()))
		}
		return
	}
	s := c.session(m.SessionID)
	if s == nil {
		if !c.hold(m.SessionID, m.Params()) {
			c.problem(fmt.Errorf("an update came for session %s, which is not open", showName(m.SessionID)))
		}
		return
	}
	c.update(ctx, s, m.Params())
}

// update hands an update on. A list is taken over first (ACP-U4).
func (c *ClientConn) update(ctx context.Context, s *ClientSession, params []byte) {
	var n UpdateNotification
	if err := n.UnmarshalJSON(params); err != nil {
		c.problem(fmt.Errorf("%s: an update is malformed and was dropped: %w", MethodUpdate, err))
		return
	}
	if l, ok := n.Update.(*AvailableCommandsUpdate); ok {
		s.setList(l.AvailableCommands)
	}
	c.client.handler.SessionUpdate(ctx, s, n.Update)
}

func (c *ClientConn) problem(err error) {
	if c.client.opts.Problem != nil {
		c.client.opts.Problem(err)
	}
}

// HandleRequest implements [jsonrpc.Handler].
func (c clientHandler) HandleRequest(r *jsonrpc.IncomingRequest) {
	if e, ok := c.client.handler.(Elicitor); ok && r.Method == MethodCreateElicitation {
		c.elicit(r, e)
		return
	}
	if r.Method != MethodRequestPermission {
		extensionRequest(r, c.client.handler)
		return
	}
	var req RequestPermissionRequest
	if err := decodeParams(r.Params(), &req); err != nil {
		r.Reply(nil, err)
		return
	}
	s := c.asking(req.SessionID)
	if s == nil {
		r.Reply(nil, sessionNotFound(req.SessionID))
		return
	}
	ctx, done := s.question(r.Context())
	r.Go(func(context.Context) (any, error) {
		defer done()
		resp, err := c.client.handler.RequestPermission(ctx, s, &req)
		switch {
		case errors.Is(context.Cause(ctx), errTurnCancelled):
			return Cancelled(), nil
		case err == nil && resp == nil:
			return nil, errors.New("the client's handler returned no answer")
		}
		return resp, err
	})
}
