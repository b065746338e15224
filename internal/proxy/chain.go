// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"log/slog"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/internal/proxy/translate"
)

// chain is what a message passes between the two sides:
//
//	client <--> Down <--> graft <--> Up <--> agent
//
// The graft stage sees one version on both sides. Down is for a version 1 client
// of a version 2 agent, Up for the reverse; which of them has work, if any, is
// known when initialize is answered, and the others are transparent from then on
// (PXY-8).
//
// A call goes from the agent's end towards the client's, or the other way, with
// the locks taken in that order: graft's, then that of Down or Up. What goes
// against it, an answer of Up to graft or a message of Down to graft, takes a
// lane.
type chain struct {
	down  *translate.Down
	stage *graft.Stage
	up    *translate.Up

	toStage lane  // from Down
	fromUp  lane  // to the stage
	asked   calls // the requests that the stage was given
	log     *slog.Logger

	toClient func(jsonrpc.Message)
	stream   func(*jsonrpc.Message) // toClient for a message and those like it
}

// chainEnds is where a chain leads to. The functions take a place in a queue.
type chainEnds struct {
	toClient, toAgent func(jsonrpc.Message)
	stream            func(*jsonrpc.Message)
	flush             func() // has what was queued written, without waiting
}

func newChain(ends chainEnds, g graft.Options, log *slog.Logger) *chain {
	c := &chain{log: log, toClient: ends.toClient, stream: ends.stream}
	c.toStage.deliver, c.fromUp.deliver = c.clientToStage, c.agentToStage
	flush := func() {
		c.settle()
		ends.flush()
	}
	c.down = translate.NewDown(&translate.DownOptions{ToClient: ends.toClient, ToAgent: c.toStage.put, Log: log})
	c.up = translate.NewUp(&translate.UpOptions{ToClient: c.fromUp.put, ToAgent: ends.toAgent, Flush: flush, Log: log})
	g.ToClient, g.ToAgent, g.Stream, g.Flush = c.stageToClient, c.up.FromClient, c.stageStream, flush
	g.Open, g.Log = c.asked.isOpen, log
	c.stage = graft.New(g)
	return c
}

// fromClient handles the next message of the client.
func (c *chain) fromClient(m *jsonrpc.Message) {
	if c.down.Transparent() && c.toStage.idle() {
		c.clientToStage(m)
	} else {
		c.down.FromClient(*m)
	}
	c.settle()
}

// fromAgent handles the next message of the agent.
func (c *chain) fromAgent(m *jsonrpc.Message) {
	if c.up.Transparent() && c.fromUp.idle() {
		c.agentToStage(m)
	} else {
		c.up.FromAgent(*m)
	}
	c.settle()
}

// settle delivers what waits between the stages. Delivering may put more there.
func (c *chain) settle() {
	for c.toStage.run() || c.fromUp.run() {
	}
}

// wait returns when nothing runs beside the two directions.
func (c *chain) wait() {
	c.stage.Settle()
	c.settle()
}

// negotiating reports whether messages are held back until it is known what
// they are to become.
func (c *chain) negotiating() bool { return c.down.Negotiating() || c.up.Negotiating() }

func (c *chain) close() {
	c.up.Close()
	c.stage.Close()
}

func (c *chain) clientToStage(m *jsonrpc.Message) {
	if m.Kind == jsonrpc.Request && !c.asked.begin(*m) {
		c.down.FromAgent(jsonrpc.Scan(jsonrpc.EncodeError(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "a request with the id %s is still open: give each request an id of its own", m.ID))))
		return
	}
	c.stage.FromClient(*m)
}

func (c *chain) agentToStage(m *jsonrpc.Message) {
	if m.Kind != jsonrpc.Response {
		c.stage.FromAgent(m, nil)
		return
	}
	call := c.asked.find(m.ID)
	if call == nil && m.ID != jsonrpc.NullID {
		c.log.Warn("the agent answered a request that nobody made, or twice", "id", string(m.ID))
		return
	}
	c.stage.FromAgent(m, call)
}

func (c *chain) stageToClient(m jsonrpc.Message) {
	if m.Kind == jsonrpc.Response && m.ID != jsonrpc.NullID && !c.asked.end(m.ID) {
		c.log.Warn("a second answer to a request was dropped", "id", string(m.ID))
		return
	}
	c.down.FromAgent(m)
}

func (c *chain) stageStream(m *jsonrpc.Message) {
	if c.down.Transparent() {
		c.stream(m)
		return
	}
	c.down.FromAgent(*m)
}
