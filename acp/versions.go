// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// An AgentVersion is an agent of another version of the protocol, such as the
// one of package acp/v1. An [Agent] that has some in its options gives them the
// connections whose client asks for their version.
type AgentVersion interface {
	ProtocolVersion() int

	// Attach makes the handler of a connection. end is called when the
	// connection has ended, and waits for what is left.
	Attach(ctx context.Context, conn *jsonrpc.Conn) (h jsonrpc.Handler, end func())
}

// A ClientVersion is a client of another version of the protocol, such as the
// one of package acp/v1. A [Client] that has some in its options gives them the
// connections whose agent answers with their version.
type ClientVersion interface {
	ProtocolVersion() int

	// Offer is what the initialize request says beside what this version
	// says, for an agent of that version.
	Offer() map[string]json.Marshaler

	// Adopt takes a connection over. result is the agent's answer; the
	// handler takes what the agent sends from now on.
	Adopt(conn *jsonrpc.Conn, result json.RawMessage) (clientConn any, h jsonrpc.Handler, err error)
}

// A versionedAgent is the handler of a connection whose version is not settled.
// The last initialize before another message counts.
type versionedAgent struct {
	own  *agentConn
	conn *jsonrpc.Conn
	ctx  context.Context

	mu      sync.Mutex
	current jsonrpc.Handler // own until the client has asked for another version
	settled bool
	ends    []func()
}

// HandleRequest implements [jsonrpc.Handler].
func (v *versionedAgent) HandleRequest(r *jsonrpc.IncomingRequest) {
	v.mu.Lock()
	if r.Method == MethodInitialize && !v.settled {
		v.choose(r.Params())
	} else {
		v.settled = true
	}
	h := v.current
	v.mu.Unlock()
	h.HandleRequest(r)
}

// HandleNotification implements [jsonrpc.Handler].
func (v *versionedAgent) HandleNotification(ctx context.Context, m *jsonrpc.Message) {
	v.mu.Lock()
	h := v.current
	v.mu.Unlock()
	h.HandleNotification(ctx, m)
}

// choose picks the highest version that is not above the one asked for. The lock
// is held.
func (v *versionedAgent) choose(params []byte) {
	v.current = v.own
	asked, err := readVersion(rawjson.Get(params, "protocolVersion"))
	if err != nil {
		return // ours says what is wrong with it
	}
	supported := []int{ProtocolVersion}
	for _, o := range v.own.agent.opts.Versions {
		supported = append(supported, o.ProtocolVersion())
	}
	version, _ := Negotiate(asked, supported...)
	for _, o := range v.own.agent.opts.Versions {
		if version == o.ProtocolVersion() && version != ProtocolVersion {
			h, end := o.Attach(v.ctx, v.conn)
			v.current, v.ends = h, append(v.ends, end)
			return
		}
	}
}

func (v *versionedAgent) end() {
	v.own.end()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, end := range v.ends {
		end()
	}
}

// A versionedClient is the handler of what an agent sends: ours, until another
// version has taken the connection over.
type versionedClient struct {
	own clientHandler

	mu    sync.Mutex
	other jsonrpc.Handler
}

func (v *versionedClient) handler() jsonrpc.Handler {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.other != nil {
		return v.other
	}
	return v.own
}

// HandleRequest implements [jsonrpc.Handler].
func (v *versionedClient) HandleRequest(r *jsonrpc.IncomingRequest) { v.handler().HandleRequest(r) }

// HandleNotification implements [jsonrpc.Handler].
func (v *versionedClient) HandleNotification(ctx context.Context, m *jsonrpc.Message) {
	v.handler().HandleNotification(ctx, m)
}

// adopt gives the connection to a version that is not ours. It reports whether
// there is one. It runs in the turn of the agent's answer, so that what the
// agent sends behind it finds the right handler.
func (v *versionedClient) adopt(c *ClientConn, raw []byte) (ok bool, err error) {
	version, err := readVersion(rawjson.Get(raw, "protocolVersion"))
	if err != nil || version == ProtocolVersion {
		return false, nil
	}
	for _, o := range c.client.opts.Versions {
		if o.ProtocolVersion() != version {
			continue
		}
		other, h, err := o.Adopt(c.conn, raw)
		if err != nil {
			return true, err
		}
		v.mu.Lock()
		v.other = h
		v.mu.Unlock()
		c.other = other
		return true, nil
	}
	return false, nil
}
