// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kept is a directory with one session, in which a skill was invoked in the
// middle of a prompt, and the session's id.
func kept(t *testing.T, ws string) (dir, id string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "state")
	writeSkill(t, ws, "tdd", "", "Test first.")
	p := serve(t, ws, Options{StateDir: dir})
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	p.call(2, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"with ","x":1},{"type":"skill","name":"tdd","_meta":{"big":12345678901234567890}},{"type":"image","data":"AA==","mimeType":"image/png"}]}`)
	p.until(`"idle"`)
	id = p.real("S1")
	p.stop()
	return dir, id
}

func resume(t *testing.T, ws, dir, id, capabilities string) (p *peer, replay []string) {
	t.Helper()
	p = serve(t, ws, Options{StateDir: dir})
	p.initialize(capabilities)
	p.call(1, "session/resume", `{"sessionId":"`+id+`","cwd":"$WS","replayFrom":{"type":"start"}}`)
	replay = p.until("state_update")
	return p, replay
}

// Another process replays the session, before it answers.
func TestResumeInAnotherProcess_ACP_P6_C03(t *testing.T) {
	ws := newWorkspace(t)
	dir, id := kept(t, ws)
	p, got := resume(t, ws, dir, id, withSkills)
	if len(got) != 4 {
		t.Fatalf("got %s", strings.Join(got, "\n"))
	}
	same(t, got[0], `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S1","update":{"sessionUpdate":"user_message","messageId":"M1","content":[{"type":"text","text":"with ","x":1},{"type":"skill","name":"tdd","_meta":{"big":12345678901234567890}},{"type":"image","data":"AA==","mimeType":"image/png"}]}}}`)
	if !strings.Contains(got[1], `"agent_message"`) || !strings.Contains(got[1], "Test first.") {
		t.Errorf("got %s", got[1])
	}
	same(t, got[2], `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S1","update":{"sessionUpdate":"session_info_update","title":"with tdd"}}}`)
	same(t, got[3], `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S1","update":{"sessionUpdate":"state_update","state":"idle"}}}`)
	same(t, p.next(), `{"jsonrpc":"2.0","id":1,"result":{"configOptions":"CONFIG","availableCommands":[{"type":"skill","name":"tdd","description":"Does tdd","path":"$WS/.agents/skills/tdd/SKILL.md"}]}}`)

	// The skill is still in the context, unless it is another one now (ACT-5).
	p.call(2, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"skill","name":"tdd"}]}`)
	if got := answerOf(t, p.until(`"idle"`)); !strings.Contains(got, "unchanged") {
		t.Errorf("got %s", got)
	}
	writeSkill(t, ws, "tdd", "", "Test last.")
	p.call(3, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"skill","name":"tdd"}]}`)
	if got := answerOf(t, p.until(`"idle"`)); !strings.Contains(got, "Test last.") {
		t.Errorf("got %s", got)
	}
	p.response(2)
	p.response(3)
	p.quiet()
}

func TestReplayToAClientWithoutSkills_ACP_P7(t *testing.T) {
	ws := newWorkspace(t)
	dir, id := kept(t, ws)
	p, got := resume(t, ws, dir, id, without)
	same(t, got[0], `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S1","update":{"sessionUpdate":"user_message","messageId":"M1","content":[{"type":"text","text":"with ","x":1},{"type":"text","text":"/tdd "},{"type":"image","data":"AA==","mimeType":"image/png"}]}}}`)
	same(t, p.next(), `{"jsonrpc":"2.0","id":1,"result":{"configOptions":"CONFIG","availableCommands":[{"type":"command","name":"tdd","description":"Does tdd"}]}}`)
	p.quiet()
}

// What is kept is the user's alone.
func TestFilesAreTheUsersAlone(t *testing.T) {
	dir, id := kept(t, newWorkspace(t))
	if !onUnix() {
		t.Skip("Windows has no permission bits; the directory's own rights count there")
	}
	for path, want := range map[string]os.FileMode{"": 0o700, "sessions": 0o700, "sessions/" + id: 0o700, "sessions/" + id + "/log.jsonl": 0o600} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%q: got %o, want %o", path, got, want)
		}
	}
}

// A session in which nothing was said leaves no file, and one that was deleted
// none either.
func TestNothingToKeep(t *testing.T) {
	ws := newWorkspace(t)
	dir, id := kept(t, ws)
	p := serve(t, ws, Options{StateDir: dir})
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	p.call(2, "session/fork", `{"sessionId":"S1","cwd":"$WS"}`)
	p.response(2)
	p.call(3, "session/close", `{"sessionId":"S1"}`)
	p.response(3)
	p.call(4, "session/delete", `{"sessionId":"`+id+`"}`)
	p.response(4)
	entries, err := os.ReadDir(filepath.Join(dir, "sessions"))
	if err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	p.quiet()
}

// A crash leaves half a line. It costs that line, and what comes after it is
// read again.
func TestTornTail(t *testing.T) {
	ws := newWorkspace(t)
	dir, id := kept(t, ws)
	file := filepath.Join(dir, "sessions", id, logName)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"type":"user","messageId":"torn","conte`); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()

	p, before := resume(t, ws, dir, id, withSkills)
	p.call(2, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"after"}]}`)
	p.until(`"idle"`)
	p.stop()
	_, after := resume(t, ws, dir, id, withSkills)
	if len(before) != 4 || len(after) != 6 || !strings.Contains(after[2], "after") {
		t.Errorf("before: %s\nafter: %s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// A message that cannot be kept is refused, and not half there.
func TestAMessageThatCannotBeKept(t *testing.T) {
	ws := newWorkspace(t)
	state := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(state, nil, 0o600); err != nil { // where a directory should be
		t.Fatal(err)
	}
	p := serve(t, ws, Options{StateDir: state})
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	p.call(2, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"hello"}]}`)
	if got := p.response(2); !strings.Contains(got, "-32603") || !strings.Contains(got, "cannot be kept") || !strings.Contains(got, "--state none") {
		t.Errorf("got %s", got)
	}
	p.quiet()
	if p.session("S1").history.said() {
		t.Error("the message is in the history")
	}
}

func TestListInPages(t *testing.T) {
	ws := newWorkspace(t)
	dir, id := kept(t, ws)
	all := map[string]bool{id: true}
	for i := range 2*pageSize - 1 {
		other := fmt.Sprintf("sess_%d", i)
		all[other] = true
		write(t, dir, "sessions/"+other+"/"+logName, `{"type":"session","version":1,"sessionId":"`+other+`","cwd":"/`+fmt.Sprint(i%2)+`"}`+"\n")
	}
	// What is none of ours is not listed.
	write(t, dir, "sessions/other.txt", "")
	write(t, dir, "sessions/empty/log.jsonl", "")
	write(t, dir, "sessions/moved/log.jsonl", `{"type":"session","version":1,"sessionId":"sess_1","cwd":"/"}`+"\n")
	write(t, dir, "sessions/newer/log.jsonl", `{"type":"session","version":2,"sessionId":"newer","cwd":"/"}`+"\n")

	a := newArchive(dir, newHandler(nil).log)
	for _, cwd := range []string{"", "/0"} {
		found, cursor := 0, ""
		for page := 0; ; page++ {
			got, err := a.page(listRequest(cwd, cursor))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range got.Sessions {
				if !all[s.SessionID] || cwd != "" && s.Cwd != cwd {
					t.Errorf("listed %+v", s)
				}
				found++
			}
			if cursor = got.NextCursor; cursor == "" {
				break
			}
			if page > 10 {
				t.Fatal("the pages do not end")
			}
		}
		if want := map[string]int{"": 2 * pageSize, "/0": pageSize}[cwd]; found != want {
			t.Errorf("cwd %q: found %d, want %d", cwd, found, want)
		}
	}
}
