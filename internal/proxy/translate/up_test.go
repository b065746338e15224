// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// TestUp plays the scripts under testdata/up against an Up alone. A script is a
// txtar archive: prose, and a file "script" of lines, played in order:
//
//	client> LINE        the client sends the line
//	agent> LINE         the agent sends the line
//	client< LINE        the client gets exactly this line next
//	agent< LINE         likewise the agent; the order of both is that of the queues
//	hello CAPABILITIES  initializes: the agent answers version 1 with these
//	new ID [MEMBERS]    session/new in /ws; members are those of the agent's result.
//	                    Of hello and new nothing has to be said further
//	patience            the time is over for which a silent agent is waited for
//
// The member "jsonrpc" is left out everywhere. With -update what comes out is
// written into the script. Whatever comes out has to be what the version of its
// reader requires.
func TestUp(t *testing.T) {
	files, err := filepath.Glob("testdata/up/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i := range ar.Files {
				f := &ar.Files[i]
				want := string(f.Data)
				got := playUp(t, want)
				switch {
				case got == want:
				case *updateScripts:
					f.Data = []byte(got)
				default:
					t.Errorf("the script says\n%s\nand this is what happened\n%s", want, got)
				}
			}
			if *updateScripts && !t.Failed() {
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// playUp plays a script and returns it as it should be.
func playUp(t *testing.T, script string) string {
	p := newUpPlayer(t)
	defer p.up.Close()
	var out strings.Builder
	for line := range strings.Lines(script) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		quiet := false
		switch word {
		case "client<", "agent<":
			continue
		case "client>":
			p.client(rest)
		case "agent>":
			p.agent(rest)
		case "hello":
			quiet = true
			p.hello(rest)
		case "new":
			quiet = true
			id, members, _ := strings.Cut(rest, " ")
			p.new(id, members)
		case "patience":
			p.fire()
		case "", "#":
		default:
			t.Fatalf("the script has the line %q", line)
		}
		out.WriteString(line)
		for _, l := range p.take() {
			if !quiet {
				out.WriteString(l + "\n")
			}
		}
	}
	return out.String()
}

// upFailer is a test of the testing package or of rapid.
type upFailer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// upPlayer is an Up and what came out of it.
type upPlayer struct {
	t      upFailer
	up     *Up
	tokens int
	// anything says that both sides may send what is malformed: then a reader
	// may have to forgive a part of what comes out.
	anything bool

	mu      sync.Mutex
	out     []string
	methods map[jsonrpc.ID]string // of the client's open requests
	owns    map[string]jsonrpc.ID // the last request that the agent got, by method
	timers  []*func()             // one that was stopped is nil
}

func newUpPlayer(t upFailer) *upPlayer {
	p := &upPlayer{t: t, methods: map[jsonrpc.ID]string{}, owns: map[string]jsonrpc.ID{}}
	p.up = NewUp(&UpOptions{
		ToClient: p.toClient, ToAgent: p.toAgent,
		After: func(_ time.Duration, f func()) func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			timer := &f
			p.timers = append(p.timers, timer)
			return func() { *timer = nil }
		},
		Token: func() string { p.tokens++; return fmt.Sprintf("T%d", p.tokens) },
	})
	return p
}

func (p *upPlayer) fire() {
	p.mu.Lock()
	timers := p.timers
	p.timers = nil
	p.mu.Unlock()
	for _, f := range timers {
		if *f != nil {
			(*f)()
		}
	}
}

func (p *upPlayer) take() []string {
	out := p.out
	p.out = nil
	return out
}

func (p *upPlayer) client(line string) {
	m := p.scan(line)
	if m.Kind == jsonrpc.Request {
		p.methods[m.ID.Plain()] = m.Method
	}
	p.up.FromClient(m)
}

func (p *upPlayer) agent(line string) { p.up.FromAgent(p.scan(line)) }

func (p *upPlayer) scan(line string) jsonrpc.Message {
	m := jsonrpc.Scan([]byte(`{"jsonrpc":"2.0",` + strings.TrimPrefix(line, "{")))
	if m.Kind == jsonrpc.Invalid {
		p.t.Fatalf("this is no message: %s: %v", line, m.Problem)
	}
	return m
}

func (p *upPlayer) hello(caps string) {
	if caps == "" {
		caps = "{}"
	}
	p.client(`{"id":"hello","method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}`)
	p.agent(`{"id":"hello","result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"agentCapabilities":` + caps + `}}`)
}

func (p *upPlayer) new(id, members string) {
	p.client(fmt.Sprintf(`{"id":"new %s","method":"session/new","params":{"cwd":"/ws"}}`, id))
	if members != "" {
		members = "," + members
	}
	p.agent(fmt.Sprintf(`{"id":%s,"result":{"sessionId":%q%s}}`, p.owns["session/new"], id, members))
}

func (p *upPlayer) toClient(m jsonrpc.Message) {
	method := m.Method
	if m.Kind == jsonrpc.Response {
		method = p.methods[m.ID.Plain()]
		if delete(p.methods, m.ID.Plain()); method == "" {
			p.t.Errorf("the client gets an answer to a request that it did not make, or twice: %s", m.Raw)
		}
	}
	checkForClient(p.t, m, method, !p.anything)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = append(p.out, "client< "+short(m))
}

func (p *upPlayer) toAgent(m jsonrpc.Message) {
	if m.Kind == jsonrpc.Request {
		p.owns[m.Method] = m.ID
	}
	if p.up.Active() && !p.anything {
		checkForAgent(p.t, m)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = append(p.out, "agent< "+short(m))
}

func short(m jsonrpc.Message) string {
	return strings.Replace(string(m.Raw), `"jsonrpc":"2.0",`, "", 1)
}

// checkForClient holds a message for the client against version 2. With strict a
// part that a reader would forgive is an error: what was read has to be all there
// is.
func checkForClient(t upFailer, m jsonrpc.Message, method string, strict bool) {
	t.Helper()
	if again := jsonrpc.Scan(m.Raw); again.Kind != m.Kind || bytes.ContainsAny(m.Raw, "\n\r") {
		t.Errorf("this is no %v: %s", m.Kind, m.Raw)
	}
	if m.Kind != jsonrpc.Response {
		switch method {
		case acp.MethodUpdate:
			checkValue(t, m.Params(), strict, &acp.UpdateNotification{})
		case acp.MethodRequestPermission:
			checkValue(t, m.Params(), strict, &acp.RequestPermissionRequest{})
		}
		return
	}
	if m.Result() == nil {
		return
	}
	if method == acp.MethodInitialize && !bytes.Contains(m.Result(), []byte(`"protocolVersion":2`)) {
		return // not agreed on 2, and passed as it came
	}
	switch method {
	case acp.MethodInitialize:
		checkValue(t, m.Result(), strict, &acp.InitializeResponse{})
	case acp.MethodNewSession, acp.MethodForkSession:
		checkValue(t, m.Result(), strict, &acp.NewSessionResponse{})
	case acp.MethodResumeSession:
		checkValue(t, m.Result(), strict, &acp.ResumeSessionResponse{})
	case acp.MethodPrompt:
		checkValue(t, m.Result(), strict, &acp.PromptResponse{})
	case acp.MethodListSessions:
		checkValue(t, m.Result(), strict, &acp.ListSessionsResponse{})
	case acp.MethodSetConfigOption:
		checkValue(t, m.Result(), strict, &acp.SetConfigOptionResponse{})
	case acp.MethodLoginAuth, acp.MethodLogoutAuth, acp.MethodCloseSession, acp.MethodDeleteSession:
		checkValue(t, m.Result(), strict, &acp.Empty{})
	}
}

// checkForAgent holds a message for the agent against version 1.
func checkForAgent(t upFailer, m jsonrpc.Message) {
	t.Helper()
	var v json.Unmarshaler
	switch m.Method {
	case v1.MethodNewSession:
		v = &v1.NewSessionRequest{}
	case v1.MethodForkSession:
		v = &v1.ForkSessionRequest{}
	case v1.MethodLoadSession:
		v = &v1.LoadSessionRequest{}
	case v1.MethodResumeSession:
		v = &v1.ResumeSessionRequest{}
	case v1.MethodPrompt:
		v = &v1.PromptRequest{}
	case v1.MethodSetMode:
		v = &v1.SetModeRequest{}
	case v1.MethodSetConfigOption:
		v = &v1.SetConfigOptionRequest{}
	case v1.MethodAuthenticate:
		v = &v1.AuthenticateRequest{}
	case v1.MethodCancel, v1.MethodCloseSession:
		v = &v1.SessionRef{}
	default:
		return
	}
	if err := v.UnmarshalJSON(m.Params()); err != nil {
		t.Errorf("version 1 does not take this: %s: %v", m.Raw, err)
	}
}

type value interface {
	json.Unmarshaler
	json.Marshaler
}

func checkValue(t upFailer, tok []byte, strict bool, v value) {
	t.Helper()
	if err := v.UnmarshalJSON(tok); err != nil {
		t.Errorf("version 2 does not take this: %s: %v", tok, err)
		return
	}
	if !strict {
		return
	}
	again, err := v.MarshalJSON()
	if err != nil {
		t.Errorf("%s: %v", tok, err)
		return
	}
	var a, b any
	if json.Unmarshal(tok, &a) != nil || json.Unmarshal(again, &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("version 2 forgives a part of this:\n%s\nIt reads\n%s", tok, again)
	}
}

func TestUpTransparentPassesBytes(t *testing.T) {
	// PXY-1: to an agent of version 2 the Up is not there.
	p := newUpPlayer(t)
	defer p.up.Close()
	first := `{ "id" : 1,"method":"initialize","params":{"protocolVersion":2,"n":1e400}}`
	p.client(first)
	p.client(`{"id":2,"method":"session/new","params":{ "cwd":"/" }}`)
	if got := p.take(); len(got) != 1 || got[0] != "agent< { \"id\" : 1,"+first[10:] && !strings.Contains(got[0], `"n":1e400`) {
		t.Fatalf("got %q", got)
	}
	p.agent(`{"id":1,"result":{"protocolVersion": 2,"info":{"name":"a","version":"1"},"capabilities":{}}}`)
	if !p.up.Transparent() || p.up.Active() {
		t.Error("an agent of version 2 is translated")
	}
	want := []string{
		`client< {"id":1,"result":{"protocolVersion": 2,"info":{"name":"a","version":"1"},"capabilities":{}}}`,
		`agent< {"id":2,"method":"session/new","params":{ "cwd":"/" }}`,
	}
	if got := p.take(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	p.up.FromAgent(p.scan(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"_x" , "a":1.0}}}`))
	if got := p.take(); len(got) != 1 || !strings.HasSuffix(got[0], `{"sessionUpdate":"_x" , "a":1.0}}}`) {
		t.Errorf("got %q", got)
	}
}

func TestUpHeldBackIsBounded(t *testing.T) {
	p := newUpPlayer(t)
	defer p.up.Close()
	p.client(`{"id":1,"method":"initialize","params":{"protocolVersion":2}}`)
	p.take()
	big := strings.Repeat("x", maxHeldBack/2)
	for range 2 {
		p.client(`{"method":"_a","params":"` + big + `"}`)
	}
	p.client(`{"id":2,"method":"_b","params":"` + big + `"}`)
	if got := p.take(); len(got) != 1 || !strings.Contains(got[0], `"id":2,"error":{"code":-32600`) {
		t.Errorf("got %d lines", len(got))
	}
}

func TestUpCloseEndsTimers(t *testing.T) {
	p := newUpPlayer(t)
	p.hello("")
	p.new("s", "")
	p.client(`{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
	timer := p.timers[0]
	late := *timer
	p.take()
	p.up.Close()
	if *timer != nil {
		t.Error("the timer is left")
	}
	late() // it fired while it was being stopped
	if got := p.take(); len(got) > 0 {
		t.Errorf("after Close this was sent: %q", got)
	}
}

func TestUpPromptsWaitInBoundedNumber(t *testing.T) {
	p := newUpPlayer(t)
	defer p.up.Close()
	p.hello("")
	p.new("s", "")
	p.take()
	for i := range maxQueued + 2 {
		p.client(fmt.Sprintf(`{"id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`, i))
	}
	got := p.take()
	if len(got) != 2 || !strings.Contains(got[1], fmt.Sprintf(`client< {"id":%d,"error":{"code":-32603`, maxQueued+1)) {
		t.Errorf("got %q", got)
	}
}

func TestUpMessagesAreCopied(t *testing.T) {
	// A reader uses its memory again as soon as FromClient returns.
	p := newUpPlayer(t)
	defer p.up.Close()
	p.hello("")
	p.new("s", "")
	for _, id := range []string{"1", "2"} {
		m := p.scan(`{"id":` + id + `,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hello"}]}}`)
		p.methods[m.ID] = m.Method
		p.up.FromClient(m)
		for i := range m.Raw {
			m.Raw[i] = 'x'
		}
	}
	first := p.owns["session/prompt"]
	p.take()
	p.agent(`{"id":` + string(first) + `,"result":{"stopReason":"end_turn"}}`)
	if got := strings.Join(p.take(), "\n"); strings.Count(got, `"text":"hello"`) != 2 {
		t.Errorf("got %s", got)
	}
}

func TestUpPatch(t *testing.T) {
	for _, tt := range []struct {
		name, path, before, after string
		existed                   bool
		want                      string
	}{
		{"changed", "/a", "1\n2\n", "1\n3\n", true, "diff --git /a /a\n--- /a\n+++ /a\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n"},
		{"new", "/a", "", "1\n", false, "diff --git /a /a\nnew file mode 100644\n--- /dev/null\n+++ /a\n@@ -0,0 +1,1 @@\n+1\n"},
		{"new and empty", "/a", "", "", false, "diff --git /a /a\nnew file mode 100644\n"},
		{"no change", "/a", "1", "1", true, ""},
		{"no line end", "/a", "1", "1\n", true, "diff --git /a /a\n--- /a\n+++ /a\n@@ -1,1 +1,1 @@\n-1\n\\ No newline at end of file\n+1\n"},
		{"blanks", "/a b", "1\n", "", true, "diff --git /a b /a b\n--- /a b\t\n+++ /a b\t\n@@ -1,1 +0,0 @@\n-1\n"},
		{"hostile path", "/a\n\"\x01é", "1\n", "2\n", true, "diff --git \"/a\\n\\\"\\001é\" \"/a\\n\\\"\\001é\"\n--- \"/a\\n\\\"\\001é\"\n+++ \"/a\\n\\\"\\001é\"\n@@ -1,1 +1,1 @@\n-1\n+2\n"},
		{"large", "/a", strings.Repeat("x", maxPatched), "2", true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := upPatch(tt.path, tt.before, tt.after, tt.existed); got != tt.want {
				t.Errorf("got\n%q, want\n%q", got, tt.want)
			}
		})
	}
}

func TestUpAbsolute(t *testing.T) {
	for _, tt := range [][3]string{
		{"/ws", "/a", "/a"}, {"/ws/", "a/b", "/ws/a/b"}, {"/ws", "./a", "/ws/a"}, {`C:\ws`, `a\b`, `C:\ws\a\b`},
		{"/ws", `C:\a`, `C:\a`}, {"", "a", ""}, {"ws", "a", ""}, {"/ws", "", ""}, {"/ws", "a\x00b", ""},
	} {
		if got := upAbsolute(tt[0], tt[1]); got != tt[2] {
			t.Errorf("upAbsolute(%q, %q) = %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestUpTextHash(t *testing.T) {
	// Agents trim, cut and join the blocks of a prompt in their replays.
	text := func(s string) []byte { return objectOf(textField("type", "text"), textField("text", s)) }
	link := objectOf(textField("type", "resource_link"), textField("uri", "file:///a"), textField("name", "a"))
	same := upTextHash([][]byte{text("say this "), link, text("twice\n")})
	for _, blocks := range [][][]byte{{text("say this twice")}, {text("say "), text("this\ntwice")}} {
		if upTextHash(blocks) != same {
			t.Errorf("another id for %s", rawjson.Array(blocks))
		}
	}
	if upTextHash([][]byte{text("say that twice")}) == same || upTextHash([][]byte{link}) == upTextHash(nil) {
		t.Error("one id for two messages")
	}
}

func TestUpBothDirectionsAtOnce(t *testing.T) {
	// Both sides send while timers fire. Each prompt gets one answer, and its
	// session one end of the turn.
	var mu sync.Mutex
	answers, ends, flushes := map[jsonrpc.ID]int{}, 0, 0
	toAgent := make(chan jsonrpc.ID, 1000)
	u := NewUp(&UpOptions{
		Patience: time.Microsecond,
		Flush:    func() { mu.Lock(); flushes++; mu.Unlock() },
		ToClient: func(m jsonrpc.Message) {
			mu.Lock()
			defer mu.Unlock()
			if m.Kind == jsonrpc.Response {
				answers[m.ID]++
			}
			if _, ok := rawjson.GetString(m.Params(), "update", "stopReason"); ok {
				ends++
			}
		},
		ToAgent: func(m jsonrpc.Message) {
			if m.Method == v1.MethodPrompt {
				toAgent <- m.ID
			}
		},
	})
	defer u.Close()
	send := func(f func(jsonrpc.Message), format string, args ...any) {
		f(jsonrpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0",`+format, args...)))
	}
	send(u.FromClient, `"id":"i","method":"initialize","params":{"protocolVersion":2}}`)
	send(u.FromAgent, `"id":"i","result":{"protocolVersion":1}}`)
	const sessions, each = 4, 50
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range sessions * each {
			send(u.FromClient, `"id":%d,"method":"session/prompt","params":{"sessionId":"s%d","prompt":[{"type":"text","text":"go"}]}}`, i, i%sessions)
		}
	})
	wg.Go(func() {
		for i := range sessions * each {
			id := <-toAgent
			send(u.FromAgent, `"method":"session/update","params":{"sessionId":"s%d","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`, i%sessions)
			send(u.FromAgent, `"id":%s,"result":{"stopReason":"end_turn"}}`, id)
		}
	})
	wg.Wait()
	u.Close()
	mu.Lock()
	defer mu.Unlock()
	for i := range sessions * each {
		if n := answers[jsonrpc.ID(fmt.Sprint(i))]; n != 1 {
			t.Errorf("prompt %d has %d answers", i, n)
		}
	}
	if ends != sessions*each {
		t.Errorf("%d turns ended, want %d", ends, sessions*each)
	}
}
