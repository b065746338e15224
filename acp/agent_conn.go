// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/skillgraft/skillgraft/acp/internal/object"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// An agentConn is an agent at one client. It is the connection's handler: its
// two methods are called in the order of the wire, and take decisions about
// state before the next message is looked at.
type agentConn struct {
	agent *Agent
	conn  *jsonrpc.Conn
	base  context.Context // of the sessions
	stop  context.CancelCauseFunc
	work  sync.WaitGroup // of the sessions

	mu       sync.Mutex
	client   *InitializeRequest // nil before initialize
	started  bool               // another request has come, so initialize is over
	sessions map[string]*AgentSession
	ended    bool // no session starts work any more
}

// begin counts a goroutine of a session in, unless the connection has ended.
func (c *agentConn) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.work.Add(1)
	}
	return !c.ended
}

// end stops the work of all sessions and waits for it.
func (c *agentConn) end() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.stop(jsonrpc.ErrClosed)
	c.work.Wait()
}

// HandleRequest implements [jsonrpc.Handler].
func (c *agentConn) HandleRequest(r *jsonrpc.IncomingRequest) {
	if r.Method == MethodInitialize {
		r.Reply(c.initialize(r.Params()))
		return
	}
	c.mu.Lock()
	ready := c.client != nil
	c.started = c.started || ready
	c.mu.Unlock()
	if !ready {
		r.Reply(nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "initialize has to come before %.100q", r.Method))
		return
	}
	switch r.Method {
	case MethodNewSession:
		c.newSession(r)
	case MethodForkSession:
		c.forkSession(r)
	case MethodResumeSession:
		c.resumeSession(r)
	case MethodListSessions:
		call(r, c.agent.handler.ListSessions)
	case MethodCloseSession:
		c.closeSession(r)
	case MethodDeleteSession:
		c.deleteSession(r)
	case MethodSetConfigOption:
		c.setConfigOption(r)
	case MethodPrompt:
		c.prompt(r)
	default:
		extensionRequest(r, c.agent.handler)
	}
}

// HandleNotification implements [jsonrpc.Handler].
func (c *agentConn) HandleNotification(ctx context.Context, m *jsonrpc.Message) {
	c.mu.Lock()
	ready := c.client != nil
	c.mu.Unlock()
	switch {
	case !ready: // nobody has said who is there
	case m.Method == MethodCancel:
		if s := c.session(m.SessionID); s != nil {
			s.cancelPrompts()
			c.agent.handler.Cancel(ctx, s)
		}
	default:
		if x, ok := c.agent.handler.(ExtensionHandler); ok {
			x.HandleNotification(ctx, c.conn, m.Method, json.RawMessage(m.Params()))
		}
	}
}

// initialize may come again until another request was sent: the client then
// takes back what it said, and the last one counts.
func (c *agentConn) initialize(params []byte) (any, error) {
	var req InitializeRequest
	if err := decodeParams(params, &req); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "initialize cannot be repeated after another request")
	}
	version, ok := Negotiate(req.ProtocolVersion, ProtocolVersion)
	if !ok {
		return nil, unsupportedVersion(req.ProtocolVersion, ProtocolVersion)
	}
	c.client = &req
	return &InitializeResponse{
		ProtocolVersion: version, Info: c.agent.opts.Info,
		Capabilities: c.agent.capabilities(), AuthMethods: c.agent.opts.AuthMethods,
	}, nil
}

func unsupportedVersion(requested, supported int) *jsonrpc.Error {
	e := jsonrpc.Errorf(jsonrpc.CodeUnsupportedVersion, "protocol version %d is not supported; this agent speaks version %d", requested, supported)
	e.Data = []byte(`{"requested":` + strconv.Itoa(requested) + `,"supported":[` + strconv.Itoa(supported) + `]}`)
	return e
}

func (c *agentConn) session(id string) *AgentSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

func (c *agentConn) clientCapabilities() *ClientCapabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &c.client.Capabilities
}

// sessionNotFound is the error for a session that is not open.
func sessionNotFound(id string) *jsonrpc.Error {
	e := jsonrpc.Errorf(jsonrpc.CodeNotFound, "session %s is not open; create or resume it first", showName(id))
	e.Data = append(append([]byte(`{"sessionId":`), rawjson.Quote(id)...), '}')
	return e
}

// decodeParams reads parameters; the error is the answer to the request.
func decodeParams(params []byte, v json.Unmarshaler) error {
	if params == nil {
		params = []byte("{}")
	}
	if err := v.UnmarshalJSON(params); err != nil {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%v", object.At("params", err))
	}
	return nil
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

// extensionRequest hands on what this package does not know.
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
