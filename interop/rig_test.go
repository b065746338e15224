// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/internal/scriptmodel"
)

// png is the smallest image there is.
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// rig is everything that one test of one agent needs.
type rig struct {
	t     *testing.T
	agent agent
	model *scriptmodel.Server
	ws    workspace
	tee   string        // what the agent and skillgraft said to each other
	gate  chan struct{} // closed by release
}

// each runs a test for both agents. Their model answers "ok", and a prompt whose
// last text starts with HOLD only after release.
func each(t *testing.T, test func(*rig)) {
	for _, mk := range []func(*testing.T, *scriptmodel.Server) agent{claude, codex} {
		gate := make(chan struct{})
		model, err := scriptmodel.Start(&scriptmodel.Options{Script: func(q scriptmodel.Request) scriptmodel.Answer {
			if held(q) {
				return scriptmodel.Answer{Hold: gate}
			}
			return scriptmodel.Answer{}
		}})
		if err != nil {
			t.Fatal(err)
		}
		a := mk(t, model)
		t.Run(a.name, func(t *testing.T) {
			test(&rig{t, a, model, newWorkspace(t), filepath.Join(t.TempDir(), "tee.txt"), gate})
		})
		if err := model.Close(); err != nil {
			t.Error(err)
		}
	}
}

func held(q scriptmodel.Request) bool {
	fresh := q.New()
	return q.Kind == scriptmodel.Turn && len(fresh) > 0 && strings.HasPrefix(fresh[len(fresh)-1].Text, "HOLD")
}

// release lets the held turn and all later ones go on.
func (r *rig) release() { close(r.gate) }

// run runs a part of a test under a name of its own.
func (r *rig) run(c *client, name string, part func(t *testing.T)) {
	r.t.Run(name, func(t *testing.T) {
		outer := c.t
		c.t = t // what fails in a part ends that part
		defer func() { c.t = outer }()
		part(t)
	})
}

// hold starts a turn that does not end before release.
func (s *session) hold() {
	s.c.t.Helper()
	if f := s.c.response(s.send(text("HOLD it"))); f.Error != nil {
		s.c.t.Fatalf("session/prompt: %s", f.Error)
	}
	ctx, cancel := context.WithTimeout(s.c.t.Context(), deadline)
	defer cancel()
	if _, err := s.r.model.Wait(ctx, held); err != nil {
		s.c.t.Fatal(err)
	}
}

// skillgraft is the binary under test.
func skillgraft(t *testing.T) string {
	t.Helper()
	bin := os.Getenv("INTEROP_SKILLGRAFT")
	if bin == "" {
		t.Fatal("INTEROP_SKILLGRAFT does not name the binary, run interop/run")
	}
	return bin
}

// how says how a client is set up; the zero value is the usual one.
type how struct {
	noSkills bool     // the client's capabilities do not have skills
	direct   bool     // no skillgraft in between
	twice    bool     // two of them
	flags    []string // of run
	wrap     []string // put in front of the agent, in place of the tee
	manual   bool     // initialize and the login are the test's
}

// client starts the agent behind skillgraft, initializes and signs in. It returns
// the response to initialize as well.
func (r *rig) client(h how) (*client, json.RawMessage) {
	r.t.Helper()
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	argv := append([]string{self}, r.agent.argv...) // this binary as tee, see tee_test.go
	if h.wrap != nil {
		argv = append(h.wrap, r.agent.argv...)
	}
	if !h.direct {
		run := append([]string{skillgraft(r.t), "run"}, h.flags...)
		argv = append(append(run, "--"), argv...)
	}
	if h.twice {
		argv = append([]string{skillgraft(r.t), "run", "--"}, argv...)
	}
	c := start(r.t, r.ws.dir, append(r.agent.env, "INTEROP_TEE="+r.tee), argv...)
	if h.manual {
		return c, nil
	}
	caps := `{"session":{"commands":{"skill":{}}}}`
	if h.noSkills {
		caps = `{}`
	}
	init := c.must("initialize", `{"protocolVersion":2,"info":{"name":"interop","version":"1"},"capabilities":`+caps+`}`)
	r.agent.login(c)
	return c, init
}

// session is one session of a client.
type session struct {
	r     *rig
	c     *client
	id    string
	setup json.RawMessage // the response that set it up
}

// open creates a session in the workspace with its additional directory.
func (r *rig) open(c *client) *session {
	r.t.Helper()
	res := c.must("session/new", map[string]any{
		"cwd": r.ws.dir, "additionalDirectories": []string{r.ws.extra}, "mcpServers": []any{},
	})
	return &session{r, c, sessionID(r.t, res), res}
}

// resume opens a stored session and has it replayed. The frames of the replay
// are returned.
func (r *rig) resume(c *client, id string) (*session, []frame) {
	r.t.Helper()
	at := c.mark()
	res := c.must("session/resume", map[string]any{
		"sessionId": id, "cwd": r.ws.dir, "additionalDirectories": []string{r.ws.extra}, "mcpServers": []any{},
		"replayFrom": map[string]any{"type": "start"},
	})
	return &session{r, c, id, res}, c.since(at)
}

func sessionID(t *testing.T, result json.RawMessage) string {
	t.Helper()
	var v struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(result, &v); err != nil || v.SessionID == "" {
		t.Fatalf("no session id in %s", result)
	}
	return v.SessionID
}

// Content blocks as the client sends them.
func text(s string) any     { return map[string]any{"type": "text", "text": s} }
func skill(name string) any { return map[string]any{"type": "skill", "name": name} }
func image() any            { return map[string]any{"type": "image", "mimeType": "image/png", "data": png} }
func link(uri string) any {
	return map[string]any{"type": "resource_link", "uri": uri, "name": "linked"}
}
func embed(uri, s string) any {
	return map[string]any{"type": "resource", "resource": map[string]any{"uri": uri, "mimeType": "text/plain", "text": s}}
}

// send sends a prompt and returns the request's id, without waiting.
func (s *session) send(blocks ...any) int {
	s.c.t.Helper()
	return s.c.request("session/prompt", map[string]any{"sessionId": s.id, "prompt": blocks})
}

// turn is a prompt with everything that came of it.
type turn struct {
	t         *testing.T
	messageID string
	frames    []frame               // from the prompt to the end of the turn
	given     []scriptmodel.Request // the steps that the model was asked for
}

// prompt sends a prompt that has to be accepted and waits for the turn's end.
func (s *session) prompt(blocks ...any) turn {
	s.c.t.Helper()
	at, asked := s.c.mark(), len(s.r.model.Requests())
	f := s.c.response(s.send(blocks...))
	if f.Error != nil {
		s.c.t.Fatalf("session/prompt: %s", f.Error)
	}
	if stop := s.c.idle(at, s.id); stop != "end_turn" {
		s.c.t.Fatalf("the turn ended with %q", stop)
	}
	tn := turn{t: s.c.t, messageID: messageID(f), frames: s.c.since(at)}
	for _, q := range s.r.model.Requests()[asked:] {
		if q.Kind == scriptmodel.Turn {
			tn.given = append(tn.given, q)
		}
	}
	return tn
}

func messageID(response frame) string {
	var v struct {
		MessageID string `json:"messageId"`
	}
	_ = json.Unmarshal(response.Result, &v)
	return v.MessageID
}

// gave checks how often a marker reached the model in the turn.
func (tn turn) gave(marker string, want int) {
	tn.t.Helper()
	if got := tn.count(marker); got != want {
		tn.t.Errorf("%q reached the model %d times in the turn, want %d", marker, got, want)
		tn.dump()
	}
}

// gaveSome checks that a text reached the model at all.
func (tn turn) gaveSome(s string) {
	tn.t.Helper()
	if tn.count(s) == 0 {
		tn.t.Errorf("%q did not reach the model", s)
		tn.dump()
	}
}

func (tn turn) count(marker string) int {
	n := 0
	for _, q := range tn.given {
		n += q.CountNew(marker)
	}
	return n
}

// dump logs what the model was given in the turn.
func (tn turn) dump() {
	tn.t.Helper()
	for _, q := range tn.given {
		for _, x := range q.New() {
			if len(x.Text) < 4000 {
				tn.t.Logf("  %s: %q", x.Role, x.Text)
			}
		}
	}
}

// message is a user's message as a client has it after all updates.
type message struct {
	ID     string
	Blocks []any
}

// userMessages applies the updates as the protocol says: user_message replaces,
// user_message_chunk appends.
func userMessages(t *testing.T, frames []frame, session string) []message {
	t.Helper()
	var list []message
	for _, u := range updates(frames, session) {
		if u.Kind != "user_message" && u.Kind != "user_message_chunk" {
			continue
		}
		i := 0
		for i < len(list) && list[i].ID != u.MessageID {
			i++
		}
		if i == len(list) {
			list = append(list, message{ID: u.MessageID})
		}
		if u.Kind == "user_message" && u.Content != nil {
			list[i].Blocks = nil
		}
		for _, b := range u.blocks() {
			list[i].Blocks = append(list[i].Blocks, decoded(t, b))
		}
	}
	return list
}

func decoded(t *testing.T, v any) any {
	t.Helper()
	var out any
	if err := json.Unmarshal(raw(t, v), &out); err != nil {
		t.Fatalf("not JSON: %v", err)
	}
	return out
}

// shows checks that frames show the message exactly as the client sent it.
func shows(t *testing.T, frames []frame, session, id string, sent ...any) {
	t.Helper()
	want := decoded(t, sent)
	for _, m := range userMessages(t, frames, session) {
		if m.ID == id {
			if !reflect.DeepEqual(any(m.Blocks), want) {
				t.Errorf("message %s shows\n  %s\nbut the client sent\n  %s", id, raw(t, m.Blocks), raw(t, sent))
			}
			return
		}
	}
	t.Errorf("message %s is not shown at all", id)
}

// echoed checks that a turn shows the client's message, once and as it was sent,
// and that nothing of a skill's text came back.
func (tn turn) echoed(s *session, sent ...any) {
	tn.t.Helper()
	if ms := userMessages(tn.t, tn.frames, s.id); len(ms) != 1 {
		tn.t.Errorf("the turn shows %d user messages, want 1", len(ms))
	}
	shows(tn.t, tn.frames, s.id, tn.messageID, sent...)
	noBodies(tn.t, tn.frames)
}

// noBodies checks that no line to the client has a skill's text. The scripted
// model never says any.
func noBodies(t *testing.T, frames []frame) {
	t.Helper()
	for _, f := range frames {
		if f.FromAgent && strings.Contains(f.Raw, "BODY-") {
			t.Errorf("a skill's text came back to the client: %.600s", f.Raw)
		}
	}
}
