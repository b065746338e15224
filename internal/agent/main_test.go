// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	goleak.VerifyTestMain(m)
}

const (
	withSkills = `{"session":{"commands":{"skill":{}}}}`
	without    = `{}`

	// forever is a pause between pieces that only a cancellation ends.
	forever = 24 * time.Hour
)

// quickly are store options with which changes on disk are noticed soon.
func quickly() *catalog.StoreOptions {
	return &catalog.StoreOptions{Debounce: 5 * time.Millisecond, PollInterval: 20 * time.Millisecond}
}

// A peer is a client at an agent, by hand. What is random or depends on the
// machine has aliases on its side: $WS is the workspace, S1 the first session,
// M1 the first message, TIME any time.
type peer struct {
	t       testing.TB
	h       *handler
	ws      string
	conn    net.Conn
	in      *jsonrpc.Reader
	served  chan error
	waiting []string // lines that were read and not yet asked for
	alias   map[string]string
	count   map[byte]int
}

// serve serves an agent until the test ends or stop is called.
func serve(t testing.TB, ws string, opts Options) *peer {
	t.Helper()
	if opts.Store == nil {
		opts.Store = catalog.NewStore(quickly())
		t.Cleanup(func() { _ = opts.Store.Close() })
	}
	ours, theirs := net.Pipe()
	h := newHandler(&opts)
	p := &peer{t: t, h: h, ws: ws, conn: ours, in: jsonrpc.NewReader(ours, nil), served: make(chan error, 1),
		alias: map[string]string{}, count: map[byte]int{}}
	go func() {
		defer h.close()
		p.served <- h.serve(context.Background(), theirs)
	}()
	t.Cleanup(p.stop)
	return p
}

// stop is the client that goes.
func (p *peer) stop() {
	if p.conn == nil {
		return
	}
	_ = p.conn.Close()
	p.conn = nil
	if err := <-p.served; err != nil {
		p.t.Errorf("Serve: %v", err)
	}
}

func (p *peer) initialize(capabilities string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":` + capabilities + `}}`)
	p.next()
}

// send sends one message.
func (p *peer) send(line string) {
	p.t.Helper()
	for real, alias := range p.alias {
		line = strings.ReplaceAll(line, `"`+alias+`"`, `"`+real+`"`)
	}
	line = strings.ReplaceAll(line, "$WS", inJSON(p.ws))
	if _, err := io.WriteString(p.conn, line+"\n"); err != nil {
		p.t.Fatalf("send %s: %v", line, err)
	}
}

// call sends a request; params may hold aliases.
func (p *peer) call(id int, method, params string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
}

func (p *peer) notify(method, params string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// next is the next line, with aliases.
func (p *peer) next() string {
	p.t.Helper()
	if len(p.waiting) > 0 {
		line := p.waiting[0]
		p.waiting = p.waiting[1:]
		return line
	}
	return p.read()
}

func (p *peer) read() string {
	p.t.Helper()
	m, err := p.in.Next()
	if err != nil {
		p.t.Fatal(err)
	}
	return p.aliased(string(m.Raw))
}

// response is the response to a request, wherever it stands among the updates:
// these and the work on a prompt come from different goroutines.
func (p *peer) response(id int) string {
	p.t.Helper()
	mark := fmt.Sprintf(`"id":%d,`, id)
	for i, line := range p.waiting {
		if isResponse(line) && strings.Contains(line, mark) {
			p.waiting = append(p.waiting[:i:i], p.waiting[i+1:]...)
			return line
		}
	}
	for {
		line := p.read()
		if isResponse(line) && strings.Contains(line, mark) {
			return line
		}
		p.waiting = append(p.waiting, line)
	}
}

// update is the next update, past responses that are not asked for yet.
func (p *peer) update() string {
	p.t.Helper()
	for i, line := range p.waiting {
		if !isResponse(line) {
			p.waiting = append(p.waiting[:i:i], p.waiting[i+1:]...)
			return line
		}
	}
	for {
		line := p.read()
		if !isResponse(line) {
			return line
		}
		p.waiting = append(p.waiting, line)
	}
}

// until is the updates up to the one that has text.
func (p *peer) until(text string) []string {
	p.t.Helper()
	var out []string
	for {
		out = append(out, p.update())
		if strings.Contains(out[len(out)-1], text) {
			return out
		}
	}
}

// quiet fails if something was sent so far that nobody has asked for.
func (p *peer) quiet() {
	p.t.Helper()
	p.call(424242, "session/close", `{"sessionId":"none"}`)
	p.response(424242)
	if len(p.waiting) > 0 {
		p.t.Errorf("nothing more was to come, but: %s", strings.Join(p.waiting, "\n"))
		p.waiting = nil
	}
}

func isResponse(line string) bool { return !strings.Contains(line, `"method":"session/`) }

func (p *peer) aliased(line string) string {
	line = strings.ReplaceAll(line, inJSON(p.ws), "$WS")
	line = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`).ReplaceAllString(line, "TIME")
	line = strings.ReplaceAll(line, offlineOptions, `"CONFIG"`)
	return regexp.MustCompile(`\b(sess|msg|call|term|compact)_[A-Z2-7]{26}\b`).ReplaceAllStringFunc(line, func(id string) string {
		if p.alias[id] == "" {
			kind := strings.ToUpper(id[:1])
			p.count[kind[0]]++
			p.alias[id] = fmt.Sprintf("%s%d", kind, p.count[kind[0]])
		}
		return p.alias[id]
	})
}

// real is what an alias stands for.
func (p *peer) real(alias string) string {
	for real, a := range p.alias {
		if a == alias {
			return real
		}
	}
	p.t.Fatalf("nothing is called %s", alias)
	return ""
}

// session is the agent's side of a session.
func (p *peer) session(alias string) *session {
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	return p.h.sessions[p.real(alias)]
}

// wait waits for something that the wire does not show.
func wait(t testing.TB, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("did not come about: " + what)
		}
	}
}

func inJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

// same compares two texts of JSON, the order of members apart.
func same(t testing.TB, got, want string) {
	t.Helper()
	if a, b := sorted(t, got), sorted(t, want); a != b {
		t.Fatalf("\ngot  %s\nwant %s", a, b)
	}
}

func sorted(t testing.TB, text string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return strings.TrimSpace(b.String())
}

// workspace is a directory with links resolved.
func newWorkspace(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeSkill(t testing.TB, ws, name, more, body string) {
	t.Helper()
	write(t, ws, ".agents/skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: Does "+name+"\n"+more+"---\n"+body)
}

// answerOf joins the pieces of an answer.
func answerOf(t testing.TB, updates []string) string {
	t.Helper()
	var b strings.Builder
	for _, u := range updates {
		var m struct {
			Params struct {
				Update struct {
					SessionUpdate string
					Content       json.RawMessage
				}
			}
		}
		if err := json.Unmarshal([]byte(u), &m); err != nil {
			t.Fatal(err)
		}
		if m.Params.Update.SessionUpdate == "agent_message_chunk" {
			var c struct{ Text string }
			_ = json.Unmarshal(m.Params.Update.Content, &c)
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

// offlineOptions are the configuration options of a session without a model, which
// TestConfigOptions has.
var offlineOptions = func() string {
	h := newHandler(nil)
	s := h.newSession(nil, newHistory("s", "/", ""), nil)
	var all []string
	for _, o := range s.configOptions() {
		raw, _ := o.MarshalJSON()
		all = append(all, string(raw))
	}
	return "[" + strings.Join(all, ",") + "]"
}()

func onUnix() bool { return runtime.GOOS != "windows" }
