// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

var _ acp.ExtensionHandler = (*handler)(nil)

// errStopped is why a call ended that the client has ended alone.
var errStopped = errors.New("the user has ended this call")

// HandleRequest implements [acp.ExtensionHandler]: a client can end one call, or what
// runs in a terminal, and the turn goes on.
func (h *handler) HandleRequest(_ context.Context, _ *jsonrpc.Conn, method string, params json.RawMessage) (any, error) {
	var session, id string
	switch method {
	case acp.MethodCancelToolCall:
		var r acp.CancelToolCallRequest
		if err := r.UnmarshalJSON(params); err != nil {
			return nil, invalidParams("params: %v", err)
		}
		session, id = r.SessionID, r.ToolCallID
	case acp.MethodCancelTerminal:
		var r acp.CancelTerminalRequest
		if err := r.UnmarshalJSON(params); err != nil {
			return nil, invalidParams("params: %v", err)
		}
		session, id = r.SessionID, r.TerminalID
	default:
		return nil, jsonrpc.MethodNotFound(method)
	}
	h.mu.Lock()
	s := h.sessions[session]
	h.mu.Unlock()
	if s == nil {
		return nil, sessionNotFound(session)
	}
	s.mu.Lock()
	stop := s.stops[id]
	s.mu.Unlock()
	if stop != nil { // else it has ended already, as wanted
		stop(errStopped)
	}
	return &acp.Empty{}, nil
}

// HandleNotification implements [acp.ExtensionHandler].
func (h *handler) HandleNotification(context.Context, *jsonrpc.Conn, string, json.RawMessage) {}

// stoppable lets the client end what runs under an id, until done is called.
func (s *session) stoppable(id string, stop context.CancelCauseFunc) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stops == nil {
		s.stops = map[string]context.CancelCauseFunc{}
	}
	s.stops[id] = stop
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.stops, id)
	}
}
