// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"errors"
	"io"
	"log/slog"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/skill"
)

// maxAhead is how many bytes may wait for a peer before the other side is read
// no further.
const maxAhead = 1 << 20

// relay is the two directions and what they share.
type relay struct {
	ends
	chain *chain
	calls calls // the client's requests
	log   *slog.Logger
}

// ends are the streams of both sides.
type ends struct {
	fromClient, fromAgent *jsonrpc.Reader
	toClient, toAgent     *jsonrpc.Writer
}

// newRelay makes a relay. What the stage calls is set in its options.
func newRelay(e ends, g graft.Options, log *slog.Logger) *relay {
	r := &relay{ends: e, log: log}
	r.chain = newChain(chainEnds{toClient: r.queueToClient, toAgent: r.queueToAgent, stream: r.streamToClient, flush: r.flushAside}, g, log)
	return r
}

// queueToClient takes a place in the queue to the client. An answer ends its
// call, whoever gives it, and a second one is dropped: the agent may answer
// twice, or we for it when it is gone.
func (r *relay) queueToClient(m jsonrpc.Message) {
	if m.Kind == jsonrpc.Response && m.ID != jsonrpc.NullID && !r.calls.end(m.ID) {
		r.log.Warn("a second answer to a request was dropped", "id", string(m.ID))
		return
	}
	r.toClient.EnqueueMessage(m)
}

// streamToClient queues a message of the agent that nobody has anything to do
// with, and those that follow it and differ in their text alone: a stream of
// them costs one decision.
func (r *relay) streamToClient(m *jsonrpc.Message) {
	r.toClient.EnqueueMessage(*m)
	if lines := r.fromAgent.Alike(m); len(lines) > 0 {
		r.toClient.EnqueueLines(lines)
	}
}

func (r *relay) queueToAgent(m jsonrpc.Message) { r.toAgent.EnqueueMessage(m) }

// flushAside has both queues written by their own goroutines, for whoever must
// not wait for a peer.
func (r *relay) flushAside() {
	r.toClient.FlushAsync()
	r.toAgent.FlushAsync()
}

// clientLoop passes on what the client sends until its end. Nothing that is not
// a message is ever forwarded.
func (r *relay) clientLoop() error {
	for {
		m, err := r.fromClient.NextInPlace()
		if err != nil && !r.tooLongFromClient(err) {
			return end(err)
		}
		if err == nil {
			r.clientMessage(m)
		}
		if !r.fromClient.Buffered() {
			// An answer of ours must not wait for the client to read: it may
			// be writing and read only then.
			r.toClient.FlushAsync()
			if err := r.toAgent.Flush(); err != nil {
				return err
			}
			r.toAgent.Wait(maxAhead)
			r.toClient.Wait(jsonrpc.MaxLine)
		}
	}
}

func (r *relay) clientMessage(m *jsonrpc.Message) {
	switch m.Kind {
	case jsonrpc.Invalid:
		id := m.ID
		if m.Method == "" {
			// Perhaps the answer to a request of the agent, whose ids are not
			// the client's.
			id = ""
		}
		r.log.Warn("the client sent a line that is no message", "problem", m.Problem.Message)
		r.toClient.Enqueue(jsonrpc.EncodeError(id, m.Problem))
	case jsonrpc.Request:
		if !r.calls.begin(*m) {
			r.toClient.Enqueue(jsonrpc.EncodeError(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "a request with the id %s is still open: give each request an id of its own", m.ID)))
			return
		}
		r.chain.fromClient(m)
	default:
		r.chain.fromClient(m)
	}
}

func (r *relay) tooLongFromClient(err error) bool {
	var long *jsonrpc.LineTooLongError
	if !errors.As(err, &long) {
		return false
	}
	r.log.Warn("a line of the client was dropped", "error", long, "method", skill.Sanitize(long.Method))
	id := long.ID
	if long.Method == "" {
		id = ""
	}
	r.toClient.Enqueue(jsonrpc.EncodeError(id, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%v", long)))
	return true
}

// agentLoop passes on what the agent sends until its end. What is no message is
// logged and skipped (PXY-7).
func (r *relay) agentLoop() error {
	for {
		m, err := r.fromAgent.NextInPlace()
		if err != nil && !r.tooLongFromAgent(err) {
			return end(err)
		}
		if err == nil {
			r.agentMessage(m)
		}
		if !r.fromAgent.Buffered() {
			r.toAgent.FlushAsync()
			if err := r.toClient.Flush(); err != nil {
				return err
			}
			r.toClient.Wait(maxAhead)
		}
	}
}

func (r *relay) agentMessage(m *jsonrpc.Message) {
	switch m.Kind {
	case jsonrpc.Invalid:
		r.noise(m)
	default:
		r.chain.fromAgent(m)
	}
}

// noise handles a line of the agent that is no message. A request gets its
// error, and an answer that cannot be read is passed on as a failure: whoever
// waits for it must not wait for ever.
func (r *relay) noise(m *jsonrpc.Message) {
	shown := m.Raw
	if len(shown) > 200 {
		shown = shown[:200]
	}
	r.log.Warn("the agent wrote a line that is no message; it was skipped", "problem", m.Problem.Message, "line", skill.Sanitize(string(shown)))
	switch {
	case m.ID == "":
	case m.Method != "":
		r.toAgent.Enqueue(jsonrpc.EncodeError(m.ID, m.Problem))
	case m.Result() != nil || m.ErrorValue() != nil:
		r.failed(m.ID, jsonrpc.Errorf(jsonrpc.CodeInternal, "the agent's answer cannot be read: %s", m.Problem.Message))
	}
}

// failed is in place of an answer of the agent that cannot be passed on. It goes
// the way that the answer would have gone: behind what the agent sent before it
// (PXY-2), and to what waits for it.
func (r *relay) failed(id jsonrpc.ID, e *jsonrpc.Error) {
	r.chain.fromAgent(new(jsonrpc.Scan(jsonrpc.EncodeError(id, e))))
}

func (r *relay) tooLongFromAgent(err error) bool {
	var long *jsonrpc.LineTooLongError
	if !errors.As(err, &long) {
		return false
	}
	r.log.Error("a line of the agent was dropped", "error", long, "method", skill.Sanitize(long.Method))
	switch {
	case long.ID == "":
	case long.Method != "":
		r.toAgent.Enqueue(jsonrpc.EncodeError(long.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%v", long)))
	default:
		r.failed(long.ID, jsonrpc.Errorf(jsonrpc.CodeInternal, "the agent's answer: %v", long))
	}
	return true
}

func end(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
