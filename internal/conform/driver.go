// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// Capabilities of the checker as a client.
const (
	knowsSkills = `{"session":{"commands":{"skill":{}}}}`
	plainClient = `{}`
)

// A driver is the checker as the client of an agent.
type driver struct {
	*Wire
	t    *T
	last *atomic.Int64 // id of the last request
	init Frame         // the answer to initialize
}

// start starts the agent and says nothing.
func (t *T) start() *driver {
	if t.opts.StartAgent == nil {
		panic(&startFailure{errNoStarter})
	}
	peer, err := t.opts.StartAgent(t.places.work)
	return t.drive(t.open("agent", peer, err, answerAgent))
}

func (t *T) drive(w *Wire) *driver { return &driver{Wire: w, t: t, last: new(atomic.Int64)} }

// answerAgent answers what an agent asks of its client: no, so that it goes on.
func answerAgent(w *Wire, f Frame) {
	if f.Kind != jsonrpc.Request {
		return
	}
	switch f.Method {
	case acp.MethodRequestPermission:
		w.send(string(jsonrpc.EncodeResult(f.ID, []byte(`{"outcome":{"outcome":"cancelled"}}`))))
	case "elicitation/create":
		w.send(string(jsonrpc.EncodeResult(f.ID, []byte(`{"action":"cancel"}`))))
	default:
		w.send(string(jsonrpc.EncodeError(f.ID, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the checker has no such method"))))
	}
}

// connect starts the agent, initializes and logs in. What goes wrong there is for
// the checks of the group init to say.
func (t *T) connect(capabilities string) *driver {
	d := t.start()
	if err := d.initialize(capabilities); err != nil {
		t.Skipf("%v", err)
	}
	return d
}

func initializeParams(version int, capabilities string) string {
	return fmt.Sprintf(`{"protocolVersion":%d,"info":{"name":"skillgraft-conform","version":"1"},"capabilities":%s}`, version, capabilities)
}

// initialize greets and logs in.
func (d *driver) initialize(capabilities string) error {
	f, ok := d.ask(acp.MethodInitialize, initializeParams(2, capabilities))
	switch {
	case !ok:
		return errors.New("the agent does not answer initialize")
	case f.ErrorValue() != nil:
		return fmt.Errorf("the agent refuses initialize: %s", f.ErrorValue())
	}
	d.init = f
	if login := d.t.opts.Login; login != "" {
		f, ok := d.ask("auth/login", `{"methodId":`+quote(login)+`}`)
		if !ok || f.ErrorValue() != nil {
			return fmt.Errorf("the agent refuses the login by %s: %s", quote(login), f.ErrorValue())
		}
	}
	return nil
}

func quote(s string) string { return string(rawjson.Quote(s)) }

// request sends a request and returns its frame.
func (d *driver) request(method, params string) Frame {
	id := jsonrpc.ID(strconv.FormatInt(d.last.Add(1), 10))
	return d.send(string(jsonrpc.EncodeRequest(id, method, []byte(params))))
}

func (d *driver) notify(method, params string) Frame {
	return d.send(string(jsonrpc.EncodeNotification(method, []byte(params))))
}

// ask sends a request and waits for its response.
func (d *driver) ask(method, params string) (Frame, bool) {
	return d.response(d.request(method, params))
}

// response waits for the response to a request.
func (d *driver) response(req Frame) (Frame, bool) {
	return d.find(req.n, d.t.opts.Timeout, func(f Frame) bool { return f.Kind == jsonrpc.Response && f.ID == req.ID })
}

// must is ask for a request that has to succeed for the check to make sense.
func (d *driver) must(method, params string) Frame {
	f, ok := d.ask(method, params)
	switch {
	case !ok:
		d.t.Skipf("%s is not answered", method)
	case f.ErrorValue() != nil:
		d.t.Skipf("%s is refused: %s", method, f.ErrorValue())
	}
	return f
}

// sync waits until the agent has dealt with everything that was sent, as far as a
// client can know: it answers a request that was sent behind it.
func (d *driver) sync() {
	req := d.request("_conform/sync", `{}`)
	d.find(req.n, 4*d.t.opts.Quiet, func(f Frame) bool { return f.Kind == jsonrpc.Response && f.ID == req.ID })
	d.t.pause()
}

// errorCode is the code of a response's error, 0 when it is none.
func (f Frame) errorCode() int {
	n, err := strconv.Atoi(string(rawjson.Get(f.ErrorValue(), "code")))
	if err != nil {
		return 0
	}
	return n
}

func (f Frame) errorMessage() string {
	s, _ := rawjson.GetString(f.ErrorValue(), "message")
	return s
}

// update is the update of a session/update for a session, nil for anything else.
func (f Frame) update(session string) []byte {
	if f.Kind != jsonrpc.Notification || f.Method != acp.MethodUpdate || f.SessionID != session {
		return nil
	}
	return rawjson.Get(f.Params(), "update")
}

// A chat is a session of a driver.
type chat struct {
	*driver
	id    string
	from  int   // where its setup request stands
	setup Frame // the response
}

// setupParams are the members that all setups of a session share.
func (d *driver) setupParams() string {
	s := `"cwd":` + quote(d.t.places.work) + `,"mcpServers":[]`
	if d.t.probe.additional {
		s += `,"additionalDirectories":[` + quote(d.t.places.extra) + `]`
	}
	return s
}

// chat opens a session in the check's workspace.
func (d *driver) chat() *chat {
	from := d.mark()
	f := d.must(acp.MethodNewSession, "{"+d.setupParams()+"}")
	if f.SessionID == "" {
		d.t.Skipf("the agent opens no session")
	}
	return &chat{driver: d, id: f.SessionID, from: from, setup: f}
}

// resume resumes the session, from its start on when replay is set. frames are what
// came between the request and the response.
func (c *chat) resume(d *driver, replay bool) (again *chat, frames []Frame, resp Frame, ok bool) {
	extra := ""
	if replay {
		extra = `,"replayFrom":{"type":"start"}`
	}
	req := d.request(acp.MethodResumeSession, `{"sessionId":`+quote(c.id)+","+d.setupParams()+extra+"}")
	resp, ok = d.response(req)
	if ok {
		frames = d.since(req.n)[1 : resp.n-req.n]
	}
	return &chat{driver: d, id: c.id, from: req.n, setup: resp}, frames, resp, ok
}

func textBlock(s string) string  { return `{"type":"text","text":` + quote(s) + `}` }
func skillBlock(s string) string { return `{"type":"skill","name":` + quote(s) + `}` }

func (c *chat) promptParams(blocks []string) string {
	raw := make([][]byte, len(blocks))
	for i, b := range blocks {
		raw[i] = []byte(b)
	}
	return `{"sessionId":` + quote(c.id) + `,"prompt":` + string(rawjson.Array(raw)) + `}`
}

// say sends a prompt and waits for its response.
func (c *chat) say(blocks ...string) (req, resp Frame) {
	req = c.request(acp.MethodPrompt, c.promptParams(blocks))
	resp, ok := c.response(req)
	if !ok {
		c.t.Failf([]Frame{req}, "the prompt is not answered within %v", c.t.opts.Timeout)
	}
	return req, resp
}

// tell is say for a prompt that has to be let in for the check to make sense.
func (c *chat) tell(blocks ...string) (req, resp Frame) {
	req, resp = c.say(blocks...)
	if resp.ErrorValue() != nil {
		c.t.Skipf("the agent does not take a prompt: %s", resp.ErrorValue())
	}
	return req, resp
}

// idle waits for the end of the work that a request started.
func (c *chat) idle(req Frame) (Frame, bool) {
	return c.find(req.n, c.t.opts.Timeout, func(f Frame) bool {
		u := f.update(c.id)
		state, _ := rawjson.GetString(u, "state")
		return f.Variant == "state_update" && state == "idle" && u != nil
	})
}

// mustIdle is idle for a check that makes sense only with an agent that ends.
func (c *chat) mustIdle(req Frame) Frame {
	f, ok := c.idle(req)
	if !ok {
		c.t.Skipf("the agent does not finish its work on a prompt within %v: what comes of that cannot be judged", c.t.opts.Timeout)
	}
	return f
}
