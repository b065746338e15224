// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/acp"
)

// running is a peer whose session S1 is in the middle of an answer that goes on
// for ever.
func running(t *testing.T, opts Options) *peer {
	t.Helper()
	opts.ChunkPause = forever
	p := serve(t, newWorkspace(t), opts)
	writeSkill(t, p.ws, "tdd", "", "Test first.")
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	p.call(2, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"skill","name":"tdd"}]}`)
	p.until("agent_message_chunk")
	p.response(2)
	return p
}

const idleCancelled = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S1","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}`

// hold sends a prompt and waits until the agent holds it.
func (p *peer) hold(id int, text string) {
	p.t.Helper()
	p.call(id, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"skill","name":"tdd"},{"type":"text","text":"`+text+`"}]}`)
	s := p.session("S1")
	wait(p.t, "the prompt is held", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.held != nil
	})
}

func TestCancelEndsTheTurn(t *testing.T) {
	p := running(t, Options{})
	p.notify("session/cancel", `{"sessionId":"S1"}`)
	same(t, p.update(), idleCancelled)
	p.quiet()
	p.notify("session/cancel", `{"sessionId":"S1"}`) // nothing to cancel, nothing to say
	p.quiet()
	// The session works on.
	p.call(3, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"go on"}]}`)
	p.until("agent_message_chunk")
	p.response(3)
	p.notify("session/cancel", `{"sessionId":"S1"}`)
	same(t, p.update(), idleCancelled)
	p.quiet()
}

func TestCancelEndsTheHeldPromptToo(t *testing.T) {
	p := running(t, Options{})
	p.hold(3, "held")
	p.notify("session/cancel", `{"sessionId":"S1"}`)
	if got := p.response(3); !strings.Contains(got, "-32800") {
		t.Errorf("got %s", got)
	}
	same(t, p.update(), idleCancelled)
	p.quiet() // and no user_message
	if all := p.session("S1").history.all(); strings.Contains(string(all[len(all)-1].Content), "held") || len(all) != 8 {
		t.Errorf("the held prompt left something: %+v", all)
	}
}

func TestARequestCancelledWhileHeld(t *testing.T) {
	p := running(t, Options{})
	p.hold(3, "held")
	p.call(4, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"behind it"}]}`)
	p.notify("$/cancel_request", `{"requestId":3}`)
	if got := p.response(3); !strings.Contains(got, "-32800") {
		t.Errorf("got %s", got)
	}
	p.notify("$/cancel_request", `{"requestId":4}`)
	if got := p.response(4); !strings.Contains(got, "-32800") {
		t.Errorf("got %s", got)
	}
	p.quiet() // the turn that runs is not touched
	p.notify("session/cancel", `{"sessionId":"S1"}`)
	same(t, p.update(), idleCancelled)
	p.quiet()
}

// A prompt that is cancelled while its skills are being read is not inserted,
// and is not called unknown either.
func TestCancelledWhileReadingSkills(t *testing.T) {
	p := running(t, Options{})
	s := p.session("S1")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.read(ctx, &acp.UserPrompt{
		PromptRequest: acp.PromptRequest{Prompt: []acp.ContentBlock{acp.SkillBlock("tdd")}},
		Skills:        []acp.ResolvedSkill{{Block: 0, Name: "tdd"}},
	})
	if err == nil || err.Error() != errNotInserted().Error() {
		t.Errorf("got %v", err)
	}
}

func TestCloseCancelsAndComesLast(t *testing.T) {
	p := running(t, Options{})
	p.hold(3, "held")
	p.call(4, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"behind it"}]}`)
	p.call(5, "session/close", `{"sessionId":"S1"}`)
	p.response(5)
	for _, id := range []int{3, 4} {
		if got := p.response(id); !strings.Contains(got, "-32800") {
			t.Errorf("got %s", got)
		}
	}
	same(t, p.update(), idleCancelled)
	p.quiet()
	if len(p.h.sessions) != 0 {
		t.Error("the session is still there")
	}
}

func TestDeleteOfARunningSession(t *testing.T) {
	p := running(t, Options{StateDir: t.TempDir()})
	p.call(3, "session/delete", `{"sessionId":"S1"}`)
	same(t, p.next(), idleCancelled)
	p.response(3)
	p.call(4, "session/list", `{}`)
	same(t, p.response(4), `{"jsonrpc":"2.0","id":4,"result":{"sessions":[]}}`)
	p.quiet()
}

// Prompts are let in one after the other, in their order, each when the one
// before is done.
func TestPromptsInTheirTurn(t *testing.T) {
	p := running(t, Options{})
	p.hold(3, "second")
	p.call(4, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"third"}]}`)
	p.call(5, "session/list", `{}`) // requests behind them are answered all the same
	p.response(5)

	// Only the turn that runs is ended here, as if it had come to its end.
	s := p.session("S1")
	end := func() (seen []string) {
		s.mu.Lock()
		s.running.stop()
		s.mu.Unlock()
		return p.until(`"idle"`)
	}
	all := end()
	all = append(all, p.until("agent_message_chunk")...)
	all = append(all, end()...)
	all = append(all, p.until("agent_message_chunk")...)
	all = append(all, end()...)
	var order []string
	for _, u := range all {
		for _, word := range []string{"user_message", "running", "idle", "second", "third"} {
			if strings.Contains(u, `"`+word+`"`) {
				order = append(order, word)
			}
		}
	}
	if got := strings.Join(order, " "); got != "idle user_message second running idle user_message third running idle" {
		t.Errorf("got %s", got)
	}
	p.response(3)
	p.response(4)
	p.quiet()
}

// The client goes in the middle of a turn: Serve ends with nothing left behind
// (goleak watches), and what was kept says how the turn ended.
func TestTheClientLeaves_C20(t *testing.T) {
	dir := t.TempDir()
	p := running(t, Options{StateDir: dir})
	id := p.real("S1")
	p.stop()
	h, skipped, err := readHistory(id, dir+"/sessions/"+id+"/log.jsonl")
	if err != nil || skipped > 0 {
		t.Fatal(err, skipped)
	}
	last := h.all()[len(h.all())-1]
	if last.Type != recordEnd || last.Stop != acp.StopCancelled {
		t.Errorf("the last record is %+v", last)
	}
}

// A client that resumes a session in the middle of a turn gets what was said so
// far, and that more is to come.
func TestResumeWhileRunning(t *testing.T) {
	p := running(t, Options{})
	p.call(3, "session/resume", `{"sessionId":"S1","cwd":"$WS","replayFrom":{"type":"start"}}`)
	got := p.until("state_update")
	if len(got) != 4 || !strings.Contains(got[1], `"agent_message"`) || !strings.Contains(got[3], `"running"`) {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
	p.response(3)
	p.notify("session/cancel", `{"sessionId":"S1"}`)
	same(t, p.update(), idleCancelled)
	p.quiet()
}

// A cancellation means all prompts that were sent before it, wherever they wait,
// and none that was sent after it.
func TestCancelMeansWhatCameBefore(t *testing.T) {
	p := running(t, Options{})
	for id := 3; id < 6; id++ {
		p.call(id, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"before"}]}`)
	}
	p.notify("session/cancel", `{"sessionId":"S1"}`)
	p.call(6, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"after"}]}`)
	for id := 3; id < 6; id++ {
		if got := p.response(id); !strings.Contains(got, "-32800") {
			t.Errorf("got %s", got)
		}
	}
	same(t, p.update(), idleCancelled)
	if got := p.update(); !strings.Contains(got, "user_message") || !strings.Contains(got, "after") {
		t.Errorf("got %s", got)
	}
	p.until("agent_message_chunk")
	p.response(6)
	p.notify("session/cancel", `{"sessionId":"S1"}`)
	same(t, p.update(), idleCancelled)

	// Right behind each other, a prompt is not inserted or its work is cancelled.
	for id := 10; id < 60; id++ {
		p.call(id, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"skill","name":"tdd"}]}`)
		p.notify("session/cancel", `{"sessionId":"S1"}`)
		if got := p.response(id); strings.Contains(got, "result") {
			p.until(`"cancelled"`)
		} else if !strings.Contains(got, "-32800") {
			t.Errorf("got %s", got)
		}
	}
	p.quiet()
}
