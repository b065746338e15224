// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"bytes"
	"strconv"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A bridge is a proxy with the checker on both sides: front is where it is the
// client, back where it is the agent.
type bridge struct {
	*driver
	back *Wire
}

// bridge starts the proxy and initializes through it. s is the agent behind it.
func (t *T) bridge(s scene, capabilities string) *bridge {
	if t.opts.StartProxy == nil {
		panic(&startFailure{errNoStarter})
	}
	peer, err := t.opts.StartProxy(t.places.work)
	if err != nil {
		panic(&startFailure{err})
	}
	front := t.drive(t.open("front", peer.Client, nil, answerAgent))
	// Some start their agent at once, others when there is something for it.
	req := front.request(acp.MethodInitialize, initializeParams(2, capabilities))
	conn, err := peer.Accept(t.opts.Timeout)
	if err != nil {
		panic(&startFailure{&SetupError{err.Error()}})
	}
	b := &bridge{driver: front}
	b.back = t.open("back", &Peer{Stream: conn}, nil, func(w *Wire, f Frame) { s.answer(t, w, f) })
	f, ok := front.response(req)
	if !ok || f.ErrorValue() != nil {
		t.Failf([]Frame{req, f}, "initialize does not come through the proxy")
	}
	front.init = f
	return b
}

// grafts reports whether the proxy adds skills to an agent that has none: then it
// says that skill blocks are taken.
func (b *bridge) grafts() bool {
	return supportOf(rawjson.Get(b.init.Result(), "capabilities")).Skill
}

func (b *bridge) mustGraft() {
	if !b.grafts() {
		b.t.Skipf("the proxy adds no skills: it does not advertise session.prompt.skill for an agent that has none")
	}
}

// mustCarry checks that lines which one side sent come out at the other, byte for byte
// and in their order.
func (b *bridge) mustCarry(to *Wire, from int, what string, sent []Frame) {
	last := -1
	for _, s := range sent {
		got, ok := to.find(from, b.t.opts.Timeout, func(f Frame) bool { return bytes.Equal(f.Raw, s.Raw) })
		if ok && got.n < last {
			b.t.Failf([]Frame{s, got}, "%s come in another order", what)
		}
		if ok {
			last = got.n
			continue
		}
		near, _ := to.find(from, 0, func(f Frame) bool { return f.Method == s.Method && f.Kind == s.Kind && f.n > last })
		b.t.Failf([]Frame{s, near}, "%s do not come through byte for byte", what)
	}
}

// numbered sends a row of lines and checks that they come out as one, in their order.
func (b *bridge) mustKeepOrder(via, to *Wire, n int, line func(i int) string) {
	from := to.mark()
	sent := make([]Frame, n)
	for i := range n {
		sent[i] = via.send(line(i))
	}
	last := sent[n-1]
	if _, ok := to.find(from, b.t.opts.Timeout, func(f Frame) bool { return bytes.Equal(f.Raw, last.Raw) }); !ok {
		b.t.Failf([]Frame{last}, "the last of %d messages does not come through within %v", n, b.t.opts.Timeout)
	}
	b.t.pause()
	next := 0
	for _, f := range to.since(from) {
		switch {
		case f.Sent || next == n:
		case bytes.Equal(f.Raw, sent[next].Raw):
			next++
		case f.Method == "_conform/row" || f.Variant == "agent_message_chunk" || f.ID == rowID:
			b.t.Failf([]Frame{sent[next], f}, "message %d of %d is overtaken by a later one, or lost", next+1, n)
		}
	}
	if next < n {
		b.t.Failf([]Frame{sent[next]}, "message %d of %d is lost", next+1, n)
	}
}

const rowID = jsonrpc.ID(`"conform-row"`)

func rowLine(i int) string {
	return `{"jsonrpc":"2.0","method":"_conform/row","params":{"n":` + strconv.Itoa(i) + `}}`
}

func rowUpdate(i int) string {
	return update(`{"sessionUpdate":"agent_message_chunk","messageId":"conform-row","content":{"type":"text","text":"` + strconv.Itoa(i) + `"}}`)
}

// silent takes requests of a method and does not answer them.
func silent(method string) func(*Wire, Frame) bool {
	return func(_ *Wire, f Frame) bool { return f.Kind == jsonrpc.Request && f.Method == method }
}
