// SPDX-License-Identifier: Apache-2.0

package v1_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testAgent answers prompts as their first word says.
type testAgent struct {
	v1.AgentHandler
	working chan struct{} // gets one for each turn that waits

	mu     sync.Mutex
	closed []string
}

func (a *testAgent) NewSession(ctx context.Context, s *v1.AgentSession, r *v1.NewSessionRequest) (*v1.NewSessionResponse, error) {
	return &v1.NewSessionResponse{}, s.Send(ctx, &v1.AvailableCommandsUpdate{AvailableCommands: []v1.AvailableCommand{{Name: "help", Description: "Helps"}}})
}

func (a *testAgent) LoadSession(ctx context.Context, s *v1.AgentSession, r *v1.LoadSessionRequest) (*v1.LoadSessionResponse, error) {
	if r.SessionID == "nowhere" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeNotFound, Message: "no such session"}
	}
	return &v1.LoadSessionResponse{}, s.Send(ctx, &v1.UserMessageChunk{Content: v1.TextBlock("what was said")})
}

func (a *testAgent) ListSessions(context.Context, *v1.ListSessionsRequest) (*v1.ListSessionsResponse, error) {
	return &v1.ListSessionsResponse{Sessions: []v1.SessionInfo{{SessionID: "old", Cwd: "/w"}}}, nil
}

func (a *testAgent) CloseSession(_ context.Context, s *v1.AgentSession) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = append(a.closed, s.ID())
	return nil
}

func (a *testAgent) SetMode(_ context.Context, s *v1.AgentSession, r *v1.SetModeRequest) error {
	return s.Send(s.Context(), &v1.CurrentModeUpdate{CurrentModeID: r.ModeID})
}

func (a *testAgent) Authenticate(_ context.Context, methodID string) error {
	if methodID != "key" {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such method"}
	}
	return nil
}

func (a *testAgent) Prompt(ctx context.Context, s *v1.AgentSession, r *v1.PromptRequest) (*v1.PromptResponse, error) {
	say := func(text string) error { return s.Send(ctx, &v1.AgentMessageChunk{Content: v1.TextBlock(text)}) }
	switch text := r.Prompt[0].(*v1.Text).Text; text {
	case "wait":
		a.working <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	case "ask":
		req := &v1.RequestPermissionRequest{
			ToolCall: v1.ToolCallChange{ToolCallID: "c", Title: acp.Set("write")},
			Options:  []v1.PermissionOption{{OptionID: "yes", Name: "Yes", Kind: v1.AllowOnce}},
		}
		resp, err := s.RequestPermission(ctx, req)
		if err != nil {
			return nil, err
		}
		_ = say(map[bool]string{true: "allowed", false: "not allowed"}[resp.Allows(req)])
	case "read":
		f, err := s.ReadTextFile(ctx, &v1.ReadTextFileRequest{Path: "/w/a"})
		if err != nil {
			return nil, err
		}
		if err := s.WriteTextFile(ctx, &v1.WriteTextFileRequest{Path: "/w/b", Content: f.Content}); err != nil {
			return nil, err
		}
	case "terminal":
		var out v1.CreateTerminalResponse
		if err := s.Terminal(ctx, v1.MethodCreateTerminal, &v1.CreateTerminalRequest{SessionID: s.ID(), Command: "ls"}, &out); err != nil {
			return nil, err
		}
		_ = say(out.TerminalID)
	default:
		_ = say("said " + text)
	}
	return &v1.PromptResponse{StopReason: v1.StopEndTurn}, nil
}

// testClient keeps what it is told.
type testClient struct {
	ask func(ctx context.Context) (*v1.RequestPermissionResponse, error)

	mu      sync.Mutex
	updates []string
	written map[string]string
}

func (c *testClient) SessionUpdate(_ context.Context, s *v1.ClientSession, u v1.SessionUpdate) {
	raw, _ := u.MarshalJSON()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.updates = append(c.updates, string(raw))
}

func (c *testClient) RequestPermission(ctx context.Context, _ *v1.ClientSession, _ *v1.RequestPermissionRequest) (*v1.RequestPermissionResponse, error) {
	if c.ask != nil {
		return c.ask(ctx)
	}
	return v1.Selected("yes"), nil
}

func (c *testClient) ReadTextFile(context.Context, *v1.ClientSession, *v1.ReadTextFileRequest) (*v1.ReadTextFileResponse, error) {
	return &v1.ReadTextFileResponse{Content: "text"}, nil
}

func (c *testClient) WriteTextFile(_ context.Context, _ *v1.ClientSession, r *v1.WriteTextFileRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.written == nil {
		c.written = map[string]string{}
	}
	c.written[r.Path] = r.Content
	return nil
}

func (c *testClient) HandleRequest(_ context.Context, _ *jsonrpc.Conn, method string, params json.RawMessage) (any, error) {
	if method == v1.MethodCreateTerminal {
		return &v1.CreateTerminalResponse{TerminalID: "term-1"}, nil
	}
	return nil, jsonrpc.MethodNotFound(method)
}

func (c *testClient) HandleNotification(context.Context, *jsonrpc.Conn, string, json.RawMessage) {}

func (c *testClient) has(t *testing.T, parts ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, part := range parts {
		if !slices.ContainsFunc(c.updates, func(u string) bool { return strings.Contains(u, part) }) {
			t.Errorf("no update with %q in %q", part, c.updates)
		}
	}
}

// serve runs an agent and returns the client's end of the stream.
func serve(t *testing.T, run func(ctx context.Context, stream net.Conn) error) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(context.Background(), theirs) }()
	t.Cleanup(func() {
		_ = ours.Close()
		<-done
	})
	return ours
}

func info(name string) v1.Implementation { return v1.Implementation{Name: name, Version: "1"} }

func newPair(t *testing.T) (*testAgent, *testClient, *v1.ClientConn) {
	t.Helper()
	h, ch := &testAgent{working: make(chan struct{}, 1)}, &testClient{}
	agent := v1.NewAgent(h, &v1.AgentOptions{Info: info("agent")})
	stream := serve(t, func(ctx context.Context, s net.Conn) error { return agent.Serve(ctx, s) })
	client := v1.NewClient(ch, &v1.ClientOptions{Info: info("client"), Capabilities: &v1.ClientCapabilities{Terminal: true}})
	c, err := client.Connect(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return h, ch, c
}

func TestVersionOneTurns(t *testing.T) {
	h, ch, c := newPair(t)
	ctx := t.Context()
	if a := c.Agent(); a.ProtocolVersion != 1 || a.AgentInfo.Name != "agent" || !a.AgentCapabilities.LoadSession {
		t.Fatalf("the agent says %+v", a)
	}
	if err := c.Authenticate(ctx, "key"); err != nil {
		t.Fatal(err)
	}
	if err := c.Authenticate(ctx, "door"); err == nil {
		t.Error("the agent let a stranger in")
	}
	s, _, err := c.NewSession(ctx, &v1.NewSessionRequest{Cwd: "/w", MCPServers: []v1.MCPServer{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"hello", "ask", "read", "terminal"} {
		resp, err := s.Prompt(ctx, v1.TextBlock(text))
		if err != nil || resp.StopReason != v1.StopEndTurn {
			t.Fatalf("%s: %+v, %v", text, resp, err)
		}
	}
	ch.has(t, `"available_commands_update"`, "said hello", "allowed", "term-1")
	if len(s.Commands()) != 1 || s.Commands()[0].Name != "help" {
		t.Errorf("the list is %+v", s.Commands())
	}
	if ch.written["/w/b"] != "text" {
		t.Errorf("written: %q", ch.written)
	}
	if err := s.SetMode(ctx, "plan"); err != nil {
		t.Fatal(err)
	}
	ch.has(t, `"currentModeId":"plan"`)
	if err := s.Close(ctx); err != nil || !slices.Equal(h.closed, []string{s.ID()}) {
		t.Errorf("%v, closed %q", err, h.closed)
	}
	var rpc *jsonrpc.Error
	if _, err := s.Prompt(ctx, v1.TextBlock("hello")); !errors.As(err, &rpc) || rpc.Code != jsonrpc.CodeNotFound {
		t.Errorf("a prompt for a closed session: %v", err)
	}
}

func TestVersionOneCancel(t *testing.T) {
	h, ch, c := newPair(t)
	s, _, err := c.NewSession(t.Context(), &v1.NewSessionRequest{Cwd: "/w", MCPServers: []v1.MCPServer{}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan string, 1)
	prompt := func(text string) {
		resp, err := s.Prompt(context.Background(), v1.TextBlock(text))
		if err != nil {
			done <- err.Error()
			return
		}
		done <- resp.StopReason
	}
	go prompt("wait")
	<-h.working
	if err := s.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got != v1.StopCancelled {
		t.Errorf("the turn ended with %s", got)
	}
	// A question that is open is answered as cancelled.
	asked := make(chan struct{})
	ch.ask = func(ctx context.Context) (*v1.RequestPermissionResponse, error) {
		close(asked)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	go prompt("ask")
	<-asked
	if err := s.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got != v1.StopCancelled {
		t.Errorf("the turn ended with %s", got)
	}
}

func TestVersionOneLoad(t *testing.T) {
	_, ch, c := newPair(t)
	list, err := c.ListSessions(t.Context(), &v1.ListSessionsRequest{})
	if err != nil || len(list.Sessions) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	req := &v1.LoadSessionRequest{SessionID: list.Sessions[0].SessionID, Cwd: "/w", MCPServers: []v1.MCPServer{}}
	if _, _, err := c.LoadSession(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	ch.has(t, "what was said") // before the call has returned
	req.SessionID = "nowhere"
	if _, _, err := c.LoadSession(t.Context(), req); err == nil {
		t.Error("a session that is nowhere was loaded")
	}
}

// agent2 and client2 are the newer halves of an agent and a client of both
// versions.
type agent2 struct{ acp.AgentHandler }

func (agent2) NewSession(context.Context, *acp.AgentSession, *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
	return &acp.NewSessionResponse{SessionID: "two"}, nil
}

type client2 struct{ acp.ClientHandler }

func TestOneConnectionServesBothVersions(t *testing.T) {
	old := func() *v1.Agent {
		return v1.NewAgent(&testAgent{working: make(chan struct{}, 1)}, &v1.AgentOptions{Info: info("old")})
	}
	both := func() *acp.Agent {
		return acp.NewAgent(agent2{}, &acp.AgentOptions{Info: acp.Implementation{Name: "both", Version: "1"}, Versions: []acp.AgentVersion{old()}})
	}
	oldClient := v1.NewClient(&testClient{}, &v1.ClientOptions{Info: info("client")})
	bothClient := acp.NewClient(client2{}, &acp.ClientOptions{Info: acp.Implementation{Name: "client", Version: "1"}, Versions: []acp.ClientVersion{oldClient}})

	t.Run("both and both speak 2", func(t *testing.T) {
		stream := serve(t, func(ctx context.Context, s net.Conn) error { return both().Serve(ctx, s) })
		c, err := bothClient.Connect(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, _, err := c.NewSession(t.Context(), &acp.NewSessionRequest{Cwd: "/w"}); err != nil || c.Other() != nil {
			t.Errorf("%v, other %v", err, c.Other())
		}
	})
	t.Run("an agent of both serves an old client", func(t *testing.T) {
		stream := serve(t, func(ctx context.Context, s net.Conn) error { return both().Serve(ctx, s) })
		c, err := oldClient.Connect(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		prompts(t, c)
	})
	t.Run("a client of both talks to an old agent", func(t *testing.T) {
		stream := serve(t, func(ctx context.Context, s net.Conn) error { return old().Serve(ctx, s) })
		c, err := bothClient.Connect(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		other, ok := c.Other().(*v1.ClientConn)
		if !ok {
			t.Fatalf("other is %T", c.Other())
		}
		if other.Agent().AgentInfo.Name != "old" {
			t.Errorf("the agent is %+v", other.Agent())
		}
		prompts(t, other)
	})
	t.Run("an old client does not take an agent of 2 alone", func(t *testing.T) {
		only := acp.NewAgent(agent2{}, &acp.AgentOptions{Info: acp.Implementation{Name: "new", Version: "1"}})
		stream := serve(t, func(ctx context.Context, s net.Conn) error { return only.Serve(ctx, s) })
		if c, err := oldClient.Connect(t.Context(), stream); err == nil {
			_ = c.Close()
			t.Error("it did")
		}
	})
	t.Run("a client of 2 alone does not take an old agent", func(t *testing.T) {
		stream := serve(t, func(ctx context.Context, s net.Conn) error { return old().Serve(ctx, s) })
		only := acp.NewClient(client2{}, &acp.ClientOptions{Info: acp.Implementation{Name: "client", Version: "1"}})
		var version *acp.VersionError
		if c, err := only.Connect(t.Context(), stream); !errors.As(err, &version) || version.Got != 1 {
			if err == nil {
				_ = c.Close()
			}
			t.Errorf("got %v", err)
		}
	})
}

func prompts(t *testing.T, c *v1.ClientConn) {
	t.Helper()
	s, _, err := c.NewSession(t.Context(), &v1.NewSessionRequest{Cwd: "/w", MCPServers: []v1.MCPServer{}})
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := s.Prompt(t.Context(), v1.TextBlock("hello")); err != nil || resp.StopReason != v1.StopEndTurn {
		t.Errorf("%+v, %v", resp, err)
	}
	if resp, err := s.Prompt(t.Context(), v1.TextBlock("ask")); err != nil || resp.StopReason != v1.StopEndTurn {
		t.Errorf("%+v, %v", resp, err)
	}
}
