// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"context"
	"encoding/json"
	"io"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// An AgentHandler is what an agent does. Its methods are called concurrently,
// save that the setup and the prompts of one session come one at a time, in the
// order of the wire. A context ends when the client cancels the request, when
// the session is closed or when the connection ends.
//
// An error is sent to the client as it is when it is a *[jsonrpc.Error] or a
// *[PromptError], and as an internal error otherwise.
//
// What else an agent can do it says by implementing [SessionForker],
// [SessionDeleter], [ConfigOptionSetter], [SkillChecker] or [ExtensionHandler].
type AgentHandler interface {
	// NewSession sets up a session. What it sends with s is held back until
	// the client has the response and knows the session; a list that it sets
	// becomes part of the response. An empty SessionID in the response
	// stands for s.ID().
	NewSession(ctx context.Context, s *AgentSession, r *NewSessionRequest) (*NewSessionResponse, error)

	// ResumeSession sets up a session that was there before. What it sends
	// with s goes out before the response: the replay, when r asks for one,
	// and then the state.
	ResumeSession(ctx context.Context, s *AgentSession, r *ResumeSessionRequest) (*ResumeSessionResponse, error)

	// ListSessions returns a page of the sessions that can be resumed.
	ListSessions(ctx context.Context, r *ListSessionsRequest) (*ListSessionsResponse, error)

	// CloseSession ends what the session does. Afterwards the session's
	// context ends, its goroutines are waited for, and nothing can be sent.
	CloseSession(ctx context.Context, s *AgentSession) error

	// Prompt inserts a user message into the session and returns its id. It
	// may wait until the message can be inserted, and must not wait for the
	// work on it: that goes to s.Go. The prompt has passed ACP-P1 to ACP-P4.
	// ctx also ends when the client cancels the session's work: a message that
	// is not inserted by then must not be, and one that is gets its response.
	Prompt(ctx context.Context, s *AgentSession, p *UserPrompt) (*PromptResponse, error)

	// Cancel ends the work on the prompts that were inserted. The contexts of
	// those that were not have ended. It is called in the order of the wire
	// and must not wait.
	Cancel(ctx context.Context, s *AgentSession)
}

// A UserPrompt is a prompt whose skill blocks all stand.
type UserPrompt struct {
	PromptRequest
	Skills []ResolvedSkill // the skill blocks, in their order
}

// A SessionForker is an [AgentHandler] that can copy a session. s is the new
// one; as with NewSession, what is sent with it waits for the response.
type SessionForker interface {
	ForkSession(ctx context.Context, s *AgentSession, r *ForkSessionRequest) (*ForkSessionResponse, error)
}

// A SessionDeleter is an [AgentHandler] that can delete a session for good. When
// the session is open it is closed first.
type SessionDeleter interface {
	DeleteSession(ctx context.Context, sessionID string) error
}

// A ConfigOptionSetter is an [AgentHandler] whose sessions have options.
type ConfigOptionSetter interface {
	SetConfigOption(ctx context.Context, s *AgentSession, r *SetConfigOptionRequest) (*SetConfigOptionResponse, error)
}

// A SkillChecker is an [AgentHandler] that knows more of skills than the list
// says. It can refuse a name that is still listed, and say of one that is not
// why it is not. It cannot allow a name that is not listed.
type SkillChecker interface {
	CheckSkill(s *AgentSession, name string) Resolution
}

// An ExtensionHandler takes what this package does not know, on either side:
// methods that start with an underscore, and the protocol's other ones. peer is
// there to answer with calls and notifications. Without it such a request is
// answered with -32601, and such a notification ignored.
type ExtensionHandler interface {
	HandleRequest(ctx context.Context, peer *jsonrpc.Conn, method string, params json.RawMessage) (result any, err error)
	// HandleNotification is called in the order of the wire and must not wait.
	// params is valid until it returns.
	HandleNotification(ctx context.Context, peer *jsonrpc.Conn, method string, params json.RawMessage)
}

// AgentOptions set up an [Agent]. Info is required.
type AgentOptions struct {
	Info Implementation

	// Skills is where prompts may have skill blocks. An agent that lists
	// skills has to set at least Skill (ACP-C3).
	Skills SkillSupport

	// Capabilities is what else the agent can do. Sessions, Skills and what
	// the handler implements are added.
	Capabilities AgentCapabilities

	// AuthMethods are sent as they are. The methods that go with them are an
	// [ExtensionHandler]'s.
	AuthMethods []AuthMethod

	// Versions are agents of other versions of the protocol, which get the
	// connections whose client asks for their version.
	Versions []AgentVersion

	// Conn sets up the connections.
	Conn *jsonrpc.ConnOptions
}

// An Agent serves clients. It may serve several connections, each with sessions
// of its own.
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

// Serve serves the client at the other end of the stream until it goes or ctx
// ends, and closes the stream. When it returns, all goroutines of the connection
// and its sessions have ended.
func (a *Agent) Serve(ctx context.Context, stream io.ReadWriteCloser) error {
	c := &agentConn{agent: a, sessions: make(map[string]*AgentSession)}
	c.base, c.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	v := &versionedAgent{own: c, ctx: ctx, current: c}
	c.conn = jsonrpc.NewConn(stream, v, a.opts.Conn)
	v.conn = c.conn
	err := c.conn.Serve(ctx)
	v.end()
	return err
}

// capabilities is what the agent advertises.
func (a *Agent) capabilities() AgentCapabilities {
	out := a.opts.Capabilities
	var session SessionCapabilities
	if out.Session != nil {
		session = *out.Session
	}
	if skill := a.opts.Skills.Capability(); skill != nil {
		var prompt PromptCapabilities
		if session.Prompt != nil {
			prompt = *session.Prompt
		}
		prompt.Skill = skill
		session.Prompt = &prompt
	}
	if _, ok := a.handler.(SessionForker); ok && session.Fork == nil {
		session.Fork = &Capability{}
	}
	if _, ok := a.handler.(SessionDeleter); ok && session.Delete == nil {
		session.Delete = &Capability{}
	}
	out.Session = &session
	return out
}
