// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// A ClientHandler is what a client does with what the agent sends. A client that
// serves files implements [FileSystem], and one that serves terminals or other
// methods [ExtensionHandler].
type ClientHandler interface {
	// SessionUpdate takes an update. It is called for one update at a time,
	// in the order of the wire, and must not wait for the agent.
	SessionUpdate(ctx context.Context, s *ClientSession, u SessionUpdate)

	// RequestPermission asks the user, in a goroutine of its own. ctx ends
	// when the question is taken back or the turn is cancelled; what is
	// returned then does not matter.
	RequestPermission(ctx context.Context, s *ClientSession, r *RequestPermissionRequest) (*RequestPermissionResponse, error)
}

// A FileSystem is a [ClientHandler] that lets agents read and write files. Paths
// are absolute, and which of them an agent may touch is for the client to say.
type FileSystem interface {
	ReadTextFile(ctx context.Context, s *ClientSession, r *ReadTextFileRequest) (*ReadTextFileResponse, error)
	WriteTextFile(ctx context.Context, s *ClientSession, r *WriteTextFileRequest) error
}

// ClientOptions set up a [Client]. Info is required.
type ClientOptions struct {
	Info Implementation

	// Capabilities is what the client advertises. A [FileSystem] is added.
	Capabilities *ClientCapabilities

	// Problem, if not nil, is told of messages of the agent that had to be
	// dropped, and why.
	Problem func(error)

	// Conn sets up the connections of Connect. SkipNoise is always on.
	Conn *jsonrpc.ConnOptions
}

// A Client talks to agents of version 1.
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
	return c
}

// ProtocolVersion is 1, for whoever chooses between agents or clients of
// several versions.
func (c *Client) ProtocolVersion() int { return ProtocolVersion }

// A VersionError says that the agent speaks another version of the protocol.
type VersionError struct {
	Got int // the version that the agent answered with
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the agent speaks version %d of the protocol, this client version %d", e.Got, ProtocolVersion)
}

// initialize is what the client says of itself.
func (c *Client) initialize() *InitializeRequest {
	caps := ClientCapabilities{}
	if c.opts.Capabilities != nil {
		caps = *c.opts.Capabilities
	}
	if _, ok := c.handler.(FileSystem); ok && caps.FS == nil {
		caps.FS = &FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}
	}
	info := c.opts.Info
	return &InitializeRequest{ProtocolVersion: ProtocolVersion, ClientInfo: &info, ClientCapabilities: &caps}
}

// Connect opens a connection to the agent at the other end of the stream, and
// takes the stream over. The error is a *[VersionError] when the agent speaks
// another version.
func (c *Client) Connect(ctx context.Context, stream io.ReadWriteCloser) (*ClientConn, error) {
	var opts jsonrpc.ConnOptions
	if c.opts.Conn != nil {
		opts = *c.opts.Conn
	}
	opts.SkipNoise = true
	if opts.Problem == nil {
		opts.Problem = c.opts.Problem
	}
	cc := newClientConn(c)
	cc.conn = jsonrpc.NewConn(stream, clientHandler{cc}, &opts)
	done := make(chan struct{})
	cc.done = done
	go func() {
		defer close(done)
		cc.err = cc.conn.Serve(context.WithoutCancel(ctx))
	}()
	// An agent that has not even answered is not waited for.
	stop := context.AfterFunc(ctx, func() { _ = cc.conn.Close() })
	var raw json.RawMessage
	err := cc.conn.Call(ctx, MethodInitialize, c.initialize(), &raw)
	if err == nil {
		err = cc.initialized(raw)
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

// Offer is what a client of several versions adds to its initialize request, so
// that an agent of this version knows it.
func (c *Client) Offer() map[string]json.Marshaler {
	r := c.initialize()
	return map[string]json.Marshaler{"clientInfo": r.ClientInfo, "clientCapabilities": r.ClientCapabilities}
}

// Adopt takes over a connection whose agent has answered initialize with version
// 1. It returns a *[ClientConn], and the handler of what the agent sends.
func (c *Client) Adopt(conn *jsonrpc.Conn, result json.RawMessage) (clientConn any, h jsonrpc.Handler, err error) {
	cc := newClientConn(c)
	cc.conn, cc.done = conn, conn.Done()
	if err := cc.initialized(result); err != nil {
		return nil, nil, err
	}
	return cc, clientHandler{cc}, nil
}

func (c *ClientConn) initialized(raw []byte) error {
	if err := c.agent.UnmarshalJSON(raw); err != nil {
		return fmt.Errorf("%s: the agent's answer is malformed: %w", MethodInitialize, err)
	}
	if c.agent.ProtocolVersion != ProtocolVersion {
		return &VersionError{c.agent.ProtocolVersion}
	}
	return nil
}
