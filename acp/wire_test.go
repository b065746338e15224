// SPDX-License-Identifier: Apache-2.0

package acp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// The transcripts in testdata/agent are prose and a file "wire": lines that the
// client sends start with ">", lines that the agent has to answer with "<".
// What stands behind a name of a file "options" sets the agent up.
func TestAgentOnTheWire(t *testing.T) {
	files, err := filepath.Glob("testdata/agent/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			opts := &acp.AgentOptions{Info: acp.Implementation{Name: "test", Version: "1"}}
			h := &testAgent{}
			var wire string
			for _, f := range a.Files {
				switch f.Name {
				case "options":
					for _, o := range strings.Fields(string(f.Data)) {
						switch o {
						case "skill":
							opts.Skills.Skill = true
						case "inline":
							opts.Skills = anywhere
						default:
							t.Fatalf("no option %q", o)
						}
					}
				case "wire":
					wire = string(f.Data)
				}
			}
			p := serveAgent(t, h, opts)
			for n, line := range strings.Split(strings.TrimSpace(wire), "\n") {
				dir, text, _ := strings.Cut(line, " ")
				switch dir {
				case ">":
					p.send(text)
				case "<":
					got := p.line()
					if a, b := sorted(t, got), sorted(t, text); a != b {
						t.Fatalf("wire line %d:\ngot  %s\nwant %s", n+1, a, b)
					}
				case "":
				default:
					t.Fatalf("wire line %d starts with neither > nor <", n+1)
				}
			}
		})
	}
}

// wirePeer is the other end, by hand.
type wirePeer struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
}

func (p *wirePeer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.conn, line+"\n"); err != nil {
		p.t.Fatalf("send %s: %v", line, err)
	}
}

func (p *wirePeer) line() string {
	p.t.Helper()
	got, err := p.in.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSuffix(got, "\n")
}

func (p *wirePeer) want(line string) {
	p.t.Helper()
	sameJSON(p.t, p.line(), line)
}

// serveAgent serves an agent until the test ends.
func serveAgent(t *testing.T, h acp.AgentHandler, opts *acp.AgentOptions) *wirePeer {
	t.Helper()
	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- acp.NewAgent(h, opts).Serve(context.Background(), theirs) }()
	t.Cleanup(func() {
		_ = ours.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return &wirePeer{t, ours, bufio.NewReader(ours)}
}

// testAgent does what the working directory and the text of prompts say. Its
// ids are s1, s2, ... and m1, m2, ...
type testAgent struct {
	mu       sync.Mutex
	sessions int
	messages int
}

func (h *testAgent) list() []acp.AvailableCommand {
	return []acp.AvailableCommand{
		&acp.Command{Name: "review", Description: "Review it"},
		&acp.Skill{Name: "csv", Description: "Make tables", Path: "/skills/csv/SKILL.md"},
		&acp.Skill{Name: "charts", Description: "Draw charts"},
	}
}

func (h *testAgent) next(prefix string, n *int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	*n++
	return fmt.Sprintf("%s%d", prefix, *n)
}

func (h *testAgent) NewSession(ctx context.Context, s *acp.AgentSession, r *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
	resp := &acp.NewSessionResponse{SessionID: h.next("s", &h.sessions)}
	switch r.Cwd {
	case "/in-response":
		resp.AvailableCommands = h.list()
	case "/set":
		return resp, s.SetCommands(ctx, h.list())
	case "/early": // what a careless agent does: updates of a session that nobody knows
		if err := s.Send(ctx, &acp.Notice{Severity: acp.NoticeInfo, Title: "hello"}); err != nil {
			return nil, err
		}
		resp.AvailableCommands = []acp.AvailableCommand{}
	case "/twice":
		resp.AvailableCommands = []acp.AvailableCommand{&acp.Skill{Name: "a", Description: "d"}, &acp.Command{Name: "a", Description: "d"}}
	case "/locked":
		return nil, jsonrpc.Errorf(jsonrpc.CodeAuthRequired, "log in first")
	case "/nothing":
		return nil, nil
	}
	return resp, nil
}

func (h *testAgent) ForkSession(_ context.Context, _ *acp.AgentSession, r *acp.ForkSessionRequest) (*acp.ForkSessionResponse, error) {
	return &acp.ForkSessionResponse{SessionID: r.SessionID + "-fork", AvailableCommands: h.list()}, nil
}

func (h *testAgent) ResumeSession(ctx context.Context, s *acp.AgentSession, r *acp.ResumeSessionRequest) (*acp.ResumeSessionResponse, error) {
	if r.SessionID == "gone" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeNotFound, Message: "no such session"}
	}
	if r.ReplaysFromStart() {
		if err := s.Send(ctx, &acp.UserMessage{MessageID: "m0", Content: acp.Set([]acp.ContentBlock{acp.SkillBlock("csv"), acp.TextBlock("go")})}); err != nil {
			return nil, err
		}
	}
	if err := s.Send(ctx, &acp.StateUpdate{State: acp.StateIdle}); err != nil {
		return nil, err
	}
	return &acp.ResumeSessionResponse{AvailableCommands: h.list()}, nil
}

func (h *testAgent) ListSessions(context.Context, *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	return &acp.ListSessionsResponse{}, nil
}

func (h *testAgent) CloseSession(context.Context, *acp.AgentSession) error { return nil }

func (h *testAgent) DeleteSession(_ context.Context, id string) error {
	if id == "gone" {
		return &jsonrpc.Error{Code: jsonrpc.CodeNotFound, Message: "no such session"}
	}
	return nil
}

// CheckSkill knows a skill for the model, and one that is gone from the disk
// although it is still listed.
func (h *testAgent) CheckSkill(_ *acp.AgentSession, name string) acp.Resolution {
	switch name {
	case "internal":
		return acp.Resolution{State: acp.SkillModelOnly}
	case "charts-deleted":
		return acp.Resolution{State: acp.SkillUnknown}
	}
	return acp.Resolution{State: acp.SkillInvocable}
}

func (h *testAgent) Prompt(ctx context.Context, s *acp.AgentSession, p *acp.UserPrompt) (*acp.PromptResponse, error) {
	for _, b := range p.Prompt {
		text, ok := b.(*acp.Text)
		if !ok {
			continue
		}
		switch verb, arg, _ := strings.Cut(text.Text, " "); verb {
		case "hold":
			<-ctx.Done()
			return nil, context.Cause(ctx)
		case "list":
			var list []acp.AvailableCommand
			for _, name := range strings.Fields(arg) {
				list = append(list, &acp.Skill{Name: name, Description: "d"})
			}
			if err := s.SetCommands(ctx, list); err != nil {
				return nil, err
			}
		case "work":
			s.Go(func(ctx context.Context) {
				<-ctx.Done()
				_ = s.Send(ctx, &acp.StateUpdate{State: acp.StateIdle, StopReason: acp.StopCancelled})
			})
		}
	}
	id := h.next("m", &h.messages) // not before: a prompt that is not inserted has none
	err := s.Send(ctx, &acp.UserMessage{MessageID: id, Content: acp.Set(p.Prompt)})
	return &acp.PromptResponse{MessageID: id}, err
}

func (h *testAgent) Cancel(ctx context.Context, s *acp.AgentSession) {
	_ = s.Send(ctx, &acp.StateUpdate{State: acp.StateIdle, StopReason: acp.StopCancelled})
}

func (h *testAgent) HandleRequest(_ context.Context, _ *jsonrpc.Conn, method string, params json.RawMessage) (any, error) {
	if method != "_test/echo" {
		return nil, jsonrpc.MethodNotFound(method)
	}
	return params, nil
}

func (h *testAgent) HandleNotification(ctx context.Context, peer *jsonrpc.Conn, method string, params json.RawMessage) {
	_ = peer.Notify(ctx, method+"/seen", params)
}
