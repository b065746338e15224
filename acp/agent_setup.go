// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// errNoResponse is for a handler that returns neither a response nor an error.
var errNoResponse = errors.New("the agent's handler returned no response")

func (c *agentConn) newSession(r *jsonrpc.IncomingRequest) {
	call(r, func(ctx context.Context, req *NewSessionRequest) (*NewSessionResponse, error) {
		s := newAgentSession(c, "sess_"+rand.Text(), false)
		resp, err := c.agent.handler.NewSession(ctx, s, req)
		return c.setUp(r, s, resp, err)
	})
}

func (c *agentConn) forkSession(r *jsonrpc.IncomingRequest) {
	forker, ok := c.agent.handler.(SessionForker)
	if !ok {
		r.Reply(nil, jsonrpc.MethodNotFound(r.Method))
		return
	}
	call(r, func(ctx context.Context, req *ForkSessionRequest) (*ForkSessionResponse, error) {
		s := newAgentSession(c, "sess_"+rand.Text(), false)
		resp, err := forker.ForkSession(ctx, s, req)
		return c.setUp(r, s, resp, err)
	})
}

// setUp makes a session known that the handler has set up. The client does not
// know it before the response is there, so what the session sends waits for that
// (C01).
func (c *agentConn) setUp(r *jsonrpc.IncomingRequest, s *AgentSession, resp *NewSessionResponse, err error) (*NewSessionResponse, error) {
	if err == nil && resp == nil {
		err = errNoResponse
	}
	var out NewSessionResponse
	if err == nil {
		out = *resp
		out.AvailableCommands, err = s.adopt(out.AvailableCommands, out.SessionID)
		out.SessionID = s.ID()
	}
	if err != nil {
		s.end(errSetupFailed)
		return nil, err
	}
	c.mu.Lock()
	if c.sessions[s.ID()] != nil {
		c.mu.Unlock()
		s.end(errSetupFailed)
		return nil, errors.New("the agent's handler returned the id of a session that is open")
	}
	c.sessions[s.ID()] = s
	c.mu.Unlock()
	r.After(func(ok bool) {
		if ok {
			s.openUp()
		} else {
			c.forget(s)
			s.end(errSetupFailed)
		}
	})
	return &out, nil
}

func (c *agentConn) resumeSession(r *jsonrpc.IncomingRequest) {
	var req ResumeSessionRequest
	if err := decodeParams(r.Params(), &req); err != nil {
		r.Reply(nil, err)
		return
	}
	c.mu.Lock()
	s := c.sessions[req.SessionID]
	fresh := s == nil
	if fresh {
		s = newAgentSession(c, req.SessionID, true)
		c.sessions[req.SessionID] = s
	}
	c.mu.Unlock()
	r.After(func(bool) { s.openUp() })
	s.inTurn(r, s.ctx, func(ctx context.Context) (any, error) {
		resp, err := c.agent.handler.ResumeSession(ctx, s, &req)
		if err == nil && resp == nil {
			err = errNoResponse
		}
		var out ResumeSessionResponse
		if err == nil {
			out = *resp
			if out.AvailableCommands != nil {
				out.AvailableCommands, err = s.adopt(out.AvailableCommands, "")
			}
		}
		if err != nil && fresh {
			c.forget(s)
			s.end(errSetupFailed)
		}
		return &out, err
	})
}

// closeSession succeeds for a session that is not open: it is closed.
func (c *agentConn) closeSession(r *jsonrpc.IncomingRequest) {
	call(r, func(ctx context.Context, ref *SessionRef) (*Empty, error) {
		return &Empty{}, c.closeOpen(ctx, ref.SessionID)
	})
}

func (c *agentConn) closeOpen(ctx context.Context, id string) error {
	s := c.session(id)
	if s == nil {
		return nil
	}
	s.awaitOpen(ctx)
	if err := c.agent.handler.CloseSession(ctx, s); err != nil {
		return err
	}
	c.forget(s)
	s.end(errSessionClosed)
	return nil
}

func (c *agentConn) deleteSession(r *jsonrpc.IncomingRequest) {
	deleter, ok := c.agent.handler.(SessionDeleter)
	if !ok {
		r.Reply(nil, jsonrpc.MethodNotFound(r.Method))
		return
	}
	call(r, func(ctx context.Context, ref *SessionRef) (*Empty, error) {
		if err := c.closeOpen(ctx, ref.SessionID); err != nil {
			return nil, err
		}
		return &Empty{}, deleter.DeleteSession(ctx, ref.SessionID)
	})
}

// forget takes the session out of the table, if it still stands there.
func (c *agentConn) forget(s *AgentSession) {
	id := s.ID()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[id] == s {
		delete(c.sessions, id)
	}
}

func (c *agentConn) setConfigOption(r *jsonrpc.IncomingRequest) {
	setter, ok := c.agent.handler.(ConfigOptionSetter)
	if !ok {
		r.Reply(nil, jsonrpc.MethodNotFound(r.Method))
		return
	}
	call(r, func(ctx context.Context, req *SetConfigOptionRequest) (*SetConfigOptionResponse, error) {
		s := c.session(req.SessionID)
		if s == nil {
			return nil, sessionNotFound(req.SessionID)
		}
		s.awaitOpen(ctx)
		return setter.SetConfigOption(ctx, s, req)
	})
}
