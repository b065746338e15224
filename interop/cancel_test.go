// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A turn that is cancelled, with a prompt with a block queued behind it: the
// queued one ends with -32800, its skill never reaches the model, and the next
// prompt is shown as it was sent.
func TestCancelledQueue(t *testing.T) {
	each(t, func(r *rig) {
		other := foreign(r)
		c, _ := r.client(how{})
		s := r.open(c)
		at := c.mark()
		s.hold()
		queued := s.send(skill(other.name), text(" queued"))
		c.must("session/list", map[string]any{"cwd": r.ws.dir}) // the queued prompt is at the agent by now
		c.notify("session/cancel", map[string]any{"sessionId": s.id})
		if f := c.response(queued); f.Error == nil || f.Error.Code != -32800 {
			r.t.Errorf("the queued prompt ended with %s, want -32800", f.Raw)
		}
		if stop := c.idle(at, s.id); stop != "cancelled" {
			r.t.Errorf("the turn ended with %q", stop)
		}
		if got := userMessages(r.t, c.since(at), s.id); len(got) != 1 {
			r.t.Errorf("%d user messages were shown, want the first only", len(got))
		}
		next := []any{skill(other.name), text(" next")}
		tn := s.prompt(next...)
		tn.gave(other.marker, 1)
		tn.echoed(s, next...)
	})
}

// A prompt with a block is cancelled right behind itself. Agents differ: the
// prompt may run, be refused, or be refused and yet stay in what is replayed, under
// an id that nobody saw before. Whatever happens, the client never sees what we
// made of its prompt.
func TestCancelledAtOnce(t *testing.T) {
	each(t, func(r *rig) {
		other := foreign(r)
		c, _ := r.client(how{})
		s := r.open(c)
		s.prompt(text("hello"))
		bySession := func(int) { c.notify("session/cancel", map[string]any{"sessionId": s.id}) }
		byRequest := func(id int) {
			c.line(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%d}}`, id))
		}
		// when cancels once the agent has been told n prompts.
		when := func(n int, cancel func(int)) func(int) {
			return func(id int) {
				for limit := time.Now().Add(deadline); promptsTold(r) < n && time.Now().Before(limit); {
					time.Sleep(time.Millisecond)
				}
				cancel(id)
			}
		}
		at := c.mark()
		var sent [][]any
		// Most likely the first two come while the skill is being read. The others
		// race with the agent, which takes them one way or the other.
		for i, how := range []string{"session", "request", "session, told", "request, told", "session, told", "session, told"} {
			cancel := bySession
			if strings.HasPrefix(how, "request") {
				cancel = byRequest
			}
			if strings.HasSuffix(how, "told") {
				cancel = when(promptsTold(r)+1, cancel)
			}
			blocks := []any{skill(other.name), text(fmt.Sprint(" hasty ", i))}
			sent = append(sent, blocks)
			id := s.send(blocks...)
			cancel(id)
			f := c.response(id)
			if f.Error != nil && f.Error.Code != -32800 {
				r.t.Errorf("cancelled prompt %d ended with %s", i, f.Error)
			}
			r.t.Logf("%s: cancelled by %s: %.120s", r.agent.name, how, f.Raw)
			s.settle()
		}
		hasty(r.t, c.since(at), s.id, sent)
		c.close()
		c, _ = r.client(how{})
		_, replay := r.resume(c, s.id)
		hasty(r.t, replay, s.id, sent)
	})
}

// settle sends a prompt until it is taken and waits for its end: what was still
// running or being cancelled has ended by then.
func (s *session) settle() {
	s.c.t.Helper()
	for range 20 {
		id := s.send(text("settle down"))
		f := s.c.response(id)
		if f.Error == nil {
			s.c.idle(responseAt(s.c, id), s.id)
			return
		}
		// Claude refuses a prompt that comes while it still works on a cancel.
		if f.Error.Code != -32800 {
			s.c.t.Fatalf("a prompt after a cancelled one: %s", f.Error)
		}
	}
	s.c.t.Fatal("no prompt was taken after a cancelled one")
}

// hasty checks each shown message with a hasty prompt's text.
func hasty(t *testing.T, frames []frame, session string, sent [][]any) {
	t.Helper()
	noBodies(t, frames)
	for _, m := range userMessages(t, frames, session) {
		for i, blocks := range sent {
			if !strings.Contains(string(raw(t, m.Blocks)), fmt.Sprint("hasty ", i)) {
				continue
			}
			if !reflect.DeepEqual(any(m.Blocks), decoded(t, blocks)) {
				t.Errorf("message %s shows %s, the client sent %s", m.ID, raw(t, m.Blocks), raw(t, blocks))
			}
		}
	}
}
