// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"crypto/rand"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// DownOptions set up a [Down].
type DownOptions struct {
	// ToClient and ToAgent take a place in the queue to either side. They are
	// called with the lock of the Down held and must not wait nor call back.
	ToClient, ToAgent func(jsonrpc.Message)
	Log               *slog.Logger // nil: nothing is logged
}

// A Down stands between a version 1 client and the stages behind it, which see
// version 2 on both sides, when the agent speaks nothing else:
//
//	client (1) <-> Down <-> graft <-> agent (2)
//
// The client's own initialize goes to the agent first, untouched. Most agents
// answer version 1, and then everything passes through for ever. Only when the
// agent refuses or answers 2 is it asked again in version 2, and what follows is
// translated where that is sound. Skills do not exist in version 1: the agent is
// told nothing of them, and the client gets plain commands (ACP-C4, PXY-8).
//
// FromClient and FromAgent may run at the same time, each in the order of the
// wire. One lock covers every decision together with its place in the queue. A
// Down waits for nothing and has no goroutines.
type Down struct {
	opts  DownOptions
	phase atomic.Uint32 // changes with mu held

	mu       sync.Mutex
	hello    *downHello // the client's initialize, while it is being negotiated
	held     heldBack
	client   downClient // what the client said of itself
	calls    map[jsonrpc.ID]*downCall
	asks     map[jsonrpc.ID]*downAsk
	sessions map[string]*downSession
}

// downCall is an open request of the client.
type downCall struct {
	id      jsonrpc.ID // as the client wrote it
	method  string     // the client's
	session *downSession
	turn    *downTurn // of a prompt
	mode    string    // that set_mode asked for
	foreign bool      // initialize of another version than 1
}

// downSession is what has to be remembered of a session.
type downSession struct {
	id        string
	replaying int // loads without an answer
	closed    bool

	turns  []*downTurn
	echoes []downEcho // oldest first

	modeOption, mode, modelOption string
	plans                         []downPlan
	downShown
}

// downShown is what the client has been shown of a session. A load starts it
// anew.
type downShown struct {
	messages  map[string]*downMessage
	said      []string // the keys of messages, oldest first
	tools     map[string]*downTool
	finished  []*downTool // whose content is still kept, oldest first
	dirty     []*downTool // with content that the client has not got
	terminals map[string]*downTerminal
	opened    []string // the keys of terminals, oldest first
}

// NewDown makes a Down. Both push functions are required.
func NewDown(opts *DownOptions) *Down {
	d := &Down{opts: *opts, calls: map[jsonrpc.ID]*downCall{}, asks: map[jsonrpc.ID]*downAsk{}, sessions: map[string]*downSession{}}
	if d.opts.Log == nil {
		d.opts.Log = slog.New(slog.DiscardHandler)
	}
	return d
}

// Active reports whether messages are being translated. Until the first
// initialize is answered, and for ever when no translation is needed, it is
// false.
func (d *Down) Active() bool { return d.phase.Load() == active }

// Transparent reports whether messages pass as they came from now on, for ever.
// A relay may go around the Down as soon as it is true.
func (d *Down) Transparent() bool { return d.phase.Load() == transparent }

// Negotiating reports whether an initialize has no answer yet, and what came
// behind it may be held back.
func (d *Down) Negotiating() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hello != nil
}

// FromClient handles the next message of the client.
func (d *Down) FromClient(m jsonrpc.Message) {
	if d.phase.Load() == transparent {
		d.opts.ToAgent(m)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fromClient(m)
}

func (d *Down) fromClient(m jsonrpc.Message) {
	switch {
	case d.phase.Load() == transparent:
		d.opts.ToAgent(m)
	case d.hello != nil:
		d.whileNegotiating(m)
	case m.Kind == jsonrpc.Request && d.calls[m.ID.Plain()] != nil:
		// The relay has seen to it already. Two answers to one id could not be
		// told apart.
		d.refuse(m.ID, jsonrpc.CodeInvalidRequest, "a request with the id "+string(m.ID)+" is still open: give each request an id of its own")
	case m.Kind == jsonrpc.Request && m.Method == "initialize":
		d.beginHello(m)
	case d.phase.Load() != active:
		d.opts.ToAgent(m)
	case m.Kind == jsonrpc.Request:
		d.request(m)
	case m.Kind == jsonrpc.Response:
		d.answerAsk(m)
	case m.Method == "session/cancel":
		d.cancelTurns(m)
	case m.Method == jsonrpc.MethodCancelRequest:
		d.cancelRequest(m)
	default:
		d.opts.ToAgent(m)
	}
}

// request translates a request of the client. What is the same in both versions,
// and what is known in neither, goes on as it is (PXY-1).
func (d *Down) request(m jsonrpc.Message) {
	switch m.Method {
	case "authenticate":
		d.call(m, downMethod(m, "auth/login"))
	case "logout":
		d.call(m, downMethod(m, "auth/logout"))
	case "session/new", "session/load", "session/resume", "session/fork":
		d.beginSetup(m)
	case "session/prompt":
		d.beginTurn(m)
	case "session/set_mode":
		d.setByCategory(m, "modeId", d.session(m.SessionID).modeOption, "modes")
	case "session/set_model":
		d.setByCategory(m, "modelId", d.session(m.SessionID).modelOption, "models to choose from")
	case "session/set_config_option":
		d.setOption(m)
	default:
		d.call(m, m)
	}
}

// call puts a request of the client to the agent, as out.
func (d *Down) call(m, out jsonrpc.Message) *downCall {
	c := &downCall{id: m.ID, method: m.Method}
	if m.SessionID != "" {
		c.session = d.session(m.SessionID)
	}
	d.calls[m.ID.Plain()] = c
	d.opts.ToAgent(out)
	return c
}

// FromAgent handles the next message of the agent.
func (d *Down) FromAgent(m jsonrpc.Message) {
	if d.phase.Load() == transparent {
		d.opts.ToClient(m)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if m.Kind == jsonrpc.Response && d.helloAnswered(m) {
		return
	}
	if d.phase.Load() != active {
		d.opts.ToClient(m)
		return
	}
	switch {
	case m.Kind == jsonrpc.Response:
		d.answered(m)
	case m.Method == "session/update" && m.Kind == jsonrpc.Notification:
		d.update(m)
	case m.Kind == jsonrpc.Request && m.Method == "session/request_permission":
		d.permission(m)
	case m.Kind == jsonrpc.Request && m.Method == "elicitation/create":
		d.elicitation(m)
	default:
		d.opts.ToClient(m)
	}
}

// answered translates the agent's answer to a request of the client.
func (d *Down) answered(m jsonrpc.Message) {
	key := jsonrpc.AnswerKey(d.calls, m.ID)
	c := d.calls[key]
	if c == nil {
		d.opts.ToClient(m) // the relay knows whether anybody waits for it
		return
	}
	if c.turn != nil {
		d.promptAnswered(c, m)
		return
	}
	delete(d.calls, key)
	ok := m.Result() != nil
	switch c.method {
	case "initialize":
		if ok {
			m = d.welcome(m)
		}
	case "session/new", "session/load", "session/resume", "session/fork":
		d.setupAnswered(c, m)
		return
	case "session/set_mode", "session/set_model", "session/set_config_option":
		if ok {
			m = d.optionSet(c, m)
		}
	case "session/status":
		if ok {
			m = m.WithResult(rawjson.Delete(m.Result(), "state"))
		}
	case "session/close", "session/delete":
		if ok && c.session != nil {
			d.endSession(c.session)
		}
	}
	d.opts.ToClient(m)
}

// session is the state of a session, made when it is first spoken of: an agent
// may report on it before it has answered.
func (d *Down) session(id string) *downSession {
	s := d.sessions[id]
	if s == nil {
		s = &downSession{id: id}
		s.reset()
		d.sessions[id] = s
	}
	return s
}

func (s *downSession) reset() {
	s.plans = nil
	s.downShown = downShown{messages: map[string]*downMessage{}, tools: map[string]*downTool{}, terminals: map[string]*downTerminal{}}
}

// endSession answers what the agent will not report on any more, and forgets the
// session.
func (d *Down) endSession(s *downSession) {
	s.closed = true
	for _, t := range append([]*downTurn(nil), s.turns...) {
		if t.accepted {
			d.finish(s, t, downEnd{stop: "cancelled"})
		}
	}
	if d.sessions[s.id] == s {
		delete(d.sessions, s.id)
	}
}

// refuse answers a request of the client with an error.
func (d *Down) refuse(id jsonrpc.ID, code int, message string) {
	d.opts.ToClient(jsonrpc.Scan(jsonrpc.EncodeError(id, &jsonrpc.Error{Code: code, Message: message})))
}

// notify sends the client an update of ours.
func (d *Down) notify(session string, update []byte) {
	var params object
	params.text("sessionId", session)
	params.put("update", update)
	d.opts.ToClient(jsonrpc.Scan(jsonrpc.EncodeNotification("session/update", params.bytes())))
}

// downOwnID is an id that nobody else gives.
func downOwnID() jsonrpc.ID { return jsonrpc.ID(rawjson.Quote("skillgraft-" + rand.Text())) }
