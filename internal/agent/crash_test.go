// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/internal/agent/model"
)

// childVariable makes this test's program an agent on standard input and output, with
// its state in the directory that it names.
const childVariable = "SKILLGRAFT_AGENT_TEST_STATE"

type stdStream struct {
	io.Reader
	io.Writer
}

func (stdStream) Close() error { return os.Stdin.Close() }

func child() int {
	opts := &Options{
		StateDir: os.Getenv(childVariable), Models: []string{"openai:slow"}, Mode: ModeEdits,
		OpenModel: func(spec string) (model.Model, error) { return model.Open(spec, nil) },
	}
	opts.Catalog.Trusted = func(string) bool { return true }
	if err := Serve(context.Background(), stdStream{os.Stdin, os.Stdout}, opts); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A life is the time of one agent's process.
type life struct {
	t     *testing.T
	cmd   *exec.Cmd
	to    io.WriteCloser
	lines chan string // closed when the process is gone
	ids   int
	view  *view
}

func begin(t *testing.T, state, url string) *life {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := &life{t: t, lines: make(chan string), view: &view{}}
	l.cmd = exec.Command(exe)
	l.cmd.Env = append(os.Environ(), childVariable+"="+state, "OPENAI_BASE_URL="+url, "OPENAI_API_KEY=k")
	l.cmd.Stderr = os.Stderr
	if l.to, err = l.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(l.lines)
		for in := bufio.NewReader(out); ; {
			line, err := in.ReadString('\n')
			if err != nil {
				return // what is cut off is no message
			}
			l.lines <- line
		}
	}()
	l.call("initialize", `{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":`+withSkills+`}`)
	return l
}

func (l *life) send(method, params string) (id int) {
	l.ids++
	// The process may be gone already, which reading will tell.
	_, _ = fmt.Fprintf(l.to, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", l.ids, method, params)
	return l.ids
}

// call sends a request and reads until its answer.
func (l *life) call(method, params string) json.RawMessage {
	l.t.Helper()
	id := l.send(method, params)
	for {
		m, ok := l.next()
		if !ok {
			l.t.Fatalf("the agent is gone in %s", method)
		}
		if m.Method == "" && string(m.ID) == fmt.Sprint(id) {
			if m.Error != nil {
				l.t.Fatalf("%s: %s", method, m.Error)
			}
			return m.Result
		}
	}
}

type anyMessage struct {
	ID            json.RawMessage
	Method        string
	Params        struct{ Update json.RawMessage }
	Result, Error json.RawMessage
}

// next reads a message, and looks at it as a client does. ok is false when the process is
// gone.
func (l *life) next() (m anyMessage, ok bool) {
	l.t.Helper()
	line, ok := <-l.lines
	if !ok {
		return m, false
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		l.t.Fatalf("%v in %s", err, line)
	}
	if m.Params.Update != nil {
		l.view.see(l.t, m.Params.Update)
	}
	return m, true
}

// kill kills the process and reads what it has said.
func (l *life) kill() {
	l.t.Helper()
	_ = l.cmd.Process.Kill()
	for {
		if _, ok := l.next(); !ok {
			break
		}
	}
	_ = l.cmd.Wait()
	_ = l.to.Close()
}

// open opens a session and lets it have one whole turn, so that there is something to
// resume.
func (l *life) open(ws string) (id, prompt string) {
	l.t.Helper()
	var opened struct{ SessionID string }
	if err := json.Unmarshal(l.call("session/new", `{"cwd":"`+inJSON(ws)+`"}`), &opened); err != nil {
		l.t.Fatal(err)
	}
	prompt = fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"Do it "},{"type":"skill","name":"tdd"}]}`, opened.SessionID)
	l.call("session/prompt", prompt)
	for l.view.turns == 0 {
		if _, ok := l.next(); !ok {
			l.t.Fatal("the agent is gone")
		}
	}
	return opened.SessionID, prompt
}

// A view is a session as its client has it, as one text to which everything that comes
// adds, so that a replay can be compared with it.
type view struct {
	text     strings.Builder
	last     string // the message to which pieces are added
	complete int    // how much of the text belongs to turns that have ended
	turns    int
}

func (v *view) see(t *testing.T, raw json.RawMessage) {
	t.Helper()
	var u struct {
		SessionUpdate, MessageID, State, Status, Title string
		Content                                        json.RawMessage
	}
	if err := json.Unmarshal(raw, &u); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	switch u.SessionUpdate {
	case "state_update":
		if u.State == "idle" {
			v.complete = v.text.Len()
			v.turns++
		}
	case "session_info_update", "usage_update", "available_commands_update":
	case "agent_message_chunk", "agent_thought_chunk", "agent_message", "agent_thought":
		var content []struct{ Text string }
		if strings.HasSuffix(u.SessionUpdate, "_chunk") {
			u.Content = json.RawMessage("[" + string(u.Content) + "]")
		}
		if err := json.Unmarshal(u.Content, &content); err != nil {
			t.Fatal(err)
		}
		if v.last != u.MessageID {
			v.last = u.MessageID
			v.text.WriteString("\n" + strings.TrimSuffix(u.SessionUpdate, "_chunk") + " " + u.MessageID + ": ")
		}
		v.text.WriteString(content[0].Text)
	default:
		if u.Status == "cancelled" && u.Title == "" {
			return // a call that the end of the process has ended
		}
		v.last = ""
		v.text.WriteString("\n" + sorted(t, string(raw)))
	}
}

// slowModel is a server of Chat Completions that thinks, calls a tool of each kind, and
// answers, in many small pieces.
func slowModel(t *testing.T) string {
	chunk := func(w http.ResponseWriter, delta string, finish string) {
		fmt.Fprintf(w, `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
		w.(http.Flusher).Flush()
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct {
				Role    string
				Content any
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		steps := 0 // of this turn
		for _, m := range body.Messages {
			switch m.Role {
			case "user":
				steps = 0
			case "assistant":
				steps++
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 5 {
			chunk(w, fmt.Sprintf(`{"reasoning_content":"thought %d "}`, i), "null")
		}
		for i := range 10 {
			chunk(w, fmt.Sprintf(`{"content":"word %d "}`, i), "null")
		}
		calls := []string{
			`{"name":"activate_skill","arguments":"{\"name\":\"tdd\"}"}`,
			`{"name":"write_file","arguments":"{\"path\":\"notes.txt\",\"content\":\"` + fmt.Sprint(len(body.Messages)) + `\"}"}`,
			`{"name":"update_plan","arguments":"{\"entries\":[{\"content\":\"do it\",\"status\":\"pending\"}]}"}`,
		}
		if steps < len(calls) {
			chunk(w, `{"tool_calls":[{"index":0,"id":"call_0","function":`+calls[steps]+`}]}`, "null")
			chunk(w, `{}`, `"tool_calls"`)
			return
		}
		chunk(w, `{}`, `"stop"`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// The agent is killed at any moment. The session can be resumed each time; what is
// replayed is what the client saw, up to some point; and that point is not before the
// last turn that has ended.
func TestKilledAtAnyMoment(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 20
	}
	ws, state, url := newWorkspace(t), filepath.Join(t.TempDir(), "state"), slowModel(t)
	writeSkill(t, ws, "tdd", "", "Test first.")
	l := begin(t, state, url)
	id, prompt := l.open(ws)
	turns, shortest := 0, 0
	for n := range kills {
		if n%25 == 24 {
			l.view = &view{}
			id, prompt = l.open(ws) // a short history again
		}
		// From right behind the prompt to well into the next turn.
		for range 3 {
			l.send("session/prompt", prompt)
		}
		moment := rand.IntN(150) // each of the prompts makes more than 60
		for range moment {
			if _, ok := l.next(); !ok {
				t.Fatal("the agent is gone")
			}
		}
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond) // within a message, too
		l.kill()
		saw := l.view

		l = begin(t, state, url)
		resume := fmt.Sprintf(`{"sessionId":%q,"cwd":"%s","replayFrom":{"type":"start"}}`, id, inJSON(ws))
		l.call("session/resume", resume)
		replayed := l.view.text.String()
		if !strings.HasPrefix(saw.text.String(), replayed) {
			t.Fatalf("kill %d, after %d messages: the replay is not what the client saw\nreplay: %s\nsaw: %s", n, moment, tail(replayed), tail(saw.text.String()))
		}
		if len(replayed) < saw.complete {
			t.Fatalf("kill %d, after %d messages: %d bytes of turns that had ended are lost", n, moment, saw.complete-len(replayed))
		}
		turns += saw.turns
		if len(replayed) < saw.text.Len() {
			shortest++
		}
	}
	l.kill()
	t.Logf("%d kills; %d turns had ended; %d times something of the unfinished turn was lost", kills, turns, shortest)
}

func tail(s string) string { return s[max(0, len(s)-1500):] }
