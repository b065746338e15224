// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/internal/scriptmodel"
)

// withModel is a peer with a session S1 whose agent uses a scripted model, in a trusted
// workspace.
func withModel(t *testing.T, m *scripted, opts Options) *peer {
	t.Helper()
	m.use(&opts)
	if opts.Catalog.Trusted == nil {
		opts.Catalog.Trusted = func(string) bool { return true }
	}
	p := serve(t, newWorkspace(t), opts)
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	return p
}

// say sends a prompt and waits until it is inserted.
func (p *peer) say(id int, text string) {
	p.t.Helper()
	p.call(id, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"`+text+`"}]}`)
	if got := p.response(id); !strings.Contains(got, "result") {
		p.t.Fatalf("got %s", got)
	}
}

// asked is the next question, past other updates.
func (p *peer) asked() (id string, question string) {
	p.t.Helper()
	all := p.until("request_permission")
	question = all[len(all)-1]
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(question), &m); err != nil {
		p.t.Fatal(err)
	}
	return string(m.ID), question
}

func (p *peer) answer(id, option string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}}`)
}

// swallow reads what comes and forgets it, for tests that look at the agent alone.
func (p *peer) swallow() {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if _, err := p.in.Next(); err != nil {
				return
			}
		}
	}()
	p.t.Cleanup(func() { p.stop(); <-ended })
}

// calls is a line of a script.
func calls(name, arguments string) string {
	return `{"calls":[{"name":"` + name + `","arguments":` + arguments + `}]}` + "\n"
}

// A server that stalls, drops, sends garbage, or answers 429 and 500: the session survives
// each, with a message that says what to do.
func TestServersThatFail(t *testing.T) {
	const good = `data: {"object":"c","choices":[{"index":0,"delta":{"content":"fine"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	const half = `data: {"object":"c","choices":[{"index":0,"delta":{"content":"ha"},"finish_reason":null}]}` + "\n\n"
	var now atomic.Value
	now.Store("good")
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		switch now.Load() {
		case "good":
			_, _ = io.WriteString(w, good)
		case "stalls":
			_, _ = io.WriteString(w, half)
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-done:
			}
		case "drops":
			_, _ = io.WriteString(w, half)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "garbage":
			_, _ = io.WriteString(w, "data: <<<<\n\n")
		case "429":
			http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
		case "500":
			http.Error(w, "oops", http.StatusInternalServerError)
		}
	}))
	defer s.Close()
	defer close(done)
	env := func(name string) string {
		if name == "OPENAI_BASE_URL" {
			return s.URL
		}
		return ""
	}
	p := serve(t, newWorkspace(t), Options{Models: []string{"openai:m", "openai:impatient"}, OpenModel: func(spec string) (model.Model, error) {
		o := &model.Options{Env: env, FirstWait: time.Millisecond, Attempts: 2}
		if spec == "openai:impatient" {
			o.Silence = time.Second
		}
		return model.Open(spec, o)
	}})
	choose := func(id int, spec string) {
		p.call(id, "session/set_config_option", `{"sessionId":"S1","configId":"model","type":"id","value":"`+spec+`"}`)
		p.response(id)
	}
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	id := 2
	for how, advice := range map[string]string{
		"stalls": "Send the prompt again", "drops": "go on", "garbage": "OPENAI_BASE_URL", "429": "Wait a little", "500": "choose another model",
	} {
		now.Store(how)
		if how == "stalls" {
			choose(100, "openai:impatient")
		}
		p.say(id, how)
		all := p.until(`"idle"`)
		choose(101, "openai:m")
		last := all[len(all)-1]
		if !strings.Contains(last, `"stopReason":"error"`) || !strings.Contains(last, advice) {
			t.Errorf("%s: got %s", how, last)
		}
		now.Store("good")
		p.say(id+1, "and now?")
		if got := answerOf(t, p.until(`"end_turn"`)); got != "fine" {
			t.Errorf("after %s: got %s", how, got)
		}
		id += 2
	}
	p.quiet()
}

// A cancellation counts at every point of a turn, with cancelled as the last word, and
// the session works on.
func TestCancelAtEveryPoint(t *testing.T) {
	for name, tt := range map[string]struct {
		script string
		hold   bool
		until  string // the update at which to cancel
	}{
		"while the model thinks":  {hold: true, until: `"running"`},
		"while the user is asked": {script: calls("write_file", `{"path":"x","content":"y"}`), until: "request_permission"},
		"while a command runs":    {script: calls("run_command", `{"command":"echo begun; sleep 1000"}`), until: "YmVndW4K"}, // begun
	} {
		t.Run(name, func(t *testing.T) {
			if !onUnix() && strings.Contains(name, "command") {
				t.Skip("the command is one of a Unix shell")
			}
			release := make(chan struct{})
			defer close(release)
			var answers []scriptmodel.Answer
			if tt.hold {
				answers = []scriptmodel.Answer{{Text: "never said", Hold: release}}
			} else {
				answers = script(t, tt.script).answers
			}
			m := answering(t, func(r scriptmodel.Request) scriptmodel.Answer {
				if r.CountNew("go on") == 0 {
					return answers[0]
				}
				return scriptmodel.Answer{Text: "going on"}
			})
			p := withModel(t, m, Options{})
			p.say(2, "go")
			if tt.until == "YmVndW4K" {
				id, _ := p.asked()
				p.answer(id, optionOnce)
			}
			p.until(tt.until)
			if tt.hold {
				if _, err := m.Wait(t.Context(), func(scriptmodel.Request) bool { return true }); err != nil {
					t.Fatal(err)
				}
			}
			p.notify("session/cancel", `{"sessionId":"S1"}`)
			all := p.until(`"idle"`)
			if last := all[len(all)-1]; !strings.Contains(last, `"stopReason":"cancelled"`) {
				t.Errorf("the last word is %s", last)
			}
			if !tt.hold && !strings.Contains(strings.Join(all, "\n"), `"status":"cancelled"`) {
				t.Errorf("the call was not ended: %s", strings.Join(all, "\n"))
			}
			for len(p.waiting) > 0 && strings.Contains(p.waiting[0], "cancel_request") {
				p.waiting = p.waiting[1:]
			}
			p.say(3, "go on")
			if got := answerOf(t, p.until(`"end_turn"`)); got != "going on" {
				t.Errorf("got %s", got)
			}
			if _, err := os.Stat(filepath.Join(p.ws, "x")); err == nil {
				t.Error("the file was written all the same")
			}
			// What the model is told afterwards is complete.
			last := m.Turns()[len(m.Turns())-1]
			if !tt.hold && last.Count("cancelled") == 0 {
				t.Errorf("the model is not told: %v", last.Texts())
			}
		})
	}
}

// Changes are shown before they are made, and made when the user agrees: once, for the
// session, or not.
func TestChangesAreAsked(t *testing.T) {
	edit := func(old, new string) string {
		return calls("edit_file", fmt.Sprintf(`{"path":"a.txt","old_text":%q,"new_text":%q}`, old, new))
	}
	m := script(t, edit("one", "two")+`{"text":"ok"}`+"\n"+edit("two", "three")+`{"text":"ok"}`+"\n"+edit("two", "four")+edit("four", "five")+calls("write_file", `{"path":"sub/b.txt","content":"new\n"}`)+`{"text":"ok"}`)
	p := withModel(t, m, Options{})
	write(t, p.ws, "a.txt", "zero\none\n")
	content := func() string {
		data, _ := os.ReadFile(filepath.Join(p.ws, "a.txt"))
		return string(data)
	}

	p.say(2, "edit")
	id, question := p.asked()
	if !strings.Contains(question, `"type":"diff"`) || !strings.Contains(question, `--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n zero\n-one\n+two\n`) {
		t.Errorf("the difference is not shown: %s", question)
	}
	if content() != "zero\none\n" {
		t.Error("it was changed before anybody agreed")
	}
	p.answer(id, optionOnce)
	p.until(`"end_turn"`)
	if content() != "zero\ntwo\n" {
		t.Errorf("got %q", content())
	}

	p.say(3, "edit")
	id, _ = p.asked()
	p.answer(id, optionReject)
	all := strings.Join(p.until(`"end_turn"`), "\n")
	if content() != "zero\ntwo\n" || !strings.Contains(all, `"failed"`) {
		t.Errorf("got %q, %s", content(), all)
	}

	p.say(4, "edit")
	id, _ = p.asked()
	p.answer(id, optionAlways)
	all = strings.Join(p.until(`"end_turn"`), "\n") // and no further question
	if content() != "zero\nfive\n" || strings.Contains(all, "request_permission") || !strings.Contains(all, `"operation":"add"`) {
		t.Errorf("got %q, %s", content(), all)
	}
	if data, _ := os.ReadFile(filepath.Join(p.ws, "sub", "b.txt")); string(data) != "new\n" {
		t.Errorf("got %q", data)
	}
	p.quiet()
}

// In mode edits nobody is asked about files, and in mode read there is nothing to ask.
func TestModes(t *testing.T) {
	m := script(t, calls("write_file", `{"path":"a.txt","content":"x"}`)+`{"text":"ok"}`+"\n"+calls("write_file", `{"path":"b.txt","content":"x"}`)+`{"text":"ok"}`)
	p := withModel(t, m, Options{Mode: ModeEdits})
	p.say(2, "write")
	if all := strings.Join(p.until(`"end_turn"`), "\n"); strings.Contains(all, "request_permission") {
		t.Errorf("got %s", all)
	}
	p.call(3, "session/set_config_option", `{"sessionId":"S1","configId":"mode","type":"id","value":"read"}`)
	if got := p.response(3); !strings.Contains(got, `"currentValue":"read"`) {
		t.Errorf("got %s", got)
	}
	p.say(4, "write")
	p.until(`"end_turn"`)
	for name, want := range map[string]bool{"a.txt": true, "b.txt": false} {
		if _, err := os.Stat(filepath.Join(p.ws, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n, want := range map[int]bool{0: true, 2: false} {
		if _, ok := m.Turns()[n].Tool("write_file"); ok != want {
			t.Errorf("request %d has write_file: %v", n, ok)
		}
	}
	p.quiet()
}

// No path leads out of the session's directories, whatever is on the way.
func TestPathsStayInside(t *testing.T) {
	outside := newWorkspace(t)
	write(t, outside, "secret", "the secret")
	p := withModel(t, answering(t, nil), Options{Mode: ModeEdits})
	write(t, p.ws, "inside/file", "in here")
	links := map[string]string{"link": filepath.Join(outside, "secret"), "dir": outside, "up": "..", "inside/to": "file"}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(p.ws, filepath.FromSlash(name))); err != nil {
			t.Skipf("no links can be made here: %v", err)
		}
	}
	s := p.session("S1")
	p.swallow()
	perform := func(name, arguments string) model.Part {
		return s.perform(t.Context(), s.tools(), model.Part{Type: model.Call, ID: "c", Name: name, Input: json.RawMessage(arguments)})
	}
	up := "../" + filepath.Base(outside) + "/secret"
	for _, path := range []string{filepath.Join(outside, "secret"), "link", "dir/secret", up, "up/" + up[3:], "inside/../" + up} {
		arg := `{"path":` + fmt.Sprintf("%q", filepath.ToSlash(path))
		for name, more := range map[string]string{"read_file": "}", "list_directory": "}", "search_files": `,"pattern":"secret"}`, "write_file": `,"content":"x"}`, "edit_file": `,"old_text":"secret","new_text":"x"}`} {
			if got := perform(name, arg+more); !got.Error || strings.Contains(got.Text, "the secret") {
				t.Errorf("%s of %s: %+v", name, path, got)
			}
		}
	}
	if got := perform("search_files", `{"pattern":"secret"}`); got.Text != "Nothing was found." {
		t.Errorf("a search follows links: %+v", got)
	}
	if got := perform("read_file", `{"path":"inside/to"}`); got.Text != "in here" {
		t.Errorf("a link inside: %+v", got)
	}
	if got := perform("write_file", `{"path":"inside/to","content":"changed"}`); got.Error {
		t.Errorf("a link inside: %+v", got)
	}
	if data, _ := os.ReadFile(filepath.Join(p.ws, "inside", "file")); string(data) != "changed" {
		t.Errorf("got %q", data)
	}
	if data, _ := os.ReadFile(filepath.Join(outside, "secret")); string(data) != "the secret" {
		t.Errorf("it was changed: %q", data)
	}
}

func TestReadingTools(t *testing.T) {
	p := withModel(t, answering(t, nil), Options{})
	write(t, p.ws, "a/one.go", "package a\n\nfunc One() {}\n")
	write(t, p.ws, "a/two.txt", "func in a text\n")
	write(t, p.ws, ".git/config", "func hidden\n")
	write(t, p.ws, "binary", "func\x00")
	write(t, p.ws, "empty", "")
	s := p.session("S1")
	p.swallow()
	for _, tt := range []struct{ name, arguments, want string }{
		{"read_file", `{"path":"a/one.go"}`, "package a\n\nfunc One() {}\n"},
		{"read_file", `{"path":"a/one.go","offset":3,"limit":1}`, "func One() {}\n"},
		{"read_file", `{"path":"a/one.go","limit":1}`, "package a\n\n[lines 1 to 1 of 3; go on with offset 2]"},
		{"read_file", `{"path":"a/one.go","offset":9}`, "the file has 3 lines"},
		{"read_file", `{"path":"binary"}`, "this is no text"},
		{"read_file", `{"path":"empty"}`, "(the file is empty)"},
		{"read_file", `{"path":"a"}`, "a cannot be read: is not a regular file"},
		{"list_directory", `{}`, ".git/\na/\nbinary\nempty\n"},
		{"search_files", `{"pattern":"^func"}`, "a/one.go:3: func One() {}\na/two.txt:1: func in a text\n"},
		{"search_files", `{"pattern":"func","include":"*.go"}`, "a/one.go:3: func One() {}\n"},
		{"search_files", `{"include":"*.txt","path":"a"}`, "a/two.txt\n"},
		{"search_files", `{"pattern":"("}`, "the pattern is no regular expression: error parsing regexp: missing closing ): `(`"},
		{"search_files", `{}`, "give a pattern for lines, or include with a pattern for file names such as *.go"},
		{"read_file", `{"path":7}`, "the arguments do not fit: json: cannot unmarshal number into Go struct field .Path of type string"},
		{"nothing", `{}`, `there is no tool "nothing"`},
		{"read_file", `"half"`, "the arguments are no JSON object"},
	} {
		if got := s.perform(t.Context(), s.tools(), model.Part{Type: model.Call, ID: "c", Name: tt.name, Input: json.RawMessage(tt.arguments)}); got.Text != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.name, tt.arguments, got.Text, tt.want)
		}
	}
}
