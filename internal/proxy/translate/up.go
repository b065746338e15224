// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"crypto/rand"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// defaultPatience is how long a client waits for an agent that works on a prompt
// and says nothing yet. Agents refuse for want of a login or a session within
// much less.
const defaultPatience = 2 * time.Second

// UpOptions set up an [Up].
type UpOptions struct {
	// ToClient and ToAgent take a place in the queue to either side. They are
	// called with the lock of the Up held and must neither wait nor call back:
	// FromClient may answer by ToClient. Who keeps a message clones it.
	ToClient, ToAgent func(jsonrpc.Message)

	// Flush has what was queued written, without waiting. It is called after
	// something was queued by neither FromClient nor FromAgent. It may be nil.
	Flush func()

	Log *slog.Logger // nil: nothing is logged

	// Patience is how long a prompt that the agent is silent about counts as
	// not yet accepted; 0 means two seconds.
	Patience time.Duration

	// After calls f once in a goroutine of its own when d has passed, unless
	// stop is called before. nil means [time.AfterFunc].
	After func(d time.Duration, f func()) (stop func())

	// Token is the part of ids that nobody else gives; nil means
	// [rand.Text].
	Token func() string
}

// An Up makes an agent of version 1 look like one of version 2 to what stands in
// front of it (PXY-8):
//
//	client (2) <-> graft <-> Up <-> agent (1)
//
// The client's initialize goes to the agent untouched. When the agent answers
// version 2, everything passes through for ever, byte for byte; when it answers
// version 1, what follows is translated. What neither version knows passes in
// both directions as it came (PXY-1).
//
// FromClient and FromAgent may run at the same time, each in the order of the
// wire. One lock covers every decision together with its place in the queue
// (PXY-2). Nothing waits; the only thing beside the two directions is one timer
// for each prompt that is not accepted yet, which Close ends.
type Up struct {
	opts  UpOptions
	phase atomic.Uint32  // changes with mu held
	work  sync.WaitGroup // timers that fire

	mu       sync.Mutex
	closed   bool
	hello    *upHello // the client's initialize, while it is being negotiated
	held     heldBack
	agent    upAgent
	prefix   string // of our own ids
	lastID   int
	calls    map[jsonrpc.ID]*upCall // by the id that the agent knows
	clients  map[jsonrpc.ID]*upCall // by the client's id; held prompts too
	asks     map[jsonrpc.ID]*upAsk
	sessions map[string]*upSession
}

// upAgent is what the agent said it can do.
type upAgent struct{ load, list, resume, close, logout bool }

// upCall is a request of the client that has another life at the agent: its
// answer is made of the agent's, or comes earlier.
type upCall struct {
	id     jsonrpc.ID // as the client wrote it
	own    jsonrpc.ID // as the agent knows it; empty for a prompt that is held
	turn   *upTurn    // of a prompt
	answer func(jsonrpc.Message)
}

// NewUp makes an Up. Both push functions are required.
func NewUp(opts *UpOptions) *Up {
	u := &Up{
		opts: *opts, calls: map[jsonrpc.ID]*upCall{}, clients: map[jsonrpc.ID]*upCall{},
		asks: map[jsonrpc.ID]*upAsk{}, sessions: map[string]*upSession{},
	}
	if u.opts.Log == nil {
		u.opts.Log = slog.New(slog.DiscardHandler)
	}
	if u.opts.Patience <= 0 {
		u.opts.Patience = defaultPatience
	}
	if u.opts.After == nil {
		u.opts.After = func(d time.Duration, f func()) func() {
			t := time.AfterFunc(d, f)
			return func() { t.Stop() }
		}
	}
	if u.opts.Token == nil {
		u.opts.Token = rand.Text
	}
	u.prefix = "skillgraft-" + u.opts.Token() + "-"
	return u
}

// Active reports whether messages are being translated.
func (u *Up) Active() bool { return u.phase.Load() == active }

// Transparent reports whether messages pass as they came from now on, for ever.
// A relay may go around the Up as soon as it is true.
func (u *Up) Transparent() bool { return u.phase.Load() == transparent }

// Close ends the timers and waits for those that fire. What comes later passes
// nothing on. The client's open requests stay without an answer from here: only
// who closes knows why.
func (u *Up) Close() {
	u.mu.Lock()
	u.closed = true
	for _, s := range u.sessions {
		if s.turn != nil {
			s.turn.stopTimer()
		}
	}
	u.mu.Unlock()
	u.work.Wait()
}

// Negotiating reports whether an initialize has no answer yet, and what came
// behind it may be held back.
func (u *Up) Negotiating() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.hello != nil
}

// FromClient handles the next message of the client.
func (u *Up) FromClient(m jsonrpc.Message) {
	if u.phase.Load() == transparent {
		u.opts.ToAgent(m)
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.closed {
		u.fromClient(m)
	}
}

func (u *Up) fromClient(m jsonrpc.Message) {
	switch {
	case u.phase.Load() == transparent:
		u.opts.ToAgent(m)
	case u.hello != nil:
		u.whileNegotiating(m)
	case m.Kind == jsonrpc.Request && m.Method == acp.MethodInitialize:
		u.beginHello(m)
	case u.phase.Load() != active:
		u.opts.ToAgent(m)
	case m.Kind == jsonrpc.Request:
		u.request(m)
	case m.Kind == jsonrpc.Response:
		u.answerAsk(m)
	case m.Method == acp.MethodCancel:
		u.cancel(m)
	case m.Method == jsonrpc.MethodCancelRequest:
		u.cancelRequest(m)
	case m.Method == acp.MethodPrompt:
		u.opts.Log.Warn("the client sent a prompt as a notification; it was dropped, since the end of its turn could not be told")
	default:
		u.opts.ToAgent(m)
	}
}

// request translates a request of the client.
func (u *Up) request(m jsonrpc.Message) {
	if u.clients[m.ID.Plain()] != nil {
		// The relay has seen to it already. Two answers to one id could not
		// be told apart.
		u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "a request with the id %s is still open: give each request an id of its own", m.ID))
		return
	}
	switch m.Method {
	case acp.MethodLoginAuth:
		u.call(m, v1.MethodAuthenticate, m.Params(), nil)
	case acp.MethodLogoutAuth:
		u.logout(m)
	case acp.MethodNewSession, acp.MethodForkSession:
		u.beginSession(m)
	case acp.MethodResumeSession:
		u.resume(m)
	case acp.MethodListSessions:
		u.list(m)
	case acp.MethodCloseSession, acp.MethodDeleteSession:
		u.end(m)
	case acp.MethodSetConfigOption:
		u.setOption(m)
	case acp.MethodPrompt:
		u.prompt(m)
	case acp.MethodCancelToolCall, acp.MethodCancelTerminal:
		u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the agent speaks version 1 of the protocol, which has no %s: cancel the whole turn with session/cancel", m.Method))
	case v1.MethodAuthenticate, v1.MethodLogout, v1.MethodLoadSession, v1.MethodSetMode, methodSetModel:
		u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "version 2 of the protocol, which was agreed on, has no %s", m.Method))
	default:
		u.opts.ToAgent(m)
	}
}

func (u *Up) logout(m jsonrpc.Message) {
	if !u.agent.logout {
		u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the agent speaks version 1 of the protocol and offers no logout: log out with the agent's own program"))
		return
	}
	u.call(m, v1.MethodLogout, m.Params(), nil)
}

// call puts a request of the client to the agent under an id of our own. A nil
// answer passes the agent's on.
func (u *Up) call(m jsonrpc.Message, method string, params []byte, answer func(c *upCall, r jsonrpc.Message)) *upCall {
	c := &upCall{id: m.ID}
	c.answer = func(r jsonrpc.Message) {
		if answer == nil || r.Result() == nil {
			u.answer(c, r, nil)
			return
		}
		answer(c, r)
	}
	u.clients[m.ID.Plain()] = c
	u.send(c, method, params)
	return c
}

// send sends the request of a call.
func (u *Up) send(c *upCall, method string, params []byte) {
	c.own = u.ownID()
	u.calls[c.own] = c
	u.opts.ToAgent(jsonrpc.Scan(jsonrpc.EncodeRequest(c.own, method, params)))
}

func (u *Up) ownID() jsonrpc.ID {
	u.lastID++
	return jsonrpc.ID(rawjson.Quote(u.prefix + strconv.Itoa(u.lastID)))
}

// answer gives the client the agent's answer to a call, with another result
// unless that is nil. Version 2 has an object where version 1 may have null.
func (u *Up) answer(c *upCall, r jsonrpc.Message, result []byte) {
	delete(u.clients, c.id.Plain())
	if result == nil && r.Result() != nil && !rawjson.IsObject(r.Result()) {
		result = []byte("{}")
	}
	raw := rawjson.Set(r.Raw, []byte(c.id), "id")
	if result != nil {
		raw = rawjson.Set(raw, result, "result")
	}
	u.opts.ToClient(jsonrpc.Scan(raw))
}

// reply answers a request of the client in the agent's place.
func (u *Up) reply(id jsonrpc.ID, result []byte) {
	delete(u.clients, id.Plain())
	u.opts.ToClient(jsonrpc.Scan(jsonrpc.EncodeResult(id, result)))
}

// refuse answers a request of the client with an error of ours.
func (u *Up) refuse(id jsonrpc.ID, e *jsonrpc.Error) {
	u.opts.ToClient(jsonrpc.Scan(jsonrpc.EncodeError(id, e)))
}

// FromAgent handles the next message of the agent.
func (u *Up) FromAgent(m jsonrpc.Message) {
	if u.phase.Load() == transparent {
		u.opts.ToClient(m)
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.closed:
	case m.Kind == jsonrpc.Response && u.helloAnswered(m):
	case u.phase.Load() != active:
		u.opts.ToClient(m)
	case m.Kind == jsonrpc.Response:
		if c := u.calls[m.ID.Plain()]; c != nil {
			delete(u.calls, c.own)
			c.answer(m)
			return
		}
		u.opts.ToClient(m) // of a request that passed as it came, or of none
	case m.Kind == jsonrpc.Request:
		u.agentRequest(m)
	case m.Method == v1.MethodUpdate:
		u.update(m)
	default:
		u.opts.ToClient(m)
	}
}
