// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
)

// An agent made with acp, driven by the SDK's client.
func TestOurAgentWithTheSDKsClient(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"1", "2"} {
		t.Run("version "+version, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), node(t), sdkFile(t, "peer-client.mjs"), version, t.TempDir(), "--", self)
			cmd.Env = append(os.Environ(), "INTEROP_PEER=1")
			cmd.WaitDelay = deadline
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var v struct {
				Init    json.RawMessage
				Session struct {
					Commands []command `json:"availableCommands"`
				}
				Hello, Ask, Wait string
				List             struct{ Sessions []json.RawMessage }
				Forked           bool
				Closed, Unknown  int
				Asked            int
				Live, Replay     []string
			}
			if err := json.Unmarshal(out, &v); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			if v.Hello != "end_turn" || v.Ask != "end_turn" || v.Wait != "cancelled" || v.Asked != 1 {
				t.Errorf("the turns ended with %s, %s and %s; asked %d times", v.Hello, v.Ask, v.Wait, v.Asked)
			}
			if !strings.Contains(string(v.Init), `"protocolVersion":`+version) || len(v.List.Sessions) != 1 {
				t.Errorf("initialize: %s, list: %s", v.Init, v.List.Sessions)
			}
			if v.Closed != jsonrpc.CodeNotFound || v.Unknown != jsonrpc.CodeMethodNotFound {
				t.Errorf("a closed session: %d, an unknown method: %d", v.Closed, v.Unknown)
			}
			has(t, v.Live, "done", "allowed: true", "waiting")
			has(t, v.Replay, "hello", "ask", "wait")
			if version == "2" && (!v.Forked || byName(t, v.Session.Commands)["native"].Type != "skill") {
				t.Errorf("forked %v, list %+v", v.Forked, v.Session.Commands)
			}
		})
	}
}

func has(t *testing.T, list []string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) }) {
			t.Errorf("nothing has %q: %q", part, list)
		}
	}
}

// heard keeps what a client of ours was told.
type heard struct {
	mu      sync.Mutex
	updates []string
	fresh   chan struct{}
}

func (h *heard) add(raw []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.updates = append(h.updates, string(raw))
	select {
	case h.fresh <- struct{}{}:
	default:
	}
}

func (h *heard) all(from int) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.updates[from:])
}

// until waits for an update behind from that has all parts.
func (h *heard) until(t *testing.T, from int, parts ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	for {
		for _, u := range h.all(from) {
			if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(u, p) }) {
				return
			}
		}
		select {
		case <-h.fresh:
		case <-ctx.Done():
			t.Fatalf("no update with %q: %q", parts, h.all(from))
		}
	}
}

type newEar struct{ *heard }

func (e newEar) SessionUpdate(_ context.Context, _ *acp.ClientSession, u acp.SessionUpdate) {
	raw, _ := u.MarshalJSON()
	e.add(raw)
}

func (e newEar) RequestPermission(context.Context, *acp.ClientSession, *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
	return acp.Selected("yes"), nil
}

type oldEar struct{ *heard }

func (e oldEar) SessionUpdate(_ context.Context, _ *v1.ClientSession, u v1.SessionUpdate) {
	raw, _ := u.MarshalJSON()
	e.add(raw)
}

func (e oldEar) RequestPermission(context.Context, *v1.ClientSession, *v1.RequestPermissionRequest) (*v1.RequestPermissionResponse, error) {
	return v1.Selected("yes"), nil
}

// connect starts the SDK's agent and connects a client of both versions to it.
func connect(t *testing.T, version string) (*acp.ClientConn, *heard) {
	t.Helper()
	cmd := exec.Command(node(t), sdkFile(t, "peer-agent.mjs"), version)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &heard{fresh: make(chan struct{}, 1)}
	old := v1.NewClient(oldEar{h}, &v1.ClientOptions{Info: v1.Implementation{Name: "ours", Version: "1"}})
	both := acp.NewClient(newEar{h}, &acp.ClientOptions{
		Info: acp.Implementation{Name: "ours", Version: "1"}, Capabilities: acp.SkillClient(), Versions: []acp.ClientVersion{old},
	})
	c, err := both.Connect(t.Context(), jsonrpc.Join(out, in))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		_ = cmd.Wait()
	})
	return c, h
}

// A client made with acp, and the SDK's agent of version 2.
func TestOurClientWithTheSDKsAgent(t *testing.T) {
	c, h := connect(t, "2")
	ctx, cwd := t.Context(), t.TempDir()
	s, _, err := c.NewSession(ctx, &acp.NewSessionRequest{Cwd: cwd})
	if err != nil {
		t.Fatal(err)
	}
	if c.Other() != nil || len(s.Commands()) != 1 {
		t.Errorf("other %v, list %v", c.Other(), s.Commands())
	}
	turn := func(text, reason string) {
		t.Helper()
		from := len(h.all(0))
		if _, err := s.Prompt(ctx, acp.TextBlock(text)); err != nil {
			t.Fatal(err)
		}
		if text == "wait" {
			h.until(t, from, "waiting")
			if err := s.Cancel(ctx); err != nil {
				t.Fatal(err)
			}
		}
		h.until(t, from, `"state":"idle"`, reason)
	}
	turn("hello", "end_turn")
	turn("ask", "end_turn")
	turn("wait", "cancelled")
	has(t, h.all(0), "done", "chosen yes", "plan_made_up") // the last one is of a variant that nobody knows
	if _, err := s.Prompt(ctx, acp.SkillBlock("native")); err == nil {
		t.Error("ACP-U1: a block went to an agent that takes none")
	}
	if l, err := c.ListSessions(ctx, &acp.ListSessionsRequest{}); err != nil || len(l.Sessions) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	fork, _, err := s.Fork(ctx, &acp.ForkSessionRequest{Cwd: cwd})
	if err != nil || fork.ID() == s.ID() {
		t.Fatal(err)
	}
	if err := c.DeleteSession(ctx, fork.ID()); err != nil {
		t.Error(err)
	}
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
	from := len(h.all(0))
	if _, _, err := c.ResumeSession(ctx, &acp.ResumeSessionRequest{SessionID: s.ID(), Cwd: cwd, ReplayFrom: &acp.ReplayFromStart{}}); err != nil {
		t.Fatal(err)
	}
	has(t, h.all(from), "hello", "ask", "wait")
}

// The same client falls back to version 1 on the same connection.
func TestOurClientWithTheSDKsOldAgent(t *testing.T) {
	both, h := connect(t, "1")
	c, ok := both.Other().(*v1.ClientConn)
	if !ok {
		t.Fatalf("other is %T", both.Other())
	}
	ctx, cwd := t.Context(), t.TempDir()
	if err := c.Authenticate(ctx, "key"); err != nil {
		t.Error(err)
	}
	s, _, err := c.NewSession(ctx, &v1.NewSessionRequest{Cwd: cwd, MCPServers: []v1.MCPServer{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"hello", "ask"} {
		if r, err := s.Prompt(ctx, v1.TextBlock(text)); err != nil || r.StopReason != v1.StopEndTurn {
			t.Fatalf("%s: %+v, %v", text, r, err)
		}
	}
	from, done := len(h.all(0)), make(chan string, 1)
	go func() {
		r, err := s.Prompt(context.WithoutCancel(ctx), v1.TextBlock("wait"))
		if err != nil {
			done <- err.Error()
			return
		}
		done <- r.StopReason
	}()
	h.until(t, from, "waiting")
	if err := s.Cancel(ctx); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got != v1.StopCancelled {
		t.Errorf("the turn ended with %s", got)
	}
	has(t, h.all(0), "done", "chosen yes")
	if l, err := c.ListSessions(ctx, &v1.ListSessionsRequest{}); err != nil || len(l.Sessions) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
	from = len(h.all(0))
	if _, _, err := c.LoadSession(ctx, &v1.LoadSessionRequest{SessionID: s.ID(), Cwd: cwd, MCPServers: []v1.MCPServer{}}); err != nil {
		t.Fatal(err)
	}
	has(t, h.all(from), "hello", "ask", "wait")
}
