// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"

	"github.com/skillgraft/skillgraft/acp"
)

// An Outcome is how the work on a prompt ended.
type Outcome struct {
	StopReason string           // empty: the agent gave none
	Error      *acp.ErrorDetail // of the stop reason error
}

// A turn is the work on the prompt that was sent.
type turn struct {
	running bool
	done    chan Outcome
}

// state takes a state of the session. Idle ends the turn when it gives a reason,
// or when the session was at work before: an agent may say idle once more of a
// session that has not begun.
func (t *turn) state(u *acp.StateUpdate) {
	switch {
	case u.State == acp.StateIdle && (u.StopReason != "" || t.running):
		select {
		case t.done <- Outcome{StopReason: u.StopReason, Error: u.Error}:
		default: // it has ended already
		}
	case u.State != acp.StateIdle:
		t.running = true
	}
}

// Prompt says blocks to the agent and waits until it has nothing more to do.
// Names that are not in the list are an [*UnknownSkillError], and nothing is
// sent. The first receive from interrupt cancels the work, and the agent says
// how it ended; ctx ends the waiting.
func (s *Session) Prompt(ctx context.Context, blocks []acp.ContentBlock, interrupt <-chan struct{}) (Outcome, error) {
	if missing := s.missing(Names(blocks)); len(missing) > 0 {
		return Outcome{}, s.unknown(missing)
	}
	t := &turn{done: make(chan Outcome, 1)}
	s.events.mu.Lock()
	s.events.turn = t
	s.events.mu.Unlock()

	sent := make(chan error, 1)
	sending, stopSending := context.WithCancel(ctx)
	defer stopSending()
	go func() {
		_, err := s.session.Prompt(sending, blocks...)
		sent <- err
	}()
	cancelled := false
	var end *Outcome
	done := t.done
	for {
		select {
		case err := <-sent:
			switch {
			case err != nil && cancelled && isCancelled(err):
				return Outcome{StopReason: stopCancelled}, nil
			case err != nil:
				return Outcome{}, s.explain(ctx, err)
			case end != nil:
				return *end, nil
			case cancelled:
				// The cancellation may have been ahead of the prompt.
				if err := s.session.Cancel(ctx); err != nil {
					return Outcome{}, s.explain(ctx, err)
				}
			}
			sent = nil
		case o := <-done:
			if sent == nil {
				return o, nil
			}
			end, done = &o, nil // the response is still on its way
		case <-interrupt:
			interrupt, cancelled = nil, true
			stopSending() // a prompt that is not accepted yet never will be
			if err := s.session.Cancel(ctx); err != nil {
				return Outcome{}, s.explain(ctx, err)
			}
		case <-s.conn.Done():
			if end != nil {
				return *end, nil
			}
			return Outcome{}, s.explain(ctx, s.ended())
		case <-ctx.Done():
			return Outcome{}, context.Cause(ctx)
		}
	}
}

const stopCancelled = "cancelled"

func (s *Session) ended() error {
	if err := s.conn.Err(); err != nil {
		return errors.Join(errEnded, err)
	}
	return errEnded
}
