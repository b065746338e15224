// SPDX-License-Identifier: Apache-2.0

package acpskill_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

type attached struct {
	acp.AgentHandler
	store *catalog.Store
}

func (a attached) NewSession(ctx context.Context, s *acp.AgentSession, r *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
	_, err := acpskill.Attach(ctx, s, a.store, acpskill.SessionOptions{Catalog: catalog.Options{Workspace: []string{r.Cwd}}},
		&acp.Command{Name: "compact", Description: "Make it short"})
	return &acp.NewSessionResponse{}, err
}

func (attached) CloseSession(context.Context, *acp.AgentSession) error { return nil }

type lists struct {
	acp.ClientHandler
	got chan []acp.AvailableCommand
}

func (l lists) SessionUpdate(_ context.Context, _ *acp.ClientSession, u acp.SessionUpdate) {
	if u, ok := u.(*acp.AvailableCommandsUpdate); ok {
		l.got <- u.AvailableCommands
	}
}

func writeSkill(t *testing.T, ws, name string) {
	t.Helper()
	dir := filepath.Join(ws, ".agents", "skills", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: " + name + "\ndescription: About it. Use when asked.\n---\nBODY\n"
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func namesOf(list []acp.AvailableCommand) map[string]bool {
	out := map[string]bool{}
	for _, c := range list {
		_, isSkill := c.(*acp.Skill)
		out[c.EntryName()] = isSkill
	}
	return out
}

// The list is part of the setup response and follows the disk (ACP-A8); the
// agent's own command keeps its name (ACP-A4).
func TestAttach_ACP_A4_A8(t *testing.T) {
	ws := t.TempDir()
	writeSkill(t, ws, "greet")
	writeSkill(t, ws, "compact")
	store := catalog.NewStore(nil)
	agent := acp.NewAgent(attached{store: store}, &acp.AgentOptions{
		Info: acp.Implementation{Name: "a", Version: "1"}, Skills: acp.SkillSupport{Skill: true, Inline: true},
	})
	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- agent.Serve(context.Background(), theirs) }()
	h := lists{got: make(chan []acp.AvailableCommand, 8)}
	client := acp.NewClient(h, &acp.ClientOptions{Info: acp.Implementation{Name: "c", Version: "1"}, Capabilities: acp.SkillClient()})
	conn, err := client.Connect(t.Context(), ours)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := conn.NewSession(t.Context(), &acp.NewSessionRequest{Cwd: ws})
	if err != nil {
		t.Fatal(err)
	}
	first := namesOf(s.Commands())
	if skill, ok := first["compact"]; !ok || skill || !first["greet"] || len(first) != 3 {
		t.Errorf("the first list is %v", first)
	}
	writeSkill(t, ws, "leave")
	for list := range h.got { // until it is there, in whatever steps
		if namesOf(list)["leave"] {
			break
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	_ = conn.Close()
	<-served
	store.Close() // nothing of the session holds it any more
}
