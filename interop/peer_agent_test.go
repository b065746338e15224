// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
)

// servePeer is this binary as an agent of both versions, made with acp alone.
func servePeer() int {
	p := &peer{kept: map[string][]acp.ContentBlock{}}
	old := v1.NewAgent(oldPeer{peer: p}, &v1.AgentOptions{Info: v1.Implementation{Name: "peer", Version: "1"}})
	agent := acp.NewAgent(newPeer{p}, &acp.AgentOptions{
		Info: acp.Implementation{Name: "peer", Version: "2"}, Skills: acp.SkillSupport{Skill: true}, Versions: []acp.AgentVersion{old},
	})
	if err := agent.Serve(context.Background(), jsonrpc.Join(os.Stdin, os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		return 1
	}
	return 0
}

// A peer does what the first word of a prompt says, as peer-agent.mjs does.
type peer struct {
	mu   sync.Mutex
	kept map[string][]acp.ContentBlock // what was prompted, by session
	stop map[string]context.CancelFunc // of the running turn
}

func (p *peer) keep(id string, b ...acp.ContentBlock) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept[id] = append(p.kept[id], b...)
}

func (p *peer) of(id string) (blocks []acp.ContentBlock, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	blocks, known = p.kept[id]
	return slices.Clone(blocks), known
}

type newPeer struct{ *peer }

func list() []acp.AvailableCommand {
	return []acp.AvailableCommand{&acp.Command{Name: "compact", Description: "Make it short"}, &acp.Skill{Name: "native", Description: "The agent's own"}}
}

func (p newPeer) NewSession(_ context.Context, s *acp.AgentSession, _ *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
	p.keep(s.ID())
	return &acp.NewSessionResponse{AvailableCommands: list()}, nil
}

func (p newPeer) ForkSession(_ context.Context, s *acp.AgentSession, r *acp.ForkSessionRequest) (*acp.ForkSessionResponse, error) {
	blocks, _ := p.of(r.SessionID)
	p.keep(s.ID(), blocks...)
	return &acp.ForkSessionResponse{AvailableCommands: list()}, nil
}

func (p newPeer) ResumeSession(ctx context.Context, s *acp.AgentSession, r *acp.ResumeSessionRequest) (*acp.ResumeSessionResponse, error) {
	blocks, known := p.of(r.SessionID)
	if !known {
		return nil, jsonrpc.Errorf(jsonrpc.CodeNotFound, "no such session")
	}
	if r.ReplaysFromStart() {
		for i, b := range blocks {
			u := &acp.UserMessage{MessageID: fmt.Sprint("m", i), Content: acp.Set([]acp.ContentBlock{b})}
			if err := s.Send(ctx, u); err != nil {
				return nil, err
			}
		}
	}
	return &acp.ResumeSessionResponse{AvailableCommands: list()}, nil
}

func (p newPeer) ListSessions(context.Context, *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := &acp.ListSessionsResponse{}
	for id := range p.kept {
		out.Sessions = append(out.Sessions, acp.SessionInfo{SessionID: id, Cwd: "/"})
	}
	return out, nil
}

func (p newPeer) CloseSession(context.Context, *acp.AgentSession) error { return nil }

func (p newPeer) DeleteSession(_ context.Context, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.kept, id)
	return nil
}

func (p newPeer) Cancel(_ context.Context, s *acp.AgentSession) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stop := p.stop[s.ID()]; stop != nil {
		stop()
	}
}

func (p newPeer) Prompt(ctx context.Context, s *acp.AgentSession, r *acp.UserPrompt) (*acp.PromptResponse, error) {
	p.keep(s.ID(), r.Prompt...)
	id := rand.Text()
	if err := s.Send(ctx, &acp.UserMessage{MessageID: id, Content: acp.Set(r.Prompt)}); err != nil {
		return nil, err
	}
	turn, stop := context.WithCancel(s.Context())
	p.mu.Lock()
	if p.stop == nil {
		p.stop = map[string]context.CancelFunc{}
	}
	p.stop[s.ID()] = stop
	p.mu.Unlock()
	s.Go(func(ctx context.Context) {
		defer stop()
		say := func(text string) {
			_ = s.Send(ctx, &acp.AgentMessageChunk{MessageID: rand.Text(), Content: acp.TextBlock(text)})
		}
		_ = s.Send(ctx, &acp.StateUpdate{State: acp.StateRunning})
		reason := acp.StopEndTurn
		switch t, _ := r.Prompt[0].(*acp.Text); {
		case t != nil && t.Text == "wait":
			say("waiting")
			<-turn.Done()
			reason = acp.StopCancelled
		case t != nil && t.Text == "ask":
			req := &acp.RequestPermissionRequest{Title: "Write?", Options: []acp.PermissionOption{{OptionID: "yes", Name: "Yes", Kind: acp.AllowOnce}},
				Subject: &acp.ToolCallSubject{ToolCall: acp.ToolCall{ToolCallID: "c", Title: acp.Set("write")}}}
			resp, err := s.RequestPermission(turn, req)
			say(fmt.Sprintf("allowed: %v, %v", err == nil && resp.Allows(req), err))
		default:
			say("done")
		}
		_ = s.Send(ctx, &acp.StateUpdate{State: acp.StateIdle, StopReason: reason})
	})
	return &acp.PromptResponse{MessageID: id}, nil
}

// oldPeer is the same in version 1.
type oldPeer struct{ *peer }

func (p oldPeer) NewSession(_ context.Context, s *v1.AgentSession, _ *v1.NewSessionRequest) (*v1.NewSessionResponse, error) {
	p.keep(s.ID())
	return &v1.NewSessionResponse{}, nil
}

func (p oldPeer) LoadSession(ctx context.Context, s *v1.AgentSession, r *v1.LoadSessionRequest) (*v1.LoadSessionResponse, error) {
	blocks, known := p.of(r.SessionID)
	if !known {
		return nil, jsonrpc.Errorf(jsonrpc.CodeNotFound, "no such session")
	}
	for _, b := range blocks {
		if err := s.Send(ctx, &v1.UserMessageChunk{Content: v1.TextBlock(b.(*acp.Text).Text)}); err != nil {
			return nil, err
		}
	}
	return &v1.LoadSessionResponse{}, nil
}

func (p oldPeer) ListSessions(context.Context, *v1.ListSessionsRequest) (*v1.ListSessionsResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := &v1.ListSessionsResponse{}
	for id := range p.kept {
		out.Sessions = append(out.Sessions, v1.SessionInfo{SessionID: id, Cwd: "/"})
	}
	return out, nil
}

func (p oldPeer) CloseSession(context.Context, *v1.AgentSession) error { return nil }

func (p oldPeer) Prompt(ctx context.Context, s *v1.AgentSession, r *v1.PromptRequest) (*v1.PromptResponse, error) {
	text := r.Prompt[0].(*v1.Text).Text
	p.keep(s.ID(), acp.TextBlock(text))
	say := func(text string) { _ = s.Send(ctx, &v1.AgentMessageChunk{Content: v1.TextBlock(text)}) }
	switch text {
	case "wait":
		say("waiting")
		<-ctx.Done()
		return nil, ctx.Err()
	case "ask":
		req := &v1.RequestPermissionRequest{ToolCall: v1.ToolCallChange{ToolCallID: "c", Title: acp.Set("write")},
			Options: []v1.PermissionOption{{OptionID: "yes", Name: "Yes", Kind: v1.AllowOnce}}}
		resp, err := s.RequestPermission(ctx, req)
		say(fmt.Sprintf("allowed: %v, %v", err == nil && resp.Allows(req), err))
	default:
		say("done")
	}
	return &v1.PromptResponse{StopReason: v1.StopEndTurn}, nil
}
