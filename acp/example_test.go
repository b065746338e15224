// SPDX-License-Identifier: Apache-2.0

package acp_test

import (
	"context"
	"fmt"
	"net"

	"github.com/skillgraft/skillgraft/acp"
)

// A greeter is an agent with one skill.
type greeter struct{}

func (greeter) NewSession(ctx context.Context, s *acp.AgentSession, r *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
	return &acp.NewSessionResponse{AvailableCommands: []acp.AvailableCommand{
		&acp.Skill{Name: "greet", Description: "Greet someone the way they like"},
	}}, nil
}

func (greeter) Prompt(ctx context.Context, s *acp.AgentSession, p *acp.UserPrompt) (*acp.PromptResponse, error) {
	if err := s.Send(ctx, &acp.UserMessage{MessageID: "m1", Content: acp.Set(p.Prompt)}); err != nil {
		return nil, err
	}
	s.Go(func(ctx context.Context) { // the work; Prompt only says that it was accepted
		text := "I was asked for no skill."
		if len(p.Skills) > 0 {
			text = "I follow the skill " + p.Skills[0].Name + "."
		}
		for _, u := range []acp.SessionUpdate{
			&acp.StateUpdate{State: acp.StateRunning},
			&acp.AgentMessage{MessageID: "m2", Content: acp.Set([]acp.ContentBlock{acp.TextBlock(text)})},
			&acp.StateUpdate{State: acp.StateIdle, StopReason: acp.StopEndTurn},
		} {
			if s.Send(ctx, u) != nil {
				return // the client is gone
			}
		}
	})
	return &acp.PromptResponse{MessageID: "m1"}, nil
}

func (greeter) ResumeSession(context.Context, *acp.AgentSession, *acp.ResumeSessionRequest) (*acp.ResumeSessionResponse, error) {
	return nil, fmt.Errorf("a greeter forgets")
}

func (greeter) ListSessions(context.Context, *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	return &acp.ListSessionsResponse{}, nil
}

func (greeter) CloseSession(context.Context, *acp.AgentSession) error { return nil }

func (greeter) Cancel(context.Context, *acp.AgentSession) {}

// An editor prints what it is shown, and says when the agent is done.
type editor struct{ idle chan string }

func (e editor) SessionUpdate(_ context.Context, _ *acp.ClientSession, u acp.SessionUpdate) {
	switch u := u.(type) {
	case *acp.AgentMessage:
		blocks, _ := u.Content.Get()
		for _, b := range blocks {
			if t, ok := b.(*acp.Text); ok {
				fmt.Println(t.Text)
			}
		}
	case *acp.StateUpdate:
		if u.State == acp.StateIdle {
			e.idle <- u.StopReason
		}
	}
}

func (editor) RequestPermission(context.Context, *acp.ClientSession, *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
	return acp.Cancelled(), nil
}

// An agent and a client, and a skill between them. In a program the agent's
// stream is jsonrpc.Join(os.Stdin, os.Stdout), and the client's the pipes of the
// agent's process.
func Example() {
	ctx := context.Background()
	clientEnd, agentEnd := net.Pipe()

	agent := acp.NewAgent(greeter{}, &acp.AgentOptions{
		Info:   acp.Implementation{Name: "greeter", Version: "1.0.0"},
		Skills: acp.SkillSupport{Skill: true},
	})
	served := make(chan error)
	go func() { served <- agent.Serve(ctx, agentEnd) }()

	e := editor{idle: make(chan string, 1)}
	conn, err := acp.NewClient(e, &acp.ClientOptions{
		Info:         acp.Implementation{Name: "editor", Version: "1.0.0"},
		Capabilities: acp.SkillClient(),
	}).Connect(ctx, clientEnd)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, _, err := conn.NewSession(ctx, &acp.NewSessionRequest{Cwd: "/home/alice"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, skill := range s.Skills() {
		fmt.Println("skill:", skill.Name)
	}
	if _, err := s.Prompt(ctx, acp.SkillBlock("greet"), acp.TextBlock("Say hello to Bob")); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("stopped:", <-e.idle)

	_, err = s.Prompt(ctx, acp.TextBlock("and with "), acp.SkillBlock("greet"))
	fmt.Println(err)

	_ = conn.Close()
	<-served
	// Output:
	// skill: greet
	// I follow the skill greet.
	// stopped: end_turn
	// prompt[1]: a skill block can only be the first block (the agent did not advertise session.prompt.skill.inline) [ACP-P2]
}

func ExampleCheckPrompt() {
	list := []acp.AvailableCommand{&acp.Skill{Name: "pdf", Description: "Read PDF files"}}
	prompt := []byte(`[{"type":"text","text":"Use "},{"type":"skill","name":"PDF"}]`)

	_, err := acp.CheckPrompt(prompt, acp.SkillSupport{Skill: true, Inline: true}, acp.ResolveIn(list))
	fmt.Println(err)
	// Output:
	// prompt[1]: no skill of this session is named "PDF"; did you mean "pdf"? [ACP-P4]
}
