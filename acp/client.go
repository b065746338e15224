// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// A ClientHandler is what a client does with what the agent sends. A client that
// lets agents ask for more than permission implements [Elicitor], and one that
// serves other methods [ExtensionHandler].
type ClientHandler interface {
	// SessionUpdate takes an update. It is called for one update at a time,
	// in the order of the wire, and before the calls return whose responses
	// stand behind the update; so it must not wait for the agent. Updates of
	// a new session come when the session is known, and may come before
	// NewSession has returned.
	SessionUpdate(ctx context.Context, s *ClientSession, u SessionUpdate)

	// RequestPermission asks the user. It is called in a goroutine of its
	// own. ctx ends when the question is taken back or the session is
	// cancelled; what is returned then does not matter.
	RequestPermission(ctx context.Context, s *ClientSession, r *RequestPermissionRequest) (*RequestPermissionResponse, error)
}

// ClientOptions set up a [Client]. Info is required.
type ClientOptions struct {
	Info Implementation

	// Capabilities is what the client advertises. A client that can show
	// skills and send skill blocks uses [SkillClient].
	Capabilities *ClientCapabilities

	// Problem, if not nil, is told of messages of the agent that had to be
	// dropped, and why.
	Problem func(error)

	// Versions are clients of other versions of the protocol, which get the
	// connections whose agent answers with their version; see
	// [ClientConn.Other].
	Versions []ClientVersion

	// Conn sets up the connections. SkipNoise is always on: an agent's
	// standard output may hold more than messages.
	Conn *jsonrpc.ConnOptions
}

// A Client talks to agents.
type Client struct {
	handler ClientHandler
	opts    ClientOptions
}

// NewClient makes a client of a handler.
func NewClient(h ClientHandler, opts *ClientOptions) *Client {
	c := &Client{handler: h}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Capabilities == nil {
		c.opts.Capabilities = &ClientCapabilities{}
	}
	return c
}

// A VersionError says that the agent speaks another version of the protocol.
type VersionError struct {
	Agent Implementation
	Got   int // the version that the agent answered with
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the agent %s speaks version %d of the protocol, this client version %d", showName(e.Agent.Name), e.Got, ProtocolVersion)
}

// Connect opens a connection to the agent at the other end of the stream, and
// takes the stream over. The error is a *[VersionError] when the agent speaks
// a version that is neither ours nor one of [ClientOptions].
func (c *Client) Connect(ctx context.Context, stream io.ReadWriteCloser) (*ClientConn, error) {
	cc := &ClientConn{client: c, done: make(chan struct{}), sessions: make(map[string]*ClientSession)}
	var opts jsonrpc.ConnOptions
	if c.opts.Conn != nil {
		opts = *c.opts.Conn
	}
	opts.SkipNoise = true
	if opts.Problem == nil {
		opts.Problem = c.opts.Problem
	}
	v := &versionedClient{own: clientHandler{cc}}
	cc.conn = jsonrpc.NewConn(stream, v, &opts)
	go func() {
		defer close(cc.done)
		cc.err = cc.conn.Serve(context.WithoutCancel(ctx))
	}()
	// An agent that has not even answered is not waited for.
	stop := context.AfterFunc(ctx, func() { _ = cc.conn.Close() })

	// An agent of version 1 answers in its own shape, which need not be
	// readable as ours: the version counts first.
	req := &InitializeRequest{ProtocolVersion: ProtocolVersion, Info: c.opts.Info, Capabilities: *c.opts.Capabilities}
	for _, o := range c.opts.Versions {
		if err := req.offer(o); err != nil {
			_ = cc.Close()
			return nil, err
		}
	}
	var bad error
	err := cc.conn.CallWith(ctx, MethodInitialize, req, nil, &jsonrpc.CallOptions{Answered: func(_ context.Context, raw []byte) {
		var taken bool
		if taken, bad = v.adopt(cc, raw); !taken {
			bad = cc.negotiated(raw)
		}
	}})
	if err == nil {
		err = bad
	}
	if !stop() && err == nil || errors.Is(err, jsonrpc.ErrClosed) && ctx.Err() != nil {
		err = fmt.Errorf("%s: %w", MethodInitialize, context.Cause(ctx))
	}
	if err != nil {
		_ = cc.Close()
		return nil, err
	}
	return cc, nil
}

func (c *ClientConn) negotiated(raw []byte) error {
	var version struct {
		ProtocolVersion int             `json:"protocolVersion"`
		AgentInfo       json.RawMessage `json:"agentInfo"` // where version 1 has it
	}
	if err := json.Unmarshal(raw, &version); err == nil && version.ProtocolVersion != ProtocolVersion {
		e := &VersionError{Got: version.ProtocolVersion}
		if c.agent.UnmarshalJSON(raw) == nil {
			e.Agent = c.agent.Info
		} else {
			_ = e.Agent.UnmarshalJSON(version.AgentInfo) // only to be named
		}
		return e
	}
	if err := c.agent.UnmarshalJSON(raw); err != nil {
		return fmt.Errorf("%s: the agent's answer is malformed: %w", MethodInitialize, err)
	}
	return nil
}

// offer adds what a client of another version says of itself, so that an agent
// which does not know ours knows it all the same.
func (r *InitializeRequest) offer(o ClientVersion) error {
	all := o.Offer()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		raw, err := all[name].MarshalJSON()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.Extra = append(r.Extra, Member{Name: name, Value: raw})
	}
	return nil
}
