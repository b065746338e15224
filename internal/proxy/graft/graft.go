// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// Options set up a [Stage].
type Options struct {
	// ToClient and ToAgent take a place in the queue to either side. They are
	// called with the stage's lock held and must not wait nor call back.
	ToClient, ToAgent func(jsonrpc.Message)
	// Stream is ToClient for a message that FromAgent was given and that passes
	// as it is, and so would all like it, whatever text they have. Nil means
	// ToClient.
	Stream func(*jsonrpc.Message)
	// Flush has what was queued written, without waiting. The stage calls it
	// after work that ran beside the two directions.
	Flush func()

	Store   *catalog.Store
	Catalog catalog.Options // Workspace and ClientFolders are set for each session

	// Profile is that of the agent; nil: one of Profiles, picked by what the agent
	// says of itself and by Command.
	Profile  *profile.Profile
	Profiles []*profile.Profile // nil means the built-in ones
	Command  []string           // the agent's command line

	Journal func(agent string) *journal.Journal // may return nil: nothing is kept on disk
	Version string                              // ours, for the mark on the initialize response
	Log     *slog.Logger

	// KeepTrust remembers that the user trusts a workspace. It is called when the
	// client was asked and said so; nil means that it is not asked (trust.go).
	KeepTrust func(dir string) error
	// ModelServer is the command line of a server that offers a session's skills
	// to the model. Nil means that a model is told of no skill that the user has
	// not chosen (modelserver.go).
	ModelServer func(ModelSession) ModelServer

	// MCPSkills has the skills of MCP servers that the client names for a session.
	// Nil means that there are none (remote.go).
	MCPSkills *MCPSkills

	// Open reports whether a request of the client has no answer yet. Nil means
	// that all have none.
	Open func(jsonrpc.ID) bool

	// Activate reads a skill; nil means [acpskill.Activate].
	Activate func(context.Context, acpskill.Listed) (*skill.Activation, error)
}

// A Call is a request of the client that the agent has answered.
type Call struct {
	Method    string
	SessionID string // of its params
}

// A Stage gives skills to one connection. FromClient and FromAgent may run at
// the same time; each is called by one goroutine, in the order of the wire.
//
// One lock covers every decision together with its place in the queue, so that
// no list, echo or answer can be overtaken by a later decision. It is never held
// while the disk or a peer is waited for: that runs in goroutines of the
// stage's own, which Close ends.
type Stage struct {
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
	scribe *scribe

	mu       sync.Mutex
	room     sync.Cond // a queue of held messages got shorter
	conn     connection
	setups   map[jsonrpc.ID]*setup
	sessions map[string]*session
	weaves   map[wovenKey]*woven // lists that sessions share
	early    map[string][]byte   // lists of sessions that are not known yet
	trust    trusting
	remote   remoteState
}

// New makes a stage.
func New(opts Options) *Stage {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Profiles == nil {
		opts.Profiles = profile.Known()
	}
	if opts.Activate == nil {
		opts.Activate = acpskill.Activate
	}
	if opts.Journal == nil {
		opts.Journal = func(string) *journal.Journal { return nil }
	}
	if opts.Open == nil {
		opts.Open = func(jsonrpc.ID) bool { return true }
	}
	if opts.Stream == nil {
		opts.Stream = func(m *jsonrpc.Message) { opts.ToClient(*m) }
	}
	s := &Stage{opts: opts, setups: map[jsonrpc.ID]*setup{}, sessions: map[string]*session{}, weaves: map[wovenKey]*woven{}, early: map[string][]byte{}, trust: newTrusting()}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.room.L = &s.mu
	s.scribe = newScribe(opts.Log)
	s.remote = s.newRemoteState()
	s.conn.initializing, s.conn.dialect = map[jsonrpc.ID]clientHello{}, v2{}
	return s
}

// Settle waits until nothing of the stage runs beside the two directions: what
// the agent has sent is on its way to the client then.
func (s *Stage) Settle() { s.work.Wait() }

// Close ends what the stage has running and waits for it.
func (s *Stage) Close() {
	s.cancel()
	s.mu.Lock()
	var open []*session
	for _, sess := range s.sessions {
		open = append(open, sess)
	}
	for _, su := range s.setups {
		su.abandon()
		open = append(open, &session{watch: su.watch})
	}
	clear(s.setups)
	clear(s.sessions)
	s.room.Broadcast()
	s.mu.Unlock()
	for _, sess := range open {
		sess.release()
	}
	s.remote.host.Close()
	s.work.Wait()
	s.remote.host.Close() // of what connected meanwhile
	s.scribe.close()
}

// FromClient handles the next message of the client.
func (s *Stage) FromClient(m jsonrpc.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Kind == jsonrpc.Request && m.Method == "initialize" {
		s.hello(m)
		return
	}
	if m.Kind == jsonrpc.Response && (s.trustAnswered(m) || s.remoteAnswered(m)) {
		return
	}
	if !s.conn.grafting {
		s.opts.ToAgent(m)
		return
	}
	if m.Method == "$/cancel_request" {
		if !s.cancelSetup(m) {
			s.cancelRequest(m)
		}
		return
	}
	s.receive(m)
}

// receive handles a message of the client on a connection that gets skills.
func (s *Stage) receive(m jsonrpc.Message) {
	sess := s.sessions[m.SessionID]
	if sess == nil || m.Kind == jsonrpc.Response {
		s.fromClient(sess, m)
		return
	}
	switch m.Method {
	case "session/cancel":
		// An agent that has nothing to cancel may take it out on the next
		// prompt, so a cancel that was for us alone ends here.
		if s.endHeld(sess) && !sess.busy() {
			return
		}
		s.fromClient(sess, m)
	case "session/close", "session/delete":
		// These end what is held, and wait for nothing.
		s.endHeld(sess)
		s.fromClient(sess, m)
	default:
		if sess.held != nil {
			sess.clientQueue.push(s, m, nil, func() bool { return sess.held != nil })
			return
		}
		s.fromClient(sess, m)
	}
}

// fromClient handles a message of the client that nothing holds up.
func (s *Stage) fromClient(sess *session, m jsonrpc.Message) {
	if s.behindSetup(m) {
		return
	}
	if m.Kind == jsonrpc.Notification && m.Method == "session/prompt" {
		// It cannot be answered, so a skill block in it cannot be refused (ACP-P4).
		var bad *acp.PromptError
		_, err := acp.CheckPrompt(rawjson.Get(m.Params(), "prompt"), acp.SkillSupport{}, s.resolve(nil))
		if errors.As(err, &bad) && bad.Block >= 0 {
			s.opts.Log.Warn("the client sent a prompt with a skill block as a notification; it was dropped", "problem", err)
			return
		}
	}
	if m.Kind == jsonrpc.Request {
		switch m.Method {
		case "session/new", "session/load", "session/resume", "session/fork":
			s.beginSetup(m)
			if s.holdSetup(m) {
				return
			}
		case "session/prompt":
			s.prompt(sess, m)
			return
		}
	}
	s.opts.ToAgent(m)
}

// FromAgent handles the next message of the agent, which it does not keep. call
// is what a response answers, nil for everything else.
//
// Almost all that passes here are pieces of text, and the stage does nothing
// with them: to find that out takes a session and a switch.
func (s *Stage) FromAgent(msg *jsonrpc.Message, call *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if call == nil && passes(msg.Variant) {
		sess := s.sessions[msg.SessionID]
		if sess == nil || sess.gate == 0 && (sess.past == nil || sess.past.idle()) {
			if sess != nil {
				sess.alive = true
			}
			s.opts.Stream(msg)
			return
		}
	}
	m := *msg
	if call != nil && call.Method == "initialize" {
		s.helloAnswered(m)
		return
	}
	if !s.conn.grafting {
		s.opts.ToClient(m)
		return
	}
	sess := s.sessions[m.SessionID]
	if call != nil && call.SessionID != "" && call.Method != "session/fork" {
		sess = s.sessions[call.SessionID]
	}
	if sess == nil && m.Variant == "available_commands_update" {
		sess = s.earlySession(m)
	}
	if sess != nil && sess.gate > 0 {
		sess.agentQueue.push(s, m, call, func() bool { return sess.gate > 0 })
		return
	}
	s.fromAgent(sess, m, call)
}

// passes tells the variants that the stage has nothing to do with.
func passes(variant string) bool {
	switch variant {
	case "agent_message_chunk", "agent_thought_chunk", "tool_call_update", "tool_call_content_chunk", "terminal_output_chunk", "usage_update":
		return true
	}
	return false
}

// fromAgent handles a message of the agent that nothing holds up.
func (s *Stage) fromAgent(sess *session, m jsonrpc.Message, call *Call) {
	if call != nil {
		s.answered(sess, m, call)
		return
	}
	if sess == nil {
		switch m.Variant {
		case "available_commands_update":
			s.opts.ToClient(s.unknownList(m))
		case "user_message", "user_message_chunk":
			s.conn.dialect.userMessage(s, nil, m)
		default:
			s.opts.ToClient(m)
		}
		return
	}
	switch m.Variant {
	case "user_message", "user_message_chunk":
		sess.alive = true
		s.conn.dialect.userMessage(s, sess, m)
	case "available_commands_update":
		s.endReplayed(sess)
		s.agentList(sess, m)
	case "state_update":
		s.endReplayed(sess)
		state, _ := rawjson.GetString(m.Params(), "update", "state")
		background := rawjson.Get(m.Params(), "update", "background")
		sess.running = state != "idle" || rawjson.IsArray(background) && !isEmpty(background)
		s.opts.ToClient(m)
	case "session_info_update":
		s.endReplayed(sess)
		s.opts.ToClient(s.retitle(sess, m))
	default:
		sess.alive = true
		s.endReplayed(sess)
		s.opts.ToClient(m)
	}
}

// answered handles a response of the agent.
func (s *Stage) answered(sess *session, m jsonrpc.Message, call *Call) {
	if sess != nil {
		s.endReplayed(sess)
	}
	ok := m.Result() != nil
	switch call.Method {
	case "session/new", "session/load", "session/resume", "session/fork":
		s.setupAnswered(m, call)
		return
	case "session/prompt":
		if sess != nil {
			s.promptAnswered(sess, m)
		}
	case "session/list":
		if ok {
			s.retitleList(m)
			return
		}
	case "session/close":
		if ok && sess != nil {
			s.forget(sess)
		}
	case "session/delete":
		if ok {
			if sess != nil {
				s.forget(sess)
			}
			id, j := call.SessionID, s.conn.journal
			s.scribe.do("removing a deleted session", func() error { return j.Remove(id) })
		}
	}
	s.opts.ToClient(m)
}

// aside runs f beside the two directions. f takes the lock for what it decides;
// what it queued is written when it returns.
func (s *Stage) aside(f func()) {
	s.work.Go(func() {
		f()
		if s.opts.Flush != nil {
			s.opts.Flush()
		}
	})
}
