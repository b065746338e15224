// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"context"
	"encoding/json"
	"io"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// An AgentHandler is what an agent does. Its methods are called concurrently. A
// context ends when the client cancels the request or the connection ends.
//
// An error is sent as it is when it is a *[jsonrpc.Error], and as an internal
// error otherwise.
//
// What else an agent can do it says by implementing [SessionLoader],
// [SessionLister], [SessionCloser], [ModeSetter], [ConfigOptionSetter],
// [Authenticator] or [ExtensionHandler].
type AgentHandler interface {
	// NewSession sets up a session. What it sends with s waits until the
	// client has the response. An empty SessionID in the response stands for
	// s.ID().
	NewSession(ctx context.Context, s *AgentSession, r *NewSessionRequest) (*NewSessionResponse, error)

	// Prompt works on a message of the user and returns when that is done.
	// ctx also ends when the client cancels the turn: the answer is then that
	// it was cancelled, whatever Prompt returns.
	Prompt(ctx context.Context, s *AgentSession, r *PromptRequest) (*PromptResponse, error)
}

// A SessionLoader is an [AgentHandler] that can open a session again. What it
// sends with s goes out before the response: the replay of the session.
type SessionLoader interface {
	LoadSession(ctx context.Context, s *AgentSession, r *LoadSessionRequest) (*LoadSessionResponse, error)
}

// A SessionLister is an [AgentHandler] that can list sessions.
type SessionLister interface {
	ListSessions(ctx context.Context, r *ListSessionsRequest) (*ListSessionsResponse, error)
}

// A SessionCloser is an [AgentHandler] that is told when a session ends. Its turn
// has been cancelled by then.
type SessionCloser interface {
	CloseSession(ctx context.Context, s *AgentSession) error
}

// A ModeSetter is an [AgentHandler] whose sessions have modes.
type ModeSetter interface {
	SetMode(ctx context.Context, s *AgentSession, r *SetModeRequest) error
}

// A ConfigOptionSetter is an [AgentHandler] whose sessions have options.
type ConfigOptionSetter interface {
	SetConfigOption(ctx context.Context, s *AgentSession, r *SetConfigOptionRequest) (*SetConfigOptionResponse, error)
}

// An Authenticator is an [AgentHandler] that has to know its user.
type Authenticator interface {
	Authenticate(ctx context.Context, methodID string) error
}

// An ExtensionHandler takes the methods that this package does not handle, on
// either side. Without it such a request is answered with -32601, and such a
// notification ignored.
type ExtensionHandler interface {
	HandleRequest(ctx context.Context, peer *jsonrpc.Conn, method string, params json.RawMessage) (result any, err error)
	// HandleNotification is called in the order of the wire and must not wait.
	HandleNotification(ctx context.Context, peer *jsonrpc.Conn, method string, params json.RawMessage)
}

// AgentOptions set up an [Agent]. Info is required.
type AgentOptions struct {
	Info Implementation

	// Capabilities is what the agent can do. What its handler implements is
	// added.
	Capabilities AgentCapabilities

	// AuthMethods are the ways to authenticate, for an [Authenticator].
	AuthMethods []AuthMethod

	// Conn sets up the connections of Serve.
	Conn *jsonrpc.ConnOptions
}

// An Agent serves clients of version 1.
type Agent struct {
	handler AgentHandler
	opts    AgentOptions
}

// NewAgent makes an agent of a handler.
func NewAgent(h AgentHandler, opts *AgentOptions) *Agent {
	a := &Agent{handler: h}
	if opts != nil {
		a.opts = *opts
	}
	return a
}

// ProtocolVersion is 1, for whoever chooses between agents or clients of
// several versions.
func (a *Agent) ProtocolVersion() int { return ProtocolVersion }

// Serve serves the client at the other end of the stream until it goes or ctx
// ends, and closes the stream. When it returns, all goroutines of the connection
// have ended.
func (a *Agent) Serve(ctx context.Context, stream io.ReadWriteCloser) error {
	c := &agentConn{agent: a, sessions: make(map[string]*AgentSession)}
	c.base, c.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	c.conn = jsonrpc.NewConn(stream, c, a.opts.Conn)
	defer c.end()
	return c.conn.Serve(ctx)
}

// Attach makes the agent the handler of a connection that another one has
// accepted, such as an agent of several versions. end is called when the
// connection has ended.
func (a *Agent) Attach(ctx context.Context, conn *jsonrpc.Conn) (h jsonrpc.Handler, end func()) {
	c := &agentConn{agent: a, conn: conn, sessions: make(map[string]*AgentSession)}
	c.base, c.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	return c, c.end
}

// capabilities is what the agent advertises.
func (a *Agent) capabilities() *AgentCapabilities {
	out := a.opts.Capabilities
	var session SessionCapabilities
	if out.SessionCapabilities != nil {
		session = *out.SessionCapabilities
	}
	if _, ok := a.handler.(SessionLoader); ok {
		out.LoadSession = true
	}
	if _, ok := a.handler.(SessionLister); ok && session.List == nil {
		session.List = &Capability{}
	}
	if _, ok := a.handler.(SessionCloser); ok && session.Close == nil {
		session.Close = &Capability{}
	}
	out.SessionCapabilities = &session
	return &out
}
