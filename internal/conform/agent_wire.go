// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// CORE-WIRE: one message a line, and malformed input does no harm.
func wireChecks() []Check {
	malformed := func(id, title, what, line string, code int) Check {
		return Check{ID: "wire/" + id, Rule: "CORE-WIRE", Title: title, needs: needSession, run: func(t *T) { wireMalformed(t, what, line, code, jsonrpc.NullID) }}
	}
	return []Check{
		{ID: "wire/clean", Rule: "CORE-WIRE", Title: "writes nothing but messages to standard output", needs: needSession, run: wireClean},
		{ID: "wire/blank", Rule: "CORE-WIRE", Title: "skips blank lines and takes a carriage return before the line end", needs: needSession, run: wireBlank},
		malformed("not-json", "answers what is no JSON with -32700 and id null, and goes on", "a line that is not JSON",
			`{"jsonrpc":"2.0","id":77,"method":`, jsonrpc.CodeParse),
		malformed("batch", "answers a batch with one -32600 and id null, and goes on", "a batch",
			`[{"jsonrpc":"2.0","id":77,"method":"_conform/a"},{"jsonrpc":"2.0","id":78,"method":"_conform/b"}]`, jsonrpc.CodeInvalidRequest),
		malformed("primitive", "answers a value that is no object with -32600, and goes on", "a message that is no object",
			`"hello"`, jsonrpc.CodeInvalidRequest),
		malformed("null-id", "answers a request whose id is null with -32600, and goes on", "a request with the id null",
			`{"jsonrpc":"2.0","id":null,"method":"_conform/a"}`, jsonrpc.CodeInvalidRequest),
		malformed("fraction-id", "answers a request whose id is 1.5 with -32600, and goes on", "a request with the id 1.5",
			`{"jsonrpc":"2.0","id":1.5,"method":"_conform/a"}`, jsonrpc.CodeInvalidRequest),
		{ID: "wire/envelope", Rule: "CORE-WIRE", Title: `answers a request without "jsonrpc": "2.0" with -32600, and goes on`, needs: needSession, run: func(t *T) {
			wireMalformed(t, `a request without "jsonrpc"`, `{"id":77,"method":"_conform/a"}`, jsonrpc.CodeInvalidRequest, "77")
		}},
	}
}

// wireMalformed sends a line that is no message. The answer has the id null, or that
// of the line where it can be told; the agent lives on, and answers what comes then.
func wireMalformed(t *T, what, line string, code int, id jsonrpc.ID) {
	d := t.connect(plainClient)
	bad := d.send(line)
	got, answered := d.find(bad.n, t.opts.Timeout, func(f Frame) bool { return f.ErrorValue() != nil || f.Kind == jsonrpc.Response })
	switch {
	case !answered && d.over():
		t.Failf([]Frame{bad}, "the agent leaves over %s", what)
	case !answered:
		t.Failf([]Frame{bad}, "%s is not answered within %v", what, t.opts.Timeout)
	case got.ID != jsonrpc.NullID && got.ID != id || got.errorCode() != code:
		t.Failf([]Frame{bad, got}, "%s is answered with the error %d and the id %s", what, code, id)
	}
	d.checkAlive(bad, what)
	for _, f := range d.since(got.n + 1) {
		if !f.Sent && (f.ID == jsonrpc.NullID || f.ID == id) {
			t.Failf([]Frame{bad, got, f}, "%s is answered more than once", what)
		}
	}
}

// checkAlive checks that the agent answers what comes after something odd.
func (d *driver) checkAlive(odd Frame, what string) {
	req := d.request("_conform/alive", `{}`)
	if _, ok := d.response(req); !ok {
		d.t.Failf([]Frame{odd, req}, "after %s the agent answers no more", what)
	}
}

func wireBlank(t *T) {
	d := t.connect(plainClient)
	blank := d.send("")
	d.send(" \t")
	req := d.send(`{"jsonrpc":"2.0","id":501,"method":"_conform/cr","params":{}}` + "\r")
	if f, ok := d.response(req); !ok {
		t.Failf([]Frame{blank, req}, "a request behind blank lines, with a carriage return at its end, is not answered within %v", t.opts.Timeout)
	} else if f.errorCode() == jsonrpc.CodeParse {
		t.Failf([]Frame{blank, req, f}, "a request with a carriage return at its end is a request like any other")
	}
	for _, f := range d.since(blank.n) {
		if !f.Sent && f.ID == jsonrpc.NullID {
			t.Failf([]Frame{blank, f}, "a blank line is skipped, not answered")
		}
	}
}

// wireClean looks at everything that the agent writes in an ordinary conversation.
func wireClean(t *T) {
	d := t.connect(knowsSkills)
	c := d.chat()
	req, _ := c.say(textBlock("Say OK."))
	c.idle(req)
	d.ask("session/close", `{"sessionId":`+quote(c.id)+`}`)
	d.sync()
	open := map[jsonrpc.ID]bool{}
	for _, f := range d.since(0) {
		switch {
		case f.Sent && f.Kind == jsonrpc.Request:
			open[f.ID] = true
		case f.Sent:
		case f.Kind == jsonrpc.Invalid:
			t.Failf([]Frame{f}, "the agent writes what is no message: %s", f.Problem.Message)
		case f.Kind == jsonrpc.Response && !open[f.ID]:
			t.Failf([]Frame{f}, "the agent answers what was not asked, or twice")
		case f.Kind == jsonrpc.Response:
			delete(open, f.ID)
		}
	}
}
