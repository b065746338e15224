// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"strings"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// PXY-6 and PXY-7: sides leave, and write what is no message.
func proxyLifeChecks() []Check {
	return []Check{
		{ID: "PXY-6/agent-dies", Rule: "PXY-6", Title: "answers what is open with an error when the agent dies", run: lifeAgentDies},
		{ID: "PXY-6/client-leaves", Rule: "PXY-6", Title: "ends the agent when the client leaves", run: lifeClientLeaves},
		{ID: "PXY-7/noise", Rule: "PXY-7", Title: "skips what an agent writes that is no message", run: lifeNoise},
		{ID: "PXY-7/not-json", Rule: "PXY-7", Title: "answers a client's bad JSON with -32700, and does not pass it on", run: lifeNotJSON},
		{ID: "PXY-7/long", Rule: "PXY-7", Title: "passes on a message of 8 MiB", run: lifeLong},
	}
}

func lifeAgentDies(t *T) {
	s := plainScene()
	s.also = silent("_conform/long")
	b := t.bridge(s, knowsSkills)
	req := b.request("_conform/long", `{}`)
	if _, ok := b.back.find(0, t.opts.Timeout, func(f Frame) bool { return f.Method == "_conform/long" }); !ok {
		t.Skipf("an unknown request does not come through, see PXY-1/answer")
	}
	b.back.close()
	f, ok := b.response(req)
	switch {
	case !ok:
		t.Failf([]Frame{req}, "the agent died, and the open request is not answered")
	case f.ErrorValue() == nil:
		t.Failf([]Frame{req, f}, "the agent died without an answer, and the proxy makes one up")
	}
}

func lifeClientLeaves(t *T) {
	b := t.bridge(plainScene(), knowsSkills)
	b.chat()
	b.leave()
	b.back.find(b.back.mark(), t.opts.Timeout, func(Frame) bool { return false })
	if !b.back.over() {
		t.Failf(nil, "the client has left, and the agent still runs after %v", t.opts.Timeout)
	}
}

func lifeNoise(t *T) {
	b := t.bridge(plainScene(), knowsSkills)
	c := b.chat()
	from := b.mark()
	noise := b.back.send(`conform: this line is no message`)
	after := b.back.send(update(`{"sessionUpdate":"_conform_after_noise"}`))
	if _, ok := b.find(from, t.opts.Timeout, func(f Frame) bool { return f.Variant == "_conform_after_noise" }); !ok {
		t.Failf([]Frame{noise, after}, "after a line that is no message nothing of session %s comes through any more", quote(c.id))
	}
	for _, f := range b.since(from) {
		if f.Kind == jsonrpc.Invalid && !f.Sent {
			t.Failf([]Frame{noise, f}, "what is no message is passed on to the client")
		}
	}
}

func lifeNotJSON(t *T) {
	b := t.bridge(plainScene(), knowsSkills)
	from := b.back.mark()
	bad := b.send(`{"jsonrpc":"2.0","method":"_conform/broken",`)
	f, ok := b.find(bad.n, t.opts.Timeout, func(f Frame) bool { return f.Kind == jsonrpc.Response && f.ID == jsonrpc.NullID })
	switch {
	case !ok:
		t.Failf([]Frame{bad}, "bad JSON is not answered within %v", t.opts.Timeout)
	case f.errorCode() != jsonrpc.CodeParse:
		t.Failf([]Frame{bad, f}, "bad JSON is answered with the error -32700")
	}
	t.pause()
	for _, got := range b.back.since(from) {
		if !got.Sent && got.Kind == jsonrpc.Invalid {
			t.Failf([]Frame{bad, got}, "bad JSON is passed on to the agent")
		}
	}
}

func lifeLong(t *T) {
	b := t.bridge(plainScene(), knowsSkills)
	b.chat()
	long := update(`{"sessionUpdate":"_conform_long","text":"` + strings.Repeat("conform ", 1<<20) + `"}`)
	from := b.mark()
	sent := b.back.send(long)
	got, ok := b.find(from, t.opts.Timeout, func(f Frame) bool { return f.Variant == "_conform_long" })
	if !ok || len(got.Raw) != len(sent.Raw) {
		t.Failf([]Frame{sent, got}, "a message of 8 MiB does not come through as it was")
	}
}
