// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
)

// A session lets one prompt after the other in.
type session struct {
	handler *handler
	client  *acp.AgentSession
	history *history

	// out makes the history, the state and what the client is sent one order.
	// It is held while sending, so nothing that must not wait takes it.
	out   sync.Mutex
	state string

	mu      sync.Mutex
	shelf   *shelf
	mode    Mode
	spec    string                             // of the model
	allowed map[string]bool                    // what the user allowed for the session
	stops   map[string]context.CancelCauseFunc // by the ids of calls and terminals that run
	used    int                                // tokens of the conversation, as the server has counted last; 0: not known
	held    *turn                              // of the prompt that waits to be let in
	running *turn
	closed  bool
}

// A turn is the work on one prompt, from when its turn to be let in has come.
type turn struct {
	ctx  context.Context // ends when the work is cancelled
	stop context.CancelFunc
	done chan struct{} // closed when the session is idle again
}

func (s *session) skills() *shelf {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shelf
}

// replaceShelf is for a resume with other directories.
func (s *session) replaceShelf(sh *shelf) {
	s.mu.Lock()
	old, closed := s.shelf, s.closed
	s.shelf = sh
	s.mu.Unlock()
	old.close()
	if closed {
		sh.close()
	}
}

// prompt lets a user message in when the work before it is done, and starts the
// work on it. All that can refuse the message comes before it is inserted, so a
// message that is refused or cancelled leaves nothing (ACP-P4).
func (s *session) prompt(ctx context.Context, p *acp.UserPrompt) (messageID string, err error) {
	if err := checkBlocks(p.Prompt); err != nil {
		return "", err
	}
	t, before := s.hold()
	if t == nil {
		return "", errNotInserted()
	}
	detach := context.AfterFunc(ctx, t.stop)
	if before != nil {
		select {
		case <-before.done:
		case <-t.ctx.Done():
		}
	}
	var in *input
	if t.ctx.Err() == nil {
		in, err = s.read(t.ctx, p)
	}
	// From here on the request's context is no reason to stop: the message is
	// in or it is not, and the response says which.
	if !detach() || !s.start(t) {
		s.drop(t)
		return "", errNotInserted()
	}
	if err == nil {
		messageID, err = s.insert(p, in)
	}
	if err != nil {
		s.drop(t)
		return "", err
	}
	work := func(context.Context) { s.work(t, in) }
	if !s.client.Go(work) {
		t.stop()
		s.finish(t, ending{})
	}
	return messageID, nil
}

// hold makes the turn of a prompt whose time to be let in has come, and says
// which one it has to wait for. It is nil when the session is closed.
func (s *session) hold() (t, before *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil
	}
	t = &turn{done: make(chan struct{})}
	t.ctx, t.stop = context.WithCancel(s.client.Context())
	s.held = t
	return t, s.running
}

// start makes the turn that was held the running one, unless it was cancelled.
func (s *session) start(t *turn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.ctx.Err() != nil {
		return false
	}
	s.held, s.running = nil, t
	return true
}

// drop ends a turn that has not begun, or has ended.
func (s *session) drop(t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == t {
		s.held = nil
	}
	if s.running == t {
		s.running = nil
	}
	t.stop()
	close(t.done)
}

// cancel ends the work on the prompts so far. It does not wait.
func (s *session) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopTurns()
}

func (s *session) stopTurns() {
	for _, t := range []*turn{s.held, s.running} {
		if t != nil {
			t.stop()
		}
	}
}

// close ends the session's work as cancel does, and waits until the client has
// been told.
func (s *session) close() {
	s.mu.Lock()
	s.closed = true
	s.stopTurns() // so that what is held never becomes the running one
	running, sh := s.running, s.shelf
	s.mu.Unlock()
	if running != nil {
		<-running.done
	}
	sh.close()
}

func newMessageID() string { return "msg_" + rand.Text() }
