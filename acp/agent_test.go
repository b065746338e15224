// SPDX-License-Identifier: Apache-2.0

package acp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// funcAgent is a testAgent with another NewSession and Prompt.
type funcAgent struct {
	testAgent
	newSession func(ctx context.Context, s *acp.AgentSession) (*acp.NewSessionResponse, error)
	prompt     func(ctx context.Context, s *acp.AgentSession, p *acp.UserPrompt) (*acp.PromptResponse, error)
}

func (h *funcAgent) NewSession(ctx context.Context, s *acp.AgentSession, r *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
	if h.newSession != nil {
		return h.newSession(ctx, s)
	}
	return h.testAgent.NewSession(ctx, s, r)
}

func (h *funcAgent) Prompt(ctx context.Context, s *acp.AgentSession, p *acp.UserPrompt) (*acp.PromptResponse, error) {
	if h.prompt != nil {
		return h.prompt(ctx, s, p)
	}
	return h.testAgent.Prompt(ctx, s, p)
}

const helloSkills = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{"session":{"commands":{"skill":{}}}}}}`

// Whoever sends at the same time as a session is set up, its id comes to the
// client in the response first, and the last list that was set is the last one
// that the client gets (C01, ACP-A8).
func TestUpdatesNeverComeBeforeTheSession_C01(t *testing.T) {
	const senders, each = 4, 10
	var last sync.Map
	h := &funcAgent{newSession: func(ctx context.Context, s *acp.AgentSession) (*acp.NewSessionResponse, error) {
		var mu sync.Mutex // makes "the last one that was set" mean something
		for i := range senders {
			s.Go(func(ctx context.Context) {
				for j := range each {
					name := fmt.Sprintf("k%d-%d", i, j)
					mu.Lock()
					err := s.SetCommands(ctx, []acp.AvailableCommand{&acp.Skill{Name: name, Description: "d"}})
					last.Store(s.ID(), name)
					mu.Unlock()
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		return &acp.NewSessionResponse{}, nil
	}}
	c, stop := agentAndClient(t, h, &testClient{})
	defer stop()
	for range 20 {
		s, _, err := c.NewSession(context.Background(), &acp.NewSessionRequest{Cwd: "/w"})
		if err != nil {
			t.Fatal(err)
		}
		// Closing waits for the session's goroutines, so all lists are sent.
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		want, _ := last.Load(s.ID())
		if got := names(s.Commands()); got != want {
			t.Fatalf("the client has %q, the agent set %q last", got, want)
		}
	}
}

// agentAndClient connects the two. stop ends both and waits.
func agentAndClient(t *testing.T, a acp.AgentHandler, h *testClient) (c *acp.ClientConn, stop func()) {
	t.Helper()
	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- acp.NewAgent(a, &acp.AgentOptions{Info: acp.Implementation{Name: "a", Version: "1"}, Skills: anywhere}).Serve(context.Background(), theirs)
	}()
	c, err := acp.NewClient(h, &acp.ClientOptions{Capabilities: acp.SkillClient(), Problem: func(err error) { t.Error(err) }}).Connect(context.Background(), ours)
	if err != nil {
		t.Fatal(err)
	}
	return c, func() {
		_ = c.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// Prompts of one session come to the handler one at a time and in the order of
// the wire.
func TestPromptsKeepTheirOrder(t *testing.T) {
	var order []string // not locked: one at a time, and -race proves it
	h := &funcAgent{prompt: func(_ context.Context, _ *acp.AgentSession, p *acp.UserPrompt) (*acp.PromptResponse, error) {
		order = append(order, p.Prompt[0].(*acp.Text).Text)
		return &acp.PromptResponse{MessageID: "m"}, nil
	}}
	p := serveAgent(t, h, nil)
	p.send(helloSkills)
	p.line()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w"}}`)
	p.line()
	const n = 50
	go func() {
		for i := range n {
			_, _ = fmt.Fprintf(p.conn, `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"%d"}]}}`+"\n", 10+i, i)
		}
	}()
	for range n {
		p.line()
	}
	for i := range n {
		if order[i] != fmt.Sprint(i) {
			t.Fatalf("got %v", order)
		}
	}
}

// When the client goes, work ends, and Serve returns when it has.
func TestWorkEndsWithTheConnection_PXY6(t *testing.T) {
	ended := make(chan error, 2)
	h := &funcAgent{prompt: func(_ context.Context, s *acp.AgentSession, _ *acp.UserPrompt) (*acp.PromptResponse, error) {
		s.Go(func(ctx context.Context) {
			_, err := s.RequestPermission(ctx, &acp.RequestPermissionRequest{Title: "?", Options: []acp.PermissionOption{{OptionID: "y", Name: "Yes", Kind: acp.AllowOnce}}})
			ended <- err
		})
		s.Go(func(ctx context.Context) {
			<-ctx.Done()
			ended <- context.Cause(ctx)
		})
		return &acp.PromptResponse{MessageID: "m"}, nil
	}}
	asked := make(chan struct{})
	client := &testClient{answer: func(ctx context.Context, _ *acp.ClientSession, _ *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
		close(asked)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	c, stop := agentAndClient(t, h, client)
	s, _, err := c.NewSession(context.Background(), &acp.NewSessionRequest{Cwd: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(context.Background(), acp.TextBlock("go")); err != nil {
		t.Fatal(err)
	}
	<-asked
	stop()
	for range 2 {
		select {
		case err := <-ended:
			if err == nil {
				t.Error("work ended without a reason")
			}
		default:
			t.Fatal("Serve returned before the work had ended")
		}
	}
}

// A session that is closed sends nothing and starts nothing.
func TestClosedSession(t *testing.T) {
	var kept *acp.AgentSession
	h := &funcAgent{newSession: func(_ context.Context, s *acp.AgentSession) (*acp.NewSessionResponse, error) {
		kept = s
		return &acp.NewSessionResponse{}, nil
	}}
	c, stop := agentAndClient(t, h, &testClient{})
	defer stop()
	ctx := context.Background()
	s, _, err := c.NewSession(ctx, &acp.NewSessionRequest{Cwd: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if err := kept.Send(ctx, &acp.Notice{Severity: acp.NoticeInfo, Title: "t"}); !errors.Is(err, acp.ErrSessionClosed) {
		t.Errorf("Send: %v", err)
	}
	if err := kept.SetCommands(ctx, nil); !errors.Is(err, acp.ErrSessionClosed) {
		t.Errorf("SetCommands: %v", err)
	}
	if kept.Go(func(context.Context) {}) {
		t.Error("Go started something")
	}
	if kept.Context().Err() == nil {
		t.Error("the context goes on")
	}
}

// Closing ends a prompt that is held, and one that waits behind it.
func TestClosingEndsHeldPrompts(t *testing.T) {
	holding := make(chan struct{}, 1)
	h := &funcAgent{prompt: func(ctx context.Context, _ *acp.AgentSession, _ *acp.UserPrompt) (*acp.PromptResponse, error) {
		holding <- struct{}{}
		<-ctx.Done()
		return nil, errors.New("interrupted") // whatever a handler makes of it
	}}
	c, stop := agentAndClient(t, h, &testClient{})
	defer stop()
	ctx := context.Background()
	s, _, err := c.NewSession(ctx, &acp.NewSessionRequest{Cwd: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	prompt := func() (*acp.PromptResponse, error) { return s.Prompt(ctx, acp.TextBlock("go")) }
	first := inBackground(prompt)
	<-holding
	second := inBackground(prompt)
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	var rpc *jsonrpc.Error
	if r := <-first; !errors.As(r.err, &rpc) || rpc.Code != jsonrpc.CodeCancelled {
		t.Errorf("the held one: %v", r.err)
	}
	// The second may have come after the session was closed.
	if r := <-second; !errors.As(r.err, &rpc) || rpc.Code != jsonrpc.CodeCancelled && rpc.Code != jsonrpc.CodeNotFound {
		t.Errorf("the waiting one: %v", r.err)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	served := make(chan error, 1)
	go func() { served <- acp.NewAgent(&testAgent{}, nil).Serve(ctx, theirs) }()
	p := &wirePeer{t, ours, bufio.NewReader(ours)}
	p.send(helloSkills)
	p.line()
	why := errors.New("told to stop")
	cancel(why)
	if err := <-served; !errors.Is(err, why) {
		t.Fatalf("got %v", err)
	}
}

// FuzzAgent: whatever comes, each request gets one answer, and the agent stays.
func FuzzAgent(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/set"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"skill","name":"csv"}]}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":[]}`,
		`{"jsonrpc":"2.0","method":"session/cancel","params":7}`,
		`{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s1","cwd":"/w"}}`,
		`[1]`, `{`, `{"jsonrpc":"2.0","id":null,"result":{}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, `hold`) {
			return // a test agent does what it is told
		}
		last := `{"jsonrpc":"2.0","id":"the last one","method":"session/list"}`
		in := strings.Join([]string{helloSkills, `{"jsonrpc":"2.0","id":9,"method":"session/new","params":{"cwd":"/set"}}`, line, last}, "\n")
		fromAgent, out := io.Pipe()
		served := make(chan error, 1)
		go func() {
			served <- acp.NewAgent(&testAgent{}, &acp.AgentOptions{Skills: anywhere}).Serve(context.Background(), jsonrpc.Join(io.NopCloser(strings.NewReader(in)), out))
		}()
		all, _ := io.ReadAll(fromAgent)
		if err := <-served; err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(all), `"id":"the last one"`); n != 1 && !strings.Contains(line, "the last one") {
			t.Fatalf("%q: %d answers to the last request in %s", line, n, all)
		}
	})
}
