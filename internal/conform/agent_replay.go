// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// CORE-REP: a session can be resumed, with or without its history.
func replayChecks() []Check {
	return []Check{
		{ID: "replay/start", Rule: "CORE-REP", Title: "replays the user message, under its id, before it answers the resume", Answer: true, needs: needSession, run: replayStart},
		{ID: "replay/none", Rule: "CORE-REP", Title: "replays nothing unless asked to", Answer: true, needs: needSession, run: replayNone},
		{ID: "replay/state", Rule: "CORE-REP", Title: "says the state of a resumed session last, before the response", Should: true, Answer: true, needs: needSession, run: replayState},
		{ID: "replay/unknown", Rule: "CORE-REP", Title: "refuses to resume a session that never was", needs: needSession, run: replayUnknown},
	}
}

// replayed has a conversation of one prompt, closes it and resumes it.
func replayed(t *T, capabilities string, replay bool, blocks ...string) (c *chat, prompted Frame, frames []Frame, resp Frame) {
	d := t.connect(capabilities)
	c = d.chat()
	if len(c.listings()) == 0 && len(blocks) > 1 {
		c.settle() // a skill can be named once the list is there
	}
	req, prompted := c.tell(blocks...)
	c.mustIdle(req)
	c.close()
	again, frames, resp, ok := c.resume(d, replay)
	switch {
	case !ok:
		t.Failf(nil, "session/resume is not answered within %v", t.opts.Timeout)
	case resp.ErrorValue() != nil:
		t.Failf([]Frame{resp}, "a session that was closed cannot be resumed")
	}
	return again, prompted, frames, resp
}

func replayStart(t *T) {
	c, prompted, frames, resp := replayed(t, plainClient, true, textBlock(plainText))
	m := c.message(frames, idOf(prompted))
	switch {
	case m.id == "":
		t.Skipf("the answer to the prompt has no messageId, see prompt/answer")
	case len(m.frames) == 0 && len(c.userMessages(frames)) > 0:
		t.Failf(append([]Frame{prompted}, updatesOf(frames, c.id, "user_message")...), "the replayed user message has another id than when it was let in")
	case len(m.frames) == 0:
		c.sync()
		late := updatesOf(c.since(resp.n), c.id, "user_message")
		t.Failf(append([]Frame{resp}, late...), "the history is not replayed before the response to session/resume")
	case strings.TrimSpace(m.text()) != plainText:
		t.Failf(m.frames, "the replayed user message does not have the text of the prompt")
	}
}

func updatesOf(frames []Frame, session, variant string) []Frame {
	var out []Frame
	for _, f := range frames {
		if f.update(session) != nil && strings.HasPrefix(f.Variant, variant) {
			out = append(out, f)
		}
	}
	return out
}

func replayNone(t *T) {
	c, _, frames, resp := replayed(t, plainClient, false, textBlock(plainText))
	c.sync()
	for _, f := range append(frames, c.since(resp.n)...) {
		if f.update(c.id) == nil {
			continue
		}
		if strings.HasPrefix(f.Variant, "user_message") || strings.HasPrefix(f.Variant, "agent_message") {
			t.Failf([]Frame{f, resp}, "the history is replayed, and replayFrom did not ask for it")
		}
	}
}

func replayState(t *T) {
	c, _, frames, resp := replayed(t, plainClient, true, textBlock(plainText))
	states := 0
	for _, f := range frames {
		u := f.update(c.id)
		switch {
		case u == nil:
		case f.Variant == "state_update":
			states++
			if state, _ := rawjson.GetString(u, "state"); state != "idle" {
				t.Failf([]Frame{f, resp}, "the session does nothing, and its state is said to be %s", quote(state))
			}
		case states > 0 && strings.Contains(f.Variant, "message"):
			t.Failf([]Frame{f, resp}, "the replay goes on after the session's state was said")
		}
	}
	if states != 1 {
		t.Failf(append(updatesOf(frames, c.id, "state_update"), resp), "one state_update ends a replay; %d came", states)
	}
}

func replayUnknown(t *T) {
	d := t.connect(plainClient)
	c := &chat{driver: d, id: noSuchSession}
	_, frames, resp, ok := c.resume(d, true)
	switch {
	case !ok:
		t.Failf(nil, "session/resume is not answered within %v", t.opts.Timeout)
	case resp.Kind == jsonrpc.Response && resp.ErrorValue() == nil:
		t.Failf(append(frames, resp), "a session that never was is resumed with %s", acp.MethodResumeSession)
	}
}
