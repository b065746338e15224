// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// CORE-PRO: a prompt is answered when it is in, and reported. CORE-CAN: work can be
// cancelled.
func promptChecks() []Check {
	return []Check{
		{ID: "prompt/answer", Rule: "CORE-PRO", Title: "answers a prompt with the messageId that it got", needs: needSession, run: promptAnswer},
		{ID: "prompt/echo", Rule: "CORE-PRO", Title: "reports the user message under that id, with its text", needs: needSession, run: promptEcho},
		{ID: "prompt/once", Rule: "CORE-PRO", Title: "reports the user message once", needs: needSession, run: promptOnce},
		{ID: "prompt/running", Rule: "CORE-PRO", Title: "says running before it works, and idle with a stopReason after it", Answer: true, needs: needSession, run: promptRunning},
		{ID: "prompt/unknown-block", Rule: "CORE-PRO", Title: "refuses content of a type that it does not know with -32602", needs: needSession, run: promptUnknownBlock},
		{ID: "prompt/shape", Rule: "CORE-PRO", Title: "refuses a prompt that is no array with -32602", needs: needSession, run: promptShape},
	}
}

const plainText = "Say the word OK and nothing else."

func promptAnswer(t *T) {
	c := t.connect(plainClient).chat()
	req, f := c.say(textBlock(plainText))
	if f.ErrorValue() != nil {
		t.Failf([]Frame{req, f}, "a prompt of one text block is refused")
	}
	if id, ok := rawjson.GetString(f.Result(), "messageId"); !ok || id == "" {
		t.Failf([]Frame{req, f}, "the answer to a prompt has the messageId of the user message that it became")
	}
}

// promptEcho: where the message stands among the updates is the agent's choice, also
// before the response; that it comes is not.
func promptEcho(t *T) {
	c := t.connect(plainClient).chat()
	req, f := c.tell(textBlock(plainText))
	m := c.mustEcho(req, f)
	if got := m.text(); strings.TrimSpace(got) != plainText {
		t.Failf(append([]Frame{req, f}, m.frames...), "the user message does not have the text of the prompt")
	}
}

func promptOnce(t *T) {
	c := t.connect(plainClient).chat()
	req, f := c.tell(textBlock(plainText))
	c.idle(req)
	c.sync()
	m := c.message(c.since(req.n), idOf(f))
	if n := strings.Count(m.text(), plainText); n > 1 {
		t.Failf(append([]Frame{req, f}, m.frames...), "the text of the prompt stands %d times in the user message", n)
	}
	if ids := c.userMessages(c.since(req.n)); len(ids) > 1 {
		t.Failf([]Frame{req, f}, "one prompt is reported as %d user messages: %s", len(ids), strings.Join(ids, ", "))
	}
}

func promptRunning(t *T) {
	c := t.connect(plainClient).chat()
	req, _ := c.tell(textBlock(plainText))
	idle := c.mustIdle(req)
	c.sync()
	if reason, ok := rawjson.GetString(idle.update(c.id), "stopReason"); !ok || reason == "" {
		t.Failf([]Frame{req, idle}, "the idle that ends work says in stopReason why")
	}
	running := false
	for _, f := range c.since(req.n)[:idle.n-req.n] {
		u := f.update(c.id)
		state, _ := rawjson.GetString(u, "state")
		running = running || f.Variant == "state_update" && state == "running"
		if strings.HasPrefix(f.Variant, "agent_") && !running {
			t.Failf([]Frame{req, f}, "the agent speaks before it says that it is running")
		}
	}
	if !running {
		t.Failf([]Frame{req, idle}, "the agent does not say running before it works on a prompt")
	}
	for _, f := range c.since(idle.n + 1) {
		if f.update(c.id) != nil && strings.HasPrefix(f.Variant, "agent_") {
			t.Failf([]Frame{idle, f}, "the agent speaks on after it said that it is idle")
		}
	}
}

func promptUnknownBlock(t *T) {
	c := t.connect(plainClient).chat()
	c.mustRefuse("a block of unknown type", false, `{"type":"_conform_unknown","value":1}`)
}

func promptShape(t *T) {
	c := t.connect(plainClient).chat()
	req := c.request(acp.MethodPrompt, `{"sessionId":`+quote(c.id)+`,"prompt":"hello"}`)
	f, ok := c.response(req)
	switch {
	case !ok:
		t.Failf([]Frame{req}, "the prompt is not answered within %v", t.opts.Timeout)
	case f.errorCode() != jsonrpc.CodeInvalidParams:
		t.Failf([]Frame{req, f}, "a prompt is an array of content blocks; the answer to anything else is the error -32602")
	}
}

func cancelChecks() []Check {
	return []Check{
		{ID: "cancel/idle", Rule: "CORE-CAN", Title: "ignores session/cancel when nothing runs", needs: needSession, run: cancelIdle},
		{ID: "cancel/work", Rule: "CORE-CAN", Title: "ends cancelled work with idle, and says nothing of it then", Answer: true, needs: needSession, run: cancelWork},
		{ID: "cancel/request", Rule: "CORE-CAN", Title: "ignores $/cancel_request for what is not open", needs: needSession, run: cancelRequest},
	}
}

func cancelIdle(t *T) {
	c := t.connect(plainClient).chat()
	n := c.notify(acp.MethodCancel, `{"sessionId":`+quote(c.id)+`}`)
	c.checkAlive(n, "session/cancel")
	for _, f := range c.since(n.n) {
		if !f.Sent && f.ID == jsonrpc.NullID {
			t.Failf([]Frame{n, f}, "a notification is never answered")
		}
	}
	req, f := c.say(textBlock(plainText))
	if f.ErrorValue() != nil {
		t.Failf([]Frame{n, req, f}, "a cancel means what came before it, and not the next prompt")
	}
}

// cancelWork cancels as soon as the agent says that it works. An agent that is
// quicker says what its work came to; both are right.
func cancelWork(t *T) {
	c := t.connect(plainClient).chat()
	req, _ := c.tell(textBlock("Count slowly from one to a thousand, one number a line."))
	_, ok := c.find(req.n, t.opts.Timeout, func(f Frame) bool {
		state, _ := rawjson.GetString(f.update(c.id), "state")
		return f.Variant == "state_update" && state == "running"
	})
	if !ok {
		t.Skipf("the agent does not say that it works, so there is nothing to cancel")
	}
	cancel := c.notify(acp.MethodCancel, `{"sessionId":`+quote(c.id)+`}`)
	idle, ok := c.idle(req)
	if !ok {
		t.Failf([]Frame{req, cancel}, "cancelled work does not end: no idle comes within %v", t.opts.Timeout)
	}
	reason, _ := rawjson.GetString(idle.update(c.id), "stopReason")
	if idle.n < cancel.n {
		t.Skipf("the agent was done before it could be cancelled (%s)", reason)
	}
	c.sync()
	for _, f := range c.since(idle.n + 1) {
		if f.update(c.id) == nil {
			continue
		}
		switch state, _ := rawjson.GetString(f.update(c.id), "state"); {
		case strings.HasPrefix(f.Variant, "agent_"), strings.HasPrefix(f.Variant, "tool_call"), state == "running":
			t.Failf([]Frame{cancel, idle, f}, "all late updates come before the idle that ends cancelled work")
		}
	}
}

func cancelRequest(t *T) {
	d := t.connect(plainClient)
	req := d.request(acp.MethodListSessions, `{}`)
	if _, ok := d.response(req); !ok {
		t.Skipf("session/list is not answered")
	}
	done := d.notify("$/cancel_request", `{"requestId":`+string(req.ID)+`}`)
	never := d.notify("$/cancel_request", `{"requestId":"conform-never"}`)
	d.checkAlive(never, "$/cancel_request")
	d.t.pause()
	for _, f := range d.since(done.n) {
		if !f.Sent && f.Kind == jsonrpc.Response && (f.ID == req.ID || f.ID == `"conform-never"` || f.ID == jsonrpc.NullID) {
			t.Failf([]Frame{done, never, f}, "to cancel what is not open means nothing, and is not answered")
		}
	}
}
