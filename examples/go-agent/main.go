// SPDX-License-Identifier: Apache-2.0

// An agent with skills. It has no model: it says what it would follow.
package main

import (
	"context"
	"crypto/rand"
	"log"
	"os"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

type agent struct {
	store  *catalog.Store
	skills sync.Map // *acp.AgentSession to *acpskill.Session
}

func (a *agent) open(ctx context.Context, s *acp.AgentSession, dirs ...string) error {
	skills, err := acpskill.Attach(ctx, s, a.store, acpskill.SessionOptions{Catalog: catalog.Options{Workspace: dirs}})
	a.skills.Store(s, skills)
	return err
}

func (a *agent) NewSession(ctx context.Context, s *acp.AgentSession, r *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
	return &acp.NewSessionResponse{}, a.open(ctx, s, append([]string{r.Cwd}, r.AdditionalDirectories...)...)
}

func (a *agent) ResumeSession(context.Context, *acp.AgentSession, *acp.ResumeSessionRequest) (*acp.ResumeSessionResponse, error) {
	return nil, jsonrpc.Errorf(jsonrpc.CodeNotFound, "this agent keeps no sessions")
}

func (a *agent) ListSessions(context.Context, *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	return &acp.ListSessionsResponse{}, nil
}

func (a *agent) CloseSession(_ context.Context, s *acp.AgentSession) error {
	a.skills.Delete(s)
	return nil
}

func (a *agent) Cancel(context.Context, *acp.AgentSession) {}

func (a *agent) Prompt(ctx context.Context, s *acp.AgentSession, p *acp.UserPrompt) (*acp.PromptResponse, error) {
	skills, _ := a.skills.Load(s)
	answer := ""
	for _, ref := range p.Skills { // all of them stand: the package has seen to it
		activation, err := skills.(*acpskill.Session).Activate(ctx, ref.Name)
		if err != nil {
			return nil, err
		}
		answer += "I follow " + activation.Wrapped() + "\n" // for a model: its context
	}
	id := rand.Text()
	err := s.Send(ctx, &acp.UserMessage{MessageID: id, Content: acp.Set(p.Prompt)})
	s.Go(func(ctx context.Context) { // the work goes on behind the response
		_ = s.Send(ctx, &acp.StateUpdate{State: acp.StateRunning})
		_ = s.Send(ctx, &acp.AgentMessage{MessageID: rand.Text(), Content: acp.Set([]acp.ContentBlock{acp.TextBlock(answer)})})
		_ = s.Send(ctx, &acp.StateUpdate{State: acp.StateIdle, StopReason: acp.StopEndTurn})
	})
	return &acp.PromptResponse{MessageID: id}, err
}

func main() {
	store := catalog.NewStore(nil)
	defer store.Close()
	served := acp.NewAgent(&agent{store: store}, &acp.AgentOptions{
		Info: acp.Implementation{Name: "go-agent", Version: "1"}, Skills: acp.SkillSupport{Skill: true, Inline: true},
	})
	if err := served.Serve(context.Background(), jsonrpc.Join(os.Stdin, os.Stdout)); err != nil {
		log.Fatal(err)
	}
}
