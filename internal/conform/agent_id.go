// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// CORE-ID: an id is an integer or a string and comes back as it was. CORE-ERR: what
// an agent cannot do has a code.
func idChecks() []Check {
	echo := func(id, title string, should bool, spellings ...string) Check {
		return Check{ID: "id/" + id, Rule: "CORE-ID", Title: title, Should: should, needs: needSession, run: func(t *T) { idEcho(t, spellings) }}
	}
	return []Check{
		echo("string", "echoes ids that are strings, and tells \"7\" from 7", false, `"conform-a"`, `"7"`, `7`, `""`),
		echo("integer", "echoes ids that are integers, also 0 and negative ones", false, `0`, `-1`, `2147483648`),
		echo("large", "echoes integers above 2^53 without rounding", true, `9007199254740993`),
	}
}

func idEcho(t *T, spellings []string) {
	d := t.connect(plainClient)
	for _, id := range spellings {
		req := d.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"_conform/id","params":{}}`)
		f, ok := d.find(req.n, t.opts.Timeout, func(f Frame) bool { return f.Kind == jsonrpc.Response || f.Kind == jsonrpc.Invalid })
		switch {
		case !ok:
			t.Failf([]Frame{req}, "a request with the id %s is not answered within %v", id, t.opts.Timeout)
		case string(f.ID) != id && !same([]byte(f.ID), []byte(id)):
			t.Failf([]Frame{req, f}, "the id %s comes back as %s", id, f.ID)
		}
	}
}

func errorChecks() []Check {
	return []Check{
		{ID: "error/method", Rule: "CORE-ERR", Title: "answers unknown methods with -32601", needs: needSession, run: errorMethod},
		{ID: "error/notification", Rule: "CORE-ERR", Title: "ignores unknown notifications", needs: needSession, run: errorNotification},
		{ID: "error/params", Rule: "CORE-ERR", Title: "answers session/new without a working directory with -32602", needs: needSession, run: errorParams},
		{ID: "error/relative", Rule: "CORE-ERR", Title: "refuses a working directory that is not absolute with -32602", Should: true, needs: needSession, run: errorRelative},
		{ID: "error/session", Rule: "CORE-ERR", Title: "refuses a prompt to a session that is not there", needs: needSession, run: errorSession},
		{ID: "error/session-code", Rule: "CORE-ERR", Title: "says -32002 and which session, when one is not there", Should: true, needs: needSession, run: errorSessionCode},
	}
}

func errorMethod(t *T) {
	d := t.connect(plainClient)
	for _, method := range []string{"_conform/unknown", "session/conform_unknown"} {
		req := d.request(method, `{}`)
		f, ok := d.response(req)
		switch {
		case !ok:
			t.Failf([]Frame{req}, "an unknown method is not answered within %v", t.opts.Timeout)
		case f.errorCode() != jsonrpc.CodeMethodNotFound:
			t.Failf([]Frame{req, f}, "an unknown method is answered with the error -32601")
		}
	}
}

func errorNotification(t *T) {
	d := t.connect(plainClient)
	n := d.notify("_conform/unknown", `{}`)
	d.checkAlive(n, "an unknown notification")
	d.t.pause()
	for _, f := range d.since(n.n) {
		if !f.Sent && f.ID == jsonrpc.NullID {
			t.Failf([]Frame{n, f}, "a notification is never answered")
		}
	}
}

func errorParams(t *T) {
	d := t.connect(plainClient)
	for _, params := range []string{`{"mcpServers":[]}`, `{"cwd":7,"mcpServers":[]}`} {
		req := d.request("session/new", params)
		f, ok := d.response(req)
		switch {
		case !ok:
			t.Failf([]Frame{req}, "session/new without a good cwd is not answered within %v", t.opts.Timeout)
		case f.errorCode() != jsonrpc.CodeInvalidParams:
			t.Failf([]Frame{req, f}, "cwd is required and a string: the answer is the error -32602")
		}
	}
}

func errorRelative(t *T) {
	d := t.connect(plainClient)
	req := d.request("session/new", `{"cwd":"conform/here","mcpServers":[]}`)
	f, ok := d.response(req)
	switch {
	case !ok:
		t.Failf([]Frame{req}, "session/new with a relative cwd is not answered within %v", t.opts.Timeout)
	case f.errorCode() != jsonrpc.CodeInvalidParams:
		t.Failf([]Frame{req, f}, "a relative cwd means whatever directory the agent runs in: the answer should be the error -32602")
	}
}

const noSuchSession = "conform-no-such-session"

func errorSession(t *T) {
	req, f := promptNowhere(t)
	if f.ErrorValue() == nil {
		t.Failf([]Frame{req, f}, "a prompt to a session that was never opened is accepted")
	}
}

func errorSessionCode(t *T) {
	req, f := promptNowhere(t)
	switch {
	case f.ErrorValue() == nil:
		t.Skipf("the agent does not refuse it, see error/session")
	case f.errorCode() != jsonrpc.CodeNotFound:
		t.Failf([]Frame{req, f}, "for a session that is not there the error is -32002, with {\"sessionId\"} as its data")
	}
}

func promptNowhere(t *T) (req, resp Frame) {
	d := t.connect(plainClient)
	c := &chat{driver: d, id: noSuchSession}
	return c.say(textBlock("Say OK."))
}
