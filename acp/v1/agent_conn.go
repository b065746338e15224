// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// An agentConn is an agent at one client.
type agentConn struct {
	agent *Agent
	conn  *jsonrpc.Conn
	base  context.Context // of the sessions
	stop  context.CancelCauseFunc

	mu       sync.Mutex
	client   *InitializeRequest // nil before initialize
	sessions map[string]*AgentSession
}

func (c *agentConn) end() { c.stop(jsonrpc.ErrClosed) }

// HandleRequest implements [jsonrpc.Handler].
func (c *agentConn) HandleRequest(r *jsonrpc.IncomingRequest) {
	if r.Method == MethodInitialize {
		r.Reply(c.initialize(r.Params()))
		return
	}
	c.mu.Lock()
	ready := c.client != nil
	c.mu.Unlock()
	if !ready {
		r.Reply(nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "initialize has to come before %.100q", r.Method))
		return
	}
	h := c.agent.handler
	switch r.Method {
	case MethodNewSession:
		c.newSession(r)
		return
	case MethodPrompt:
		c.prompt(r)
		return
	case MethodLoadSession:
		if l, ok := h.(SessionLoader); ok {
			c.loadSession(r, l)
			return
		}
	case MethodListSessions:
		if l, ok := h.(SessionLister); ok {
			call(r, l.ListSessions)
			return
		}
	case MethodCloseSession:
		if _, ok := h.(SessionCloser); ok {
			call(r, c.closeSession)
			return
		}
	case MethodSetMode:
		if m, ok := h.(ModeSetter); ok {
			call(r, func(ctx context.Context, req *SetModeRequest) (*Empty, error) {
				s, err := c.open(req.SessionID)
				if err == nil {
					err = m.SetMode(ctx, s, req)
				}
				return &Empty{}, err
			})
			return
		}
	case MethodSetConfigOption:
		if o, ok := h.(ConfigOptionSetter); ok {
			call(r, func(ctx context.Context, req *SetConfigOptionRequest) (*SetConfigOptionResponse, error) {
				s, err := c.open(req.SessionID)
				if err != nil {
					return nil, err
				}
				return o.SetConfigOption(ctx, s, req)
			})
			return
		}
	case MethodAuthenticate:
		if a, ok := h.(Authenticator); ok {
			call(r, func(ctx context.Context, req *AuthenticateRequest) (*Empty, error) {
				return &Empty{}, a.Authenticate(ctx, req.MethodID)
			})
			return
		}
	}
	extensionRequest(r, h)
}

// HandleNotification implements [jsonrpc.Handler].
func (c *agentConn) HandleNotification(ctx context.Context, m *jsonrpc.Message) {
	switch {
	case m.Method == MethodCancel:
		if s, err := c.open(m.SessionID); err == nil {
			s.cancelTurn()
		}
	default:
		if x, ok := c.agent.handler.(ExtensionHandler); ok {
			x.HandleNotification(ctx, c.conn, m.Method, json.RawMessage(m.Params()))
		}
	}
}

func (c *agentConn) initialize(params []byte) (any, error) {
	var req InitializeRequest
	if err := decodeParams(params, &req); err != nil {
		return nil, err
	}
	if req.ProtocolVersion < ProtocolVersion {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "protocol version %d is not supported; this agent speaks version %d", req.ProtocolVersion, ProtocolVersion)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client = &req
	info := c.agent.opts.Info
	return &InitializeResponse{
		ProtocolVersion: ProtocolVersion, AgentInfo: &info, AgentCapabilities: c.agent.capabilities(), AuthMethods: c.agent.opts.AuthMethods,
	}, nil
}

// open is a session that is open.
func (c *agentConn) open(id string) (*AgentSession, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[id]; s != nil {
		return s, nil
	}
	return nil, sessionNotFound(id)
}

func (c *agentConn) newSession(r *jsonrpc.IncomingRequest) {
	call(r, func(ctx context.Context, req *NewSessionRequest) (*NewSessionResponse, error) {
		s := newAgentSession(c, "sess_"+rand.Text(), false)
		resp, err := c.agent.handler.NewSession(ctx, s, req)
		if err == nil && resp == nil {
			err = errNoResponse
		}
		if err != nil {
			s.end()
			return nil, err
		}
		out := *resp
		if out.SessionID == "" {
			out.SessionID = s.id
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.sessions[out.SessionID] != nil {
			s.end()
			return nil, errors.New("the agent's handler returned the id of a session that is open")
		}
		s.rename(out.SessionID)
		c.sessions[out.SessionID] = s
		r.After(func(bool) { s.openUp() })
		return &out, nil
	})
}

func (c *agentConn) loadSession(r *jsonrpc.IncomingRequest, l SessionLoader) {
	call(r, func(ctx context.Context, req *LoadSessionRequest) (*LoadSessionResponse, error) {
		s := newAgentSession(c, req.SessionID, true)
		c.mu.Lock()
		before := c.sessions[req.SessionID]
		c.sessions[req.SessionID] = s
		c.mu.Unlock()
		if before != nil {
			before.end()
		}
		resp, err := l.LoadSession(ctx, s, req)
		if err == nil && resp == nil {
			err = errNoResponse
		}
		if err != nil {
			c.forget(s)
		}
		return resp, err
	})
}

func (c *agentConn) closeSession(ctx context.Context, ref *SessionRef) (*Empty, error) {
	s, err := c.open(ref.SessionID)
	if err != nil {
		return &Empty{}, nil // it is closed
	}
	s.cancelTurn()
	if err := c.agent.handler.(SessionCloser).CloseSession(ctx, s); err != nil {
		return nil, err
	}
	c.forget(s)
	return &Empty{}, nil
}

// forget takes the session out of the table and lets nothing out after that.
func (c *agentConn) forget(s *AgentSession) {
	c.mu.Lock()
	if c.sessions[s.id] == s {
		delete(c.sessions, s.id)
	}
	c.mu.Unlock()
	s.end()
}

// prompt runs a turn. Its context is made here, in the order of the wire, so
// that a cancellation behind the prompt always means it.
func (c *agentConn) prompt(r *jsonrpc.IncomingRequest) {
	var req PromptRequest
	if err := decodeParams(r.Params(), &req); err != nil {
		r.Reply(nil, err)
		return
	}
	s, err := c.open(req.SessionID)
	if err != nil {
		r.Reply(nil, err)
		return
	}
	turn, done := s.turn()
	r.Go(func(request context.Context) (any, error) {
		defer done()
		ctx, cancel := context.WithCancelCause(turn)
		defer cancel(nil)
		defer context.AfterFunc(request, func() { cancel(context.Cause(request)) })()
		s.awaitOpen(ctx)
		resp, err := c.agent.handler.Prompt(ctx, s, &req)
		switch {
		case errors.Is(context.Cause(turn), errCancelled):
			return &PromptResponse{StopReason: StopCancelled}, nil
		case err == nil && resp == nil:
			err = errNoResponse
		}
		return resp, err
	})
}

// call decodes the parameters and answers with what f returns.
func call[P any, R any, PP interface {
	*P
	json.Unmarshaler
}](r *jsonrpc.IncomingRequest, f func(ctx context.Context, params PP) (R, error)) {
	var params P
	if err := decodeParams(r.Params(), PP(&params)); err != nil {
		r.Reply(nil, err)
		return
	}
	r.Go(func(ctx context.Context) (any, error) { return f(ctx, PP(&params)) })
}

// extensionRequest hands on what this package does not handle.
func extensionRequest(r *jsonrpc.IncomingRequest, handler any) {
	x, ok := handler.(ExtensionHandler)
	if !ok {
		r.Reply(nil, jsonrpc.MethodNotFound(r.Method))
		return
	}
	r.Go(func(ctx context.Context) (any, error) {
		return x.HandleRequest(ctx, r.Conn(), r.Method, json.RawMessage(r.Params()))
	})
}
