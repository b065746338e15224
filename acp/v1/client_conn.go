// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// What an agent may send for sessions that are not known yet, while the response
// that names one is awaited.
const (
	maxEarlySessions = 16
	maxEarlyBytes    = 16 << 20
)

// A ClientConn is a client at one agent. Its methods are safe for concurrent
// use.
type ClientConn struct {
	client *Client
	conn   *jsonrpc.Conn
	agent  InitializeResponse
	done   <-chan struct{}
	err    error // of the connection; set before done is closed

	mu       sync.Mutex
	sessions map[string]*ClientSession
	waiting  int                 // calls whose response will name a session
	early    map[string][][]byte // updates that came before it
	bytes    int                 // of those
}

func newClientConn(c *Client) *ClientConn {
	return &ClientConn{client: c, sessions: make(map[string]*ClientSession)}
}

// Agent is what the agent said of itself. It is not to be changed.
func (c *ClientConn) Agent() *InitializeResponse { return &c.agent }

// Conn is the connection itself, for what this package has no method for.
func (c *ClientConn) Conn() *jsonrpc.Conn { return c.conn }

// Done is closed when the connection has ended.
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

// Authenticate tells the agent who the user is, by one of its methods.
func (c *ClientConn) Authenticate(ctx context.Context, methodID string) error {
	return c.conn.Call(ctx, MethodAuthenticate, &AuthenticateRequest{MethodID: methodID}, nil)
}

// NewSession asks for a session. Updates that the agent sends for it before the
// response are handled when the response is there.
func (c *ClientConn) NewSession(ctx context.Context, r *NewSessionRequest) (*ClientSession, *NewSessionResponse, error) {
	c.expect(1)
	defer c.expect(-1)
	var s *ClientSession
	var resp NewSessionResponse
	var bad error
	err := c.conn.CallWith(ctx, MethodNewSession, r, nil, &jsonrpc.CallOptions{Answered: func(turn context.Context, raw []byte) {
		if bad = resp.UnmarshalJSON(raw); bad == nil {
			s = c.admit(turn, resp.SessionID)
		}
	}})
	if err == nil && bad != nil {
		err = fmt.Errorf("%s: the agent's answer is malformed: %w", MethodNewSession, bad)
	}
	if err != nil {
		return nil, nil, err
	}
	return s, &resp, nil
}

// LoadSession opens a session again. Its updates, the replay, are handled before
// it returns. The error is an *[UnsupportedError] when the agent does not do
// that.
func (c *ClientConn) LoadSession(ctx context.Context, r *LoadSessionRequest) (*ClientSession, *LoadSessionResponse, error) {
	if a := c.agent.AgentCapabilities; a == nil || !a.LoadSession {
		return nil, nil, &UnsupportedError{"loadSession"}
	}
	c.mu.Lock()
	s := c.sessions[r.SessionID]
	fresh := s == nil
	if fresh {
		s = &ClientSession{conn: c, id: r.SessionID}
		c.sessions[r.SessionID] = s
	}
	c.mu.Unlock()
	resp, err := ask[LoadSessionResponse](ctx, c.conn, MethodLoadSession, r)
	if err != nil {
		if fresh {
			c.forget(s)
		}
		return nil, nil, err
	}
	return s, resp, nil
}

// ListSessions asks for a page of the sessions that can be loaded.
func (c *ClientConn) ListSessions(ctx context.Context, r *ListSessionsRequest) (*ListSessionsResponse, error) {
	if caps := c.sessionCapabilities(); caps.List == nil {
		return nil, &UnsupportedError{"sessionCapabilities.list"}
	}
	return ask[ListSessionsResponse](ctx, c.conn, MethodListSessions, r)
}

func (c *ClientConn) sessionCapabilities() SessionCapabilities {
	if a := c.agent.AgentCapabilities; a != nil && a.SessionCapabilities != nil {
		return *a.SessionCapabilities
	}
	return SessionCapabilities{}
}

func (c *ClientConn) forget(s *ClientSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[s.id] == s {
		delete(c.sessions, s.id)
	}
}

func (c *ClientConn) session(id string) *ClientSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// expect says that a response will name a session, or that it has come. What was
// kept for sessions that nobody waits for any more is dropped.
func (c *ClientConn) expect(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting += n; c.waiting == 0 {
		c.early, c.bytes = nil, 0
	}
}

// hold keeps an update for a session that is not known, and reports whether it
// did.
func (c *ClientConn) hold(id string, params []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, there := c.early[id]
	if c.waiting == 0 || !there && len(c.early) >= maxEarlySessions || c.bytes+len(params) > maxEarlyBytes {
		return false
	}
	if c.early == nil {
		c.early = make(map[string][][]byte)
	}
	c.early[id] = append(c.early[id], bytes.Clone(params))
	c.bytes += len(params)
	return true
}

// admit makes a session known and handles what came for it before. It runs in
// the turn of the response, so no later update overtakes.
func (c *ClientConn) admit(turn context.Context, id string) *ClientSession {
	c.mu.Lock()
	s := c.sessions[id]
	if s == nil {
		s = &ClientSession{conn: c, id: id}
		c.sessions[id] = s
	}
	updates := c.early[id]
	delete(c.early, id)
	for _, u := range updates {
		c.bytes -= len(u)
	}
	c.mu.Unlock()
	for _, u := range updates {
		c.update(turn, s, u)
	}
	return s
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
			c.problem(fmt.Errorf("an update came for session %s, which is not open", strconv.QuoteToASCII(m.SessionID)))
		}
		return
	}
	c.update(ctx, s, m.Params())
}

func (c *ClientConn) update(ctx context.Context, s *ClientSession, params []byte) {
	var n UpdateNotification
	if err := n.UnmarshalJSON(params); err != nil {
		c.problem(fmt.Errorf("%s: an update is malformed and was dropped: %w", MethodUpdate, err))
		return
	}
	if l, ok := n.Update.(*AvailableCommandsUpdate); ok {
		s.setCommands(l.AvailableCommands)
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
	fs, _ := c.client.handler.(FileSystem)
	switch {
	case r.Method == MethodRequestPermission:
		c.permission(r)
	case r.Method == MethodReadTextFile && fs != nil:
		call(r, func(ctx context.Context, req *ReadTextFileRequest) (*ReadTextFileResponse, error) {
			s := c.session(req.SessionID)
			if s == nil {
				return nil, sessionNotFound(req.SessionID)
			}
			return fs.ReadTextFile(ctx, s, req)
		})
	case r.Method == MethodWriteTextFile && fs != nil:
		call(r, func(ctx context.Context, req *WriteTextFileRequest) (*Empty, error) {
			s := c.session(req.SessionID)
			if s == nil {
				return nil, sessionNotFound(req.SessionID)
			}
			return &Empty{}, fs.WriteTextFile(ctx, s, req)
		})
	default:
		extensionRequest(r, c.client.handler)
	}
}

func (c clientHandler) permission(r *jsonrpc.IncomingRequest) {
	var req RequestPermissionRequest
	if err := decodeParams(r.Params(), &req); err != nil {
		r.Reply(nil, err)
		return
	}
	s := c.session(req.SessionID)
	if s == nil {
		r.Reply(nil, sessionNotFound(req.SessionID))
		return
	}
	ctx, done := s.question(r.Context())
	r.Go(func(context.Context) (any, error) {
		defer done()
		resp, err := c.client.handler.RequestPermission(ctx, s, &req)
		switch {
		case errors.Is(context.Cause(ctx), errCancelled):
			return Cancelled(), nil
		case err == nil && resp == nil:
			err = errNoResponse
		}
		return resp, err
	})
}
