// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// Options say what to connect to and for what.
type Options struct {
	Stream io.ReadWriteCloser // to the agent; taken over
	// Ended, if not nil, is asked after a failure why the agent is gone. It
	// waits for the agent's end and returns nil when that is no reason.
	Ended func() error

	Version string // ours
	Cwd     string // absolute
	Add     []string
	Login   string // id of an authentication method; empty: none

	Show    Show // may be nil
	Ask     Ask  // may be nil: every question is answered as cancelled
	Problem func(error)
}

// Show takes the updates of a session, one at a time in the order of the wire.
type Show func(acp.SessionUpdate)

// Ask answers a question. It returns when ctx ends.
type Ask func(ctx context.Context, r *acp.RequestPermissionRequest) *acp.RequestPermissionResponse

// A Session is an open session with an agent.
type Session struct {
	opts    Options
	conn    *acp.ClientConn
	session *acp.ClientSession
	events  *events
	config  []acp.ConfigOption
}

// Connect opens a connection and leaves it at that: the session is opened with
// Open. Errors are explained; see [Explain].
func Connect(ctx context.Context, opts Options) (*Session, error) {
	s := &Session{opts: opts, events: &events{opts: opts}}
	s.events.changed = make(chan struct{})
	client := acp.NewClient(s.events, &acp.ClientOptions{
		Info:         acp.Implementation{Name: "skillgraft", Title: "skillgraft", Version: opts.Version},
		Capabilities: acp.SkillClient(),
		Problem:      opts.Problem,
	})
	conn, err := client.Connect(ctx, opts.Stream)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	s.conn = conn
	if opts.Login != "" {
		params, _ := json.Marshal(map[string]string{"methodId": opts.Login}) // two strings cannot fail
		if err := conn.Conn().Call(ctx, "auth/login", params, nil); err != nil {
			err = s.explain(ctx, err)
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// Open opens the session.
func (s *Session) Open(ctx context.Context) error {
	if len(s.opts.Add) > 0 {
		if caps := s.Agent().Capabilities.Session; caps == nil || caps.AdditionalDirectories == nil {
			return &acp.UnsupportedError{Capability: "session.additionalDirectories"}
		}
	}
	session, resp, err := s.conn.NewSession(ctx, &acp.NewSessionRequest{Cwd: s.opts.Cwd, AdditionalDirectories: s.opts.Add})
	if err != nil {
		return s.explain(ctx, err)
	}
	s.session, s.config = session, resp.ConfigOptions
	return nil
}

// Options are the session's options, as they were answered last. It must not be called
// beside Configure.
func (s *Session) Options() []acp.ConfigOption { return s.config }

// Configure sets an option.
func (s *Session) Configure(ctx context.Context, r *acp.SetConfigOptionRequest) error {
	resp, err := s.session.SetConfigOption(ctx, r)
	if err != nil {
		return s.explain(ctx, err)
	}
	s.config = resp.ConfigOptions
	return nil
}

// Gone reports whether the connection has ended.
func (s *Session) Gone() bool {
	select {
	case <-s.conn.Done():
		return true
	default:
		return false
	}
}

// Agent is what the agent said of itself.
func (s *Session) Agent() *acp.InitializeResponse { return s.conn.Agent() }

// Conn is the connection, for methods that this package has no use for.
func (s *Session) Conn() *jsonrpc.Conn { return s.conn.Conn() }

// ID is the session's id.
func (s *Session) ID() string { return s.session.ID() }

// Commands is the session's current list.
func (s *Session) Commands() []acp.AvailableCommand { return s.session.Commands() }

// Skills are the skills of the current list.
func (s *Session) Skills() []*acp.Skill { return s.session.Skills() }

// Close closes the session, if there is one, and the connection. The agent gets
// a moment to do its part.
func (s *Session) Close() {
	if s.session != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeWait)
		defer cancel()
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			_ = s.session.Close(ctx) // it ends anyway
		}()
		// When its time is over the call still waits for the agent's word on that.
		// Only the end of the connection ends it for sure.
		defer func() { <-closed }()
		select {
		case <-closed:
		case <-ctx.Done():
		}
	}
	_ = s.conn.Close()
}

// closeWait is how long a session/close may take. An agent that hangs must not
// keep the user's prompt from coming back.
const closeWait = time.Second

// An agent may send its list when it likes, and again (ACP-U4). So a list is
// taken for the whole when it has not changed for ListQuiet. It is waited for no
// longer than ListPatience, and one that never stays the same is taken as it is
// after ListChanges times the quiet time.
const (
	ListQuiet    = time.Second
	ListPatience = 10 * time.Second
	ListChanges  = 10
)

// Settle waits until the session has a list that did not change for the time
// quiet, 0 meaning [ListQuiet], or for as long as the patience lasts. With names it
// ends also when the list has all of them.
func (s *Session) Settle(ctx context.Context, quiet time.Duration, names ...string) {
	if quiet <= 0 {
		quiet = ListQuiet
	}
	patience := time.After(ListPatience)
	listed := false
	for {
		changed := s.events.wait()
		if len(names) > 0 && len(s.missing(names)) == 0 {
			return
		}
		var still <-chan time.Time
		if s.session.Commands() != nil {
			if !listed {
				listed, patience = true, time.After(ListChanges*quiet)
			}
			still = time.After(quiet)
		}
		select {
		case <-changed:
		case <-still:
			return
		case <-patience:
			return
		case <-ctx.Done():
			return
		case <-s.conn.Done():
			return
		}
	}
}

func (s *Session) missing(names []string) []string {
	var out []string
	resolve := acp.ResolveIn(s.session.Commands())
	for _, name := range names {
		if resolve(name).State != acp.SkillInvocable {
			out = append(out, name)
		}
	}
	return out
}

// events is the handler of the connection.
type events struct {
	opts Options

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when something came
	turn    *turn
}

// wait is closed at the next thing that comes.
func (e *events) wait() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changed
}

// SessionUpdate implements [acp.ClientHandler].
func (e *events) SessionUpdate(_ context.Context, _ *acp.ClientSession, u acp.SessionUpdate) {
	if e.opts.Show != nil {
		e.opts.Show(u)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if state, ok := u.(*acp.StateUpdate); ok && e.turn != nil {
		e.turn.state(state)
	}
	if _, ok := u.(*acp.AvailableCommandsUpdate); ok {
		close(e.changed)
		e.changed = make(chan struct{})
	}
}

// RequestPermission implements [acp.ClientHandler].
func (e *events) RequestPermission(ctx context.Context, _ *acp.ClientSession, r *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
	if e.opts.Ask == nil {
		return acp.Cancelled(), nil
	}
	return e.opts.Ask(ctx, r), nil
}

var errEnded = errors.New("the agent closed the connection before it was done")
