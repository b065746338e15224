// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

func listRequest(cwd, cursor string) *acp.ListSessionsRequest {
	return &acp.ListSessionsRequest{Cwd: cwd, Cursor: cursor}
}

func opened(t *testing.T, opts Options, capabilities string) *peer {
	t.Helper()
	p := serve(t, newWorkspace(t), opts)
	writeSkill(t, p.ws, "tdd", "", "Test first.")
	p.initialize(capabilities)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	return p
}

// A change on disk sends the whole list once (ACP-A8), to each client in the
// form that it understands (ACP-A1, ACP-A2).
func TestChangesOnDisk_ACP_A8_B12(t *testing.T) {
	for capabilities, entry := range map[string]string{
		withSkills: `{"type":"skill","name":"NAME","description":"Does NAME","path":"$WS/.agents/skills/NAME/SKILL.md"}`,
		without:    `{"type":"command","name":"NAME","description":"Does NAME"}`,
	} {
		p := opened(t, Options{}, capabilities)
		list := func(names ...string) string {
			var entries []string
			for _, n := range names {
				entries = append(entries, strings.ReplaceAll(entry, "NAME", n))
			}
			return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S1","update":{"sessionUpdate":"available_commands_update","availableCommands":[` + strings.Join(entries, ",") + `]}}}`
		}
		writeSkill(t, p.ws, "csv", "", "")
		same(t, p.update(), list("csv", "tdd"))
		if err := os.Rename(filepath.Join(p.ws, ".agents"), filepath.Join(p.ws, "gone")); err != nil {
			t.Fatal(err)
		}
		same(t, p.update(), list())
		p.quiet()
	}
}

// A skill that is deleted, or becomes the model's alone, is refused at once and
// not only when the change was noticed.
func TestSkillsAreReadAtActivation_ACT2_ACP_P4(t *testing.T) {
	// Nothing is noticed during this test.
	slow := catalog.NewStore(&catalog.StoreOptions{Debounce: time.Hour, PollInterval: time.Hour})
	defer slow.Close()
	p := opened(t, Options{Store: slow}, withSkills)
	const prompt = `{"sessionId":"S1","prompt":[{"type":"text","text":"a"},{"type":"skill","name":"tdd"}]}`

	writeSkill(t, p.ws, "tdd", "", "Test last.")
	p.call(2, "session/prompt", prompt)
	if got := answerOf(t, p.until(`"idle"`)); !strings.Contains(got, "Test last.") {
		t.Errorf("got %s", got)
	}
	p.response(2)

	refuse := func(id int) {
		t.Helper()
		p.call(id, "session/prompt", prompt)
		got := p.response(id)
		for _, want := range []string{"-32602", "ACP-P4", `"block":1`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s is not in %s", want, got)
			}
		}
		p.quiet()
	}
	writeSkill(t, p.ws, "tdd", "user-invocable: false\n", "")
	refuse(3)
	if err := os.RemoveAll(filepath.Join(p.ws, ".agents")); err != nil {
		t.Fatal(err)
	}
	refuse(4)
}

// The same for a command is no reason to refuse the prompt, since it is text.
func TestACommandThatIsGone_ACP_P8(t *testing.T) {
	slow := catalog.NewStore(&catalog.StoreOptions{Debounce: time.Hour, PollInterval: time.Hour})
	defer slow.Close()
	p := opened(t, Options{Store: slow}, without)
	if err := os.RemoveAll(filepath.Join(p.ws, ".agents")); err != nil {
		t.Fatal(err)
	}
	p.call(2, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"/tdd now"}]}`)
	if got := answerOf(t, p.until(`"idle"`)); !strings.Contains(got, "The skill `tdd` was not loaded") {
		t.Errorf("got %s", got)
	}
	p.response(2)
	p.quiet()
}

// Each session has the skills of its own directories (C04).
func TestSessionsHaveTheirOwnSkills_C04(t *testing.T) {
	p := serve(t, newWorkspace(t), Options{})
	for _, name := range []string{"one", "two"} {
		writeSkill(t, filepath.Join(p.ws, name), name, "", "")
	}
	p.initialize(withSkills)
	for i, name := range []string{"one", "two"} {
		p.call(i, "session/new", `{"cwd":"$WS/`+name+`"}`)
		if got := p.response(i); strings.Count(got, `"skill"`) != 1 || !strings.Contains(got, `"name":"`+name+`"`) {
			t.Errorf("got %s", got)
		}
	}
	p.call(3, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"skill","name":"two"}]}`)
	if got := p.response(3); !strings.Contains(got, "-32602") {
		t.Errorf("got %s", got)
	}
}

// recorder is a client that keeps what it is told.
type recorder struct {
	mu      sync.Mutex
	updates []acp.SessionUpdate
	idle    chan string
}

func (r *recorder) SessionUpdate(_ context.Context, _ *acp.ClientSession, u acp.SessionUpdate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.updates = append(r.updates, u)
	if s, ok := u.(*acp.StateUpdate); ok && s.State == acp.StateIdle {
		r.idle <- s.StopReason
	}
}

func (r *recorder) RequestPermission(context.Context, *acp.ClientSession, *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
	return acp.Cancelled(), nil
}

// Serve and the package's own client understand each other.
func TestClient(t *testing.T) {
	ctx := context.Background()
	ws := newWorkspace(t)
	writeSkill(t, ws, "tdd", "", "Test first.")
	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, theirs, nil) }()
	r := &recorder{idle: make(chan string, 8)}
	conn, err := acp.NewClient(r, &acp.ClientOptions{
		Info: acp.Implementation{Name: "c", Version: "1"}, Capabilities: acp.SkillClient(),
	}).Connect(ctx, ours)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := conn.NewSession(ctx, &acp.NewSessionRequest{Cwd: ws})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Skills(); len(got) != 1 || got[0].Name != "tdd" {
		t.Errorf("skills: %+v", got)
	}
	resp, err := s.Prompt(ctx, acp.TextBlock("with "), acp.SkillBlock("tdd"))
	if err != nil {
		t.Fatal(err)
	}
	if reason := <-r.idle; reason != acp.StopEndTurn {
		t.Errorf("stopped for %q", reason)
	}
	r.mu.Lock()
	if m, ok := r.updates[0].(*acp.UserMessage); !ok || m.MessageID != resp.MessageID {
		t.Errorf("got %+v", r.updates[0])
	}
	r.updates = nil
	r.mu.Unlock()

	fork, _, err := s.Fork(ctx, &acp.ForkSessionRequest{Cwd: ws})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.ResumeSession(ctx, &acp.ResumeSessionRequest{SessionID: s.ID(), Cwd: ws, ReplayFrom: &acp.ReplayFromStart{}}); err != nil {
		t.Fatal(err)
	}
	list, err := conn.ListSessions(ctx, &acp.ListSessionsRequest{})
	if err != nil || len(list.Sessions) != 2 {
		t.Errorf("got %+v, %v", list, err)
	}
	if err := conn.DeleteSession(ctx, fork.ID()); err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	if len(r.updates) != 4 {
		t.Errorf("the replay had %d updates", len(r.updates))
	}
	r.mu.Unlock()
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
