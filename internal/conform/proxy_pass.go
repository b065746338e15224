// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

func proxyChecks() []Check {
	return join(proxyPassChecks(), proxyLifeChecks(), proxyListChecks(), proxyPromptChecks())
}

// PXY-1 and PXY-2: what is not the proxy's goes through as it is, in its order.
func proxyPassChecks() []Check {
	return []Check{
		{ID: "PXY-1/to-agent", Rule: "PXY-1", Title: "passes on what clients send that it does not know, byte for byte", run: passToAgent},
		{ID: "PXY-1/to-client", Rule: "PXY-1", Title: "passes on what agents send that it does not know, byte for byte", run: passToClient},
		{ID: "PXY-1/answer", Rule: "PXY-1", Title: "passes on answers, and ids as they were written", run: passAnswer},
		{ID: "PXY-1/prompt", Rule: "PXY-1", Title: "passes on a prompt without skills, and what an agent says, byte for byte", run: passPrompt},
		{ID: "PXY-1/cancel", Rule: "PXY-1", Title: "lets cancels through, under the id that the agent knows", run: passCancel},
		{ID: "PXY-2/updates", Rule: "PXY-2", Title: "keeps the order of updates, and lets no response overtake one", run: orderUpdates},
		{ID: "PXY-2/requests", Rule: "PXY-2", Title: "keeps the order of what a client sends", run: orderClient},
	}
}

func plainScene() scene { return scene{support: supportNone} }

// oddities are notifications that no proxy can know, spelled as few write them.
func oddities(method string) []string {
	return []string{
		`{"jsonrpc":"2.0","method":"` + method + `","params":{"number":1.0e2,"big":9007199254740993,"escaped":"\u0041\/","_meta":{"a.b/c":null}}}`,
		`{"params":{"b":1,"a":[ 1 , 2 ]},"method":"` + method + `","jsonrpc":"2.0","extra":{"x":true}}`,
		`{ "jsonrpc" : "2.0" , "method" : "` + method + `" , "params" : [ "positional", -0.0 ] }`,
	}
}

func passToAgent(t *T) {
	b := t.bridge(plainScene(), knowsSkills)
	from := b.back.mark()
	var sent []Frame
	for _, line := range oddities("_conform/odd") {
		sent = append(sent, b.send(line))
	}
	b.mustCarry(b.back, from, "unknown notifications", sent)
}

func passToClient(t *T) {
	b := t.bridge(plainScene(), knowsSkills)
	b.chat()
	from := b.mark()
	var sent []Frame
	for _, line := range append(oddities("_conform/odd"),
		update(`{"sessionUpdate":"_conform_unknown","value":1.50,"_meta":{"k":[]}}`),
		update(`{"messageId":"m","sessionUpdate":"agent_message_chunk","content":{"type":"_conform","x":1e0},"unknown":{}}`),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"_conform_status","title":null}`),
	) {
		sent = append(sent, b.back.send(line))
	}
	b.mustCarry(b.Wire, from, "unknown notifications and updates", sent)
}

// passAnswer: a request in each direction with an id that is spelled oddly, and an
// answer with members that nobody knows.
func passAnswer(t *T) {
	const answer = `{"id":ID,"result":{"ok":1.0,"_meta":{"z":0}},"jsonrpc":"2.0","note":"\u00e9"}`
	echo := func(w *Wire, f Frame) bool {
		if f.Method != "_conform/ask" || f.Kind != jsonrpc.Request {
			return false
		}
		w.send(strings.Replace(answer, "ID", string(f.ID), 1))
		return true
	}
	s := plainScene()
	s.also = echo
	b := t.bridge(s, knowsSkills)
	for _, id := range []string{`"conform-\u0061"`, `9007199254740993`, `-3`} {
		from, backFrom := b.mark(), b.back.mark()
		req := b.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"_conform/ask","params":{"v":1.0}}`)
		b.mustCarry(b.back, backFrom, "unknown requests", []Frame{req})
		got, ok := b.find(from, t.opts.Timeout, func(f Frame) bool { return f.Kind == jsonrpc.Response })
		want := strings.Replace(answer, "ID", id, 1)
		if !ok || string(got.Raw) != want {
			t.Failf([]Frame{req, got}, "the answer does not come through byte for byte: it was %s", want)
		}
	}
}

func passPrompt(t *T) {
	b := t.bridge(plainScene(), knowsSkills)
	c := b.chat()
	from, backFrom := c.mark(), b.back.mark()
	req := b.send(`{"jsonrpc":"2.0","id":"conform-prompt","method":"session/prompt","params":{"_meta":{"t":1.0},"prompt":[{"text":"Go \u006fn","type":"text","annotations":{"priority":1e0}}],"sessionId":"` + c.id + `","new":[]}}`)
	if f, ok := c.response(req); !ok || f.ErrorValue() != nil {
		t.Failf([]Frame{req, f}, "a prompt of one text block does not come through")
	}
	b.mustCarry(b.back, backFrom, "a prompt without skills", []Frame{req})
	var said []Frame
	for _, f := range b.back.since(backFrom) {
		if f.Sent && f.Variant != "" {
			said = append(said, f)
		}
	}
	b.mustCarry(b.Wire, from, "updates of the work on a prompt", said)
}

func passCancel(t *T) {
	s := plainScene()
	s.also = silent("_conform/long")
	b := t.bridge(s, knowsSkills)
	c := b.chat()
	req := b.send(`{"jsonrpc":"2.0","id":"conform-long","method":"_conform/long","params":{}}`)
	got, ok := b.back.find(0, t.opts.Timeout, func(f Frame) bool { return f.Method == "_conform/long" })
	if !ok {
		t.Failf([]Frame{req}, "an unknown request does not come through")
	}
	cancel := b.notify("$/cancel_request", `{"requestId":"conform-long"}`)
	seen, ok := b.back.find(got.n, t.opts.Timeout, func(f Frame) bool { return f.Method == "$/cancel_request" })
	switch {
	case !ok:
		t.Failf([]Frame{req, cancel}, "$/cancel_request for an open request does not reach the agent")
	case !same(rawjson.Get(seen.Params(), "requestId"), []byte(got.ID)):
		t.Failf([]Frame{got, cancel, seen}, "the agent is told to cancel another id than it was asked under")
	}
	stop := b.notify(acp.MethodCancel, `{"sessionId":`+quote(c.id)+`}`)
	b.mustCarry(b.back, got.n, "a session/cancel", []Frame{stop})
}

const rowLength = 100

func orderUpdates(t *T) {
	s := plainScene()
	s.also = silent("_conform/long")
	b := t.bridge(s, knowsSkills)
	b.chat()
	b.send(`{"jsonrpc":"2.0","id":` + string(rowID) + `,"method":"_conform/long","params":{}}`)
	if _, ok := b.back.find(0, t.opts.Timeout, func(f Frame) bool { return f.Method == "_conform/long" }); !ok {
		t.Skipf("an unknown request does not come through, see PXY-1/answer")
	}
	b.mustKeepOrder(b.back, b.Wire, rowLength, func(i int) string {
		if i == rowLength-1 {
			return string(jsonrpc.EncodeResult(rowID, []byte(`{}`)))
		}
		return rowUpdate(i)
	})
}

func orderClient(t *T) {
	b := t.bridge(plainScene(), knowsSkills)
	b.mustKeepOrder(b.Wire, b.back, rowLength, rowLine)
}
