// SPDX-License-Identifier: Apache-2.0

package acp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// testClient writes down what it is shown, and asks who answers questions.
type testClient struct {
	mu       sync.Mutex
	updates  []string
	problems []string
	answer   func(ctx context.Context, s *acp.ClientSession, r *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error)
}

func (h *testClient) SessionUpdate(_ context.Context, s *acp.ClientSession, u acp.SessionUpdate) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.updates = append(h.updates, fmt.Sprintf("%s %s %s", s.ID(), u.UpdateVariant(), names(s.Commands())))
}

func (h *testClient) RequestPermission(ctx context.Context, s *acp.ClientSession, r *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
	return h.answer(ctx, s, r)
}

func (h *testClient) problem(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.problems = append(h.problems, err.Error())
}

func (h *testClient) seen() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.updates, "\n")
}

func names(list []acp.AvailableCommand) string {
	out := []string{}
	for _, c := range list {
		out = append(out, c.EntryName())
	}
	return strings.Join(out, ",")
}

func inBackground[T any](f func() (T, error)) <-chan result[T] {
	c := make(chan result[T], 1)
	go func() {
		v, err := f()
		c <- result[T]{v, err}
	}()
	return c
}

type result[T any] struct {
	v   T
	err error
}

// connect makes a client whose agent is played by hand.
func connect(t *testing.T, h *testClient, capabilities string) (*acp.ClientConn, *wirePeer) {
	t.Helper()
	ours, theirs := net.Pipe()
	p := &wirePeer{t, theirs, bufio.NewReader(theirs)}
	done := inBackground(func() (*acp.ClientConn, error) {
		opts := &acp.ClientOptions{Info: acp.Implementation{Name: "c", Version: "1"}, Capabilities: acp.SkillClient(), Problem: h.problem}
		return acp.NewClient(h, opts).Connect(context.Background(), ours)
	})
	p.want(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{"session":{"commands":{"skill":{}}}}}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":` + capabilities + `}}`)
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	t.Cleanup(func() {
		_ = r.v.Close()
		_ = theirs.Close()
	})
	return r.v, p
}

func openSession(t *testing.T, c *acp.ClientConn, p *wirePeer, lines ...string) *acp.ClientSession {
	t.Helper()
	done := inBackground(func() (*acp.ClientSession, error) {
		s, _, err := c.NewSession(context.Background(), &acp.NewSessionRequest{Cwd: "/w"})
		return s, err
	})
	id := requestID(t, p.line())
	for _, l := range lines {
		p.send(strings.ReplaceAll(l, "ID", id))
	}
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r.v
}

func requestID(t *testing.T, line string) string {
	t.Helper()
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.ID == nil {
		t.Fatalf("no request: %s", line)
	}
	return string(m.ID)
}

func listUpdate(session string, skills ...string) string {
	var entries []string
	for _, s := range skills {
		entries = append(entries, `{"type":"skill","name":"`+s+`","description":"d"}`)
	}
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":{"sessionUpdate":"available_commands_update","availableCommands":[` + strings.Join(entries, ",") + `]}}}`
}

const (
	withInline  = `{"session":{"prompt":{"skill":{"inline":{}}},"fork":{},"delete":{}}}`
	sessionOnly = `{"session":{}}`
)

// ACP-U4: a list may come before, in or after the response, and the last one
// counts. C01: an update that came before the response is not lost.
func TestListsComeAtAnyTime_ACP_U4_C01(t *testing.T) {
	const plain = `{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s"}}`
	const with = `{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s","availableCommands":[{"type":"skill","name":"response","description":"d"}]}}`
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
		seen  string
	}{
		{"never", []string{plain}, "", ""},
		{"before", []string{listUpdate("s", "early"), plain}, "early", "s available_commands_update early"},
		{"in the response", []string{with}, "response", ""},
		{"before and in", []string{listUpdate("s", "early"), with}, "response", "s available_commands_update early"},
		{"null in the response", []string{listUpdate("s", "early"), strings.Replace(with, `[{"type":"skill","name":"response","description":"d"}]`, "null", 1)}, "early", "s available_commands_update early"},
		{"two before", []string{listUpdate("s", "one"), listUpdate("s", "two"), plain}, "two", "s available_commands_update one\ns available_commands_update two"},
		{"of another session", []string{listUpdate("x", "other"), plain}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &testClient{}
			c, p := connect(t, h, withInline)
			s := openSession(t, c, p, tt.lines...)
			if got := names(s.Commands()); got != tt.want {
				t.Errorf("got %q", got)
			}
			if got := h.seen(); got != tt.seen {
				t.Errorf("handler saw %q", got)
			}
			// And again at any time, [] included (C02).
			p.send(listUpdate("s", "late"))
			p.send(listUpdate("s"))
			roundTrip(t, c, p)
			if s.Commands() == nil || len(s.Commands()) != 0 {
				t.Errorf("got %v", s.Commands())
			}
		})
	}
}

// roundTrip returns when the client has handled what was sent before.
func roundTrip(t *testing.T, c *acp.ClientConn, p *wirePeer) {
	t.Helper()
	done := inBackground(func() (any, error) { return nil, c.Conn().Call(context.Background(), "_sync", nil, nil) })
	p.send(`{"jsonrpc":"2.0","id":` + requestID(t, p.line()) + `,"result":null}`)
	if r := <-done; r.err != nil {
		t.Fatal(r.err)
	}
}

// An update behind the response finds the session, although NewSession need not
// have returned.
func TestNoUpdateOvertakesTheResponse(t *testing.T) {
	h := &testClient{}
	c, p := connect(t, h, withInline)
	for i := range 50 {
		id := fmt.Sprintf("s%d", i)
		openSession(t, c, p, `{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"`+id+`"}}`, listUpdate(id, "a"))
	}
	roundTrip(t, c, p)
	if got := strings.Count(h.seen(), "available_commands_update a"); got != 50 || len(h.problems) > 0 {
		t.Fatalf("%d updates, problems %v", got, h.problems)
	}
}

func TestUpdatesOfStrangersAreDropped(t *testing.T) {
	h := &testClient{}
	c, p := connect(t, h, withInline)
	p.send(listUpdate("s", "a"))
	p.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":7,"update":{}}}`)
	roundTrip(t, c, p)
	s := openSession(t, c, p, `{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s"}}`) // nobody was waiting then
	p.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update"}}}`)
	roundTrip(t, c, p)
	if s.Commands() != nil || h.seen() != "" || len(h.problems) != 3 {
		t.Fatalf("%v, %q, %q", s.Commands(), h.seen(), h.problems)
	}
}

// A hostile agent cannot make us keep more than so much for sessions that never
// come.
func TestEarlyUpdatesAreBounded(t *testing.T) {
	h := &testClient{}
	c, p := connect(t, h, withInline)
	var lines []string
	for i := range 100 {
		lines = append(lines, listUpdate(fmt.Sprintf("x%d", i), "a"))
	}
	pad := `"` + strings.Repeat("x", 1<<20) + `"`
	for range 20 {
		lines = append(lines, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"x1","update":{"sessionUpdate":"pad","pad":`+pad+`}}}`)
	}
	openSession(t, c, p, append(lines, `{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s"}}`)...)
	if got := len(h.problems); got != 84+5 {
		t.Fatalf("%d were dropped", got)
	}
}

func TestSkillsThatDoNotStandAreNotSent_ACP_U1(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s","availableCommands":[{"type":"skill","name":"csv","description":"d"},{"type":"command","name":"web","description":"d"}]}}`
	csv, text := acp.SkillBlock("csv"), acp.TextBlock("go")
	for _, tt := range []struct {
		name, caps, rule string
		blocks           []acp.ContentBlock
	}{
		{"not advertised", sessionOnly, "ACP-P4", []acp.ContentBlock{csv}},
		{"null", `{"session":{"prompt":{"skill":null}}}`, "ACP-P4", []acp.ContentBlock{csv}},
		{"not first", `{"session":{"prompt":{"skill":{}}}}`, "ACP-P2", []acp.ContentBlock{text, csv}},
		{"two", `{"session":{"prompt":{"skill":{"inline":null}}}}`, "ACP-P2", []acp.ContentBlock{csv, csv}},
		{"not listed", withInline, "ACP-P4", []acp.ContentBlock{acp.SkillBlock("ghost")}},
		{"a command", withInline, "ACP-P4", []acp.ContentBlock{acp.SkillBlock("web")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, p := connect(t, &testClient{}, tt.caps)
			s := openSession(t, c, p, list)
			_, err := s.Prompt(context.Background(), tt.blocks...)
			var pe *acp.PromptError
			if !errors.As(err, &pe) || pe.Rule != tt.rule {
				t.Fatalf("got %v", err)
			}
			// Nothing went out: the next line is that of the next prompt.
			done := inBackground(func() (*acp.PromptResponse, error) { return s.Prompt(context.Background(), text) })
			line := p.line()
			sameJSON(t, line, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}}`)
			p.send(`{"jsonrpc":"2.0","id":3,"result":{"messageId":"m"}}`)
			if r := <-done; r.err != nil || r.v.MessageID != "m" {
				t.Fatal(r.err)
			}
		})
	}
}

func TestAgentOfAnotherVersion(t *testing.T) {
	for name, answer := range map[string]string{
		"version 1's shape": `{"protocolVersion":1,"agentInfo":{"name":"old","version":"9"},"agentCapabilities":{},"authMethods":[]}`,
		"our shape":         `{"protocolVersion":1,"info":{"name":"old","version":"9"},"capabilities":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer theirs.Close()
			p := &wirePeer{t, theirs, bufio.NewReader(theirs)}
			done := inBackground(func() (*acp.ClientConn, error) {
				return acp.NewClient(&testClient{}, nil).Connect(context.Background(), ours)
			})
			p.line()
			p.send(`{"jsonrpc":"2.0","id":1,"result":` + answer + `}`)
			var ve *acp.VersionError
			if r := <-done; !errors.As(r.err, &ve) || ve.Got != 1 || ve.Agent.Name != "old" {
				t.Fatalf("got %v", r.err)
			}
		})
	}
}

func TestConnectEndsWithItsContext(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	p := &wirePeer{t, theirs, bufio.NewReader(theirs)}
	ctx, cancel := context.WithCancel(context.Background())
	done := inBackground(func() (*acp.ClientConn, error) { return acp.NewClient(&testClient{}, nil).Connect(ctx, ours) })
	p.line() // and no answer ever
	cancel()
	if r := <-done; !errors.Is(r.err, context.Canceled) {
		t.Fatalf("got %v", r.err)
	}
}

const permission = `{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","title":"Run it?","options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`

func TestPermission(t *testing.T) {
	asked := make(chan struct{}, 1)
	h := &testClient{}
	c, p := connect(t, h, withInline)
	s := openSession(t, c, p, `{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s"}}`)
	untilCancelled := func(ctx context.Context, _ *acp.ClientSession, _ *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}

	t.Run("answered", func(t *testing.T) {
		h.answer = func(_ context.Context, got *acp.ClientSession, r *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
			if got != s || r.Title != "Run it?" {
				return nil, errors.New("wrong question")
			}
			return acp.Selected("y"), nil
		}
		p.send(permission)
		p.want(`{"jsonrpc":"2.0","id":"q","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`)
	})
	t.Run("no answer", func(t *testing.T) {
		h.answer = func(context.Context, *acp.ClientSession, *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
			return nil, nil
		}
		p.send(permission)
		p.want(`{"jsonrpc":"2.0","id":"q","error":{"code":-32603,"message":"the client's handler returned no answer"}}`)
	})
	t.Run("session cancelled", func(t *testing.T) {
		h.answer = untilCancelled
		p.send(permission)
		<-asked
		done := inBackground(func() (any, error) { return nil, s.Cancel(context.Background()) })
		p.want(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`)
		p.want(`{"jsonrpc":"2.0","id":"q","result":{"outcome":{"outcome":"cancelled"}}}`)
		if r := <-done; r.err != nil {
			t.Fatal(r.err)
		}
	})
	t.Run("taken back", func(t *testing.T) {
		h.answer = untilCancelled
		p.send(permission)
		<-asked
		p.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"q"}}`)
		p.want(`{"jsonrpc":"2.0","id":"q","error":{"code":-32800,"message":"the request was cancelled"}}`)
	})
	t.Run("of a stranger", func(t *testing.T) {
		p.send(strings.Replace(permission, `"sessionId":"s"`, `"sessionId":"x"`, 1))
		p.want(`{"jsonrpc":"2.0","id":"q","error":{"code":-32002,"message":"session \"x\" is not open; create or resume it first","data":{"sessionId":"x"}}}`)
	})
	t.Run("malformed", func(t *testing.T) {
		p.send(`{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","title":"t"}}`)
		p.want(`{"jsonrpc":"2.0","id":"q","error":{"code":-32602,"message":"params.options: is missing"}}`)
	})
	t.Run("unknown request", func(t *testing.T) {
		p.send(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`)
		p.want(`{"jsonrpc":"2.0","id":"q","error":{"code":-32601,"message":"method \"elicitation/create\" is not known here"}}`)
	})
}

// A session that is being set up may ask, before we know its id.
func TestPermissionDuringSetup(t *testing.T) {
	h := &testClient{}
	var asker *acp.ClientSession
	h.answer = func(_ context.Context, s *acp.ClientSession, _ *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
		asker = s
		return acp.Selected("y"), nil
	}
	c, p := connect(t, h, withInline)
	done := inBackground(func() (*acp.ClientSession, error) {
		s, _, err := c.NewSession(context.Background(), &acp.NewSessionRequest{Cwd: "/w"})
		return s, err
	})
	id := requestID(t, p.line())
	p.send(permission)
	p.want(`{"jsonrpc":"2.0","id":"q","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`)
	p.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"sessionId":"s"}}`)
	if r := <-done; r.err != nil || r.v != asker {
		t.Fatalf("%v, asked for %p, got %p", r.err, asker, r.v)
	}
}

func TestWhatIsNotAdvertisedIsNotAsked(t *testing.T) {
	ctx := context.Background()
	c, _ := connect(t, &testClient{}, `{}`)
	_, _, newErr := c.NewSession(ctx, &acp.NewSessionRequest{Cwd: "/w"})
	_, _, resumeErr := c.ResumeSession(ctx, &acp.ResumeSessionRequest{SessionID: "s", Cwd: "/w"})
	_, listErr := c.ListSessions(ctx, &acp.ListSessionsRequest{})
	c, p := connect(t, &testClient{}, sessionOnly)
	s := openSession(t, c, p, `{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s"}}`)
	_, _, forkErr := s.Fork(ctx, &acp.ForkSessionRequest{Cwd: "/w"})
	for name, err := range map[string]error{"session": newErr, "session ": resumeErr, " session": listErr, "session.fork": forkErr, "session.delete": c.DeleteSession(ctx, "s")} {
		var ue *acp.UnsupportedError
		if !errors.As(err, &ue) || ue.Capability != strings.TrimSpace(name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestTheAgentDies_C20(t *testing.T) {
	c, p := connect(t, &testClient{}, withInline)
	s := openSession(t, c, p, `{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s"}}`)
	done := inBackground(func() (*acp.PromptResponse, error) { return s.Prompt(context.Background(), acp.TextBlock("go")) })
	p.line()
	_ = p.conn.Close()
	if r := <-done; !errors.Is(r.err, jsonrpc.ErrClosed) {
		t.Fatalf("got %v", r.err)
	}
	<-c.Done()
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
}

// Client and agent together: what one side checks the other would, too.
func TestClientAndAgent(t *testing.T) {
	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() {
		opts := &acp.AgentOptions{Info: acp.Implementation{Name: "a", Version: "1"}, Skills: anywhere}
		served <- acp.NewAgent(&testAgent{}, opts).Serve(context.Background(), theirs)
	}()
	ctx := context.Background()
	h := &testClient{}
	c, err := acp.NewClient(h, &acp.ClientOptions{Capabilities: acp.SkillClient(), Problem: h.problem}).Connect(ctx, ours)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := c.NewSession(ctx, &acp.NewSessionRequest{Cwd: "/set"})
	if err != nil || len(s.Skills()) != 2 || s.Skills()[0].Path != "/skills/csv/SKILL.md" {
		t.Fatalf("%v, %v", s, err)
	}
	resp, err := s.Prompt(ctx, acp.TextBlock("table with "), acp.SkillBlock("csv"), acp.SkillBlock("charts"))
	if err != nil || resp.MessageID != "m1" {
		t.Fatalf("%v, %v", resp, err)
	}
	fork, _, err := s.Fork(ctx, &acp.ForkSessionRequest{Cwd: "/w"})
	if err != nil || fork.ID() != "s1-fork" || len(fork.Skills()) != 2 {
		t.Fatalf("%v, %v", fork, err)
	}
	old, _, err := c.ResumeSession(ctx, &acp.ResumeSessionRequest{SessionID: "old", Cwd: "/w", ReplayFrom: &acp.ReplayFromStart{}})
	if err != nil || len(old.Skills()) != 2 {
		t.Fatalf("%v, %v", old, err)
	}
	if _, _, err := c.ResumeSession(ctx, &acp.ResumeSessionRequest{SessionID: "gone", Cwd: "/w"}); err == nil {
		t.Fatal("a session that is gone was resumed")
	}
	if l, err := c.ListSessions(ctx, &acp.ListSessionsRequest{}); err != nil || len(l.Sessions) != 0 {
		t.Fatalf("%v, %v", l, err)
	}
	if err := errors.Join(s.Cancel(ctx), s.Close(ctx), c.DeleteSession(ctx, fork.ID())); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(ctx), c.DeleteSession(ctx, "gone")); err != nil {
		t.Fatalf("ending what has ended: %v", err)
	}
	_, err = s.Prompt(ctx, acp.TextBlock("x"))
	var rpc *jsonrpc.Error
	if !errors.As(err, &rpc) || rpc.Code != jsonrpc.CodeNotFound {
		t.Fatalf("got %v", err)
	}
	want := "s1 user_message review,csv,charts\nold user_message \nold state_update \ns1 state_update review,csv,charts"
	if h.seen() != want || len(h.problems) != 0 {
		t.Fatalf("saw %q, problems %q", h.seen(), h.problems)
	}
	if err := errors.Join(c.Close(), <-served); err != nil {
		t.Fatal(err)
	}
}
