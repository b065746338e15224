// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A fakeProxy is a proxy that adds skills and keeps every rule, but the one whose
// check is its fault. It is as simple as it can be: one session, one lock.
type fakeProxy struct {
	fault string
	disk  *proxyDisk

	mu            sync.Mutex
	front, back   io.Writer
	plain         bool              // the client does not know skills
	blocks        bool              // the agent takes skill blocks
	pending       map[string]string // method by id
	cwd           string
	agent         string // the agent's last list
	early, opened bool
	names         []string // the skills that the client has
	held          string
	here          bool // a prompt was expanded by this process
}

// A proxyDisk is what proxies remember: what the agent was given, and what for.
type proxyDisk struct {
	mu   sync.Mutex
	sent map[string]string
}

func (p *fakeProxy) is(fault string) bool { return p.fault == fault }

func (p *fakeProxy) toFront(line string) { fmt.Fprintln(p.front, line) }
func (p *fakeProxy) toBack(line string)  { fmt.Fprintln(p.back, line) }

// pump hands lines on until the stream ends.
func pump(in io.Reader, f func(string)) {
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		f(strings.TrimRight(line, "\n"))
	}
}

func (p *fakeProxy) fromClient(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	raw := []byte(line)
	if !rawjson.Valid(raw) {
		p.toFront(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}`)
		if p.is("PXY-7/not-json") {
			p.toBack(line)
		}
		return
	}
	id, params := rawjson.Get(raw, "id"), rawjson.Get(raw, "params")
	method, _ := rawjson.GetString(raw, "method")
	if id != nil && method != "" {
		p.pending[string(id)] = method
	}
	switch method {
	case "initialize":
		p.plain = !rawjson.IsObject(rawjson.Get(params, "capabilities", "session", "commands", "skill"))
	case "session/new", "session/resume":
		p.cwd, _ = rawjson.GetString(params, "cwd")
		p.opened = false
	case "session/prompt":
		line = p.prompt(line, id, params)
	case "_conform/odd":
		if p.is("PXY-1/to-agent") {
			line = strings.Replace(line, "1.0e2", "100", 1)
		}
	case "$/cancel_request":
		if p.is("PXY-1/cancel") {
			return
		}
	case "_conform/row":
		if p.is("PXY-2/requests") && strings.Contains(line, `"n":50}`) {
			return
		}
	}
	if line != "" {
		p.toBack(line)
	}
}

func (p *fakeProxy) prompt(line string, id, params []byte) string {
	content := rawjson.Get(params, "prompt")
	if p.is("PXY-1/prompt") {
		line = strings.Replace(line, `\u006f`, "o", 1)
	}
	if !strings.Contains(string(content), `"skill"`) {
		return line
	}
	var out [][]byte
	for i, e := range rawjson.Elements(content) {
		name, _ := rawjson.GetString(e.Value, "name")
		switch kind, _ := rawjson.GetString(e.Value, "type"); {
		case kind != "skill":
			b := string(e.Value)
			if p.is("PXY-5/others") {
				b = strings.Replace(b, "1e3", "1000", 1)
			}
			out = append(out, []byte(b))
		case !slices.Contains(p.names, name) && !p.is("PXY-P4/unknown"):
			delete(p.pending, string(id))
			p.toFront(string(jsonrpc.EncodeError(jsonrpc.ID(id), jsonrpc.Errorf(-32602, "block %d: no such skill: %s", i, name))))
			return ""
		case p.blocks:
			out = append(out, e.Value)
		default:
			out = append(out, []byte(textBlock("[do as "+name+" says]")))
		}
	}
	sent := string(rawjson.Array(out))
	p.disk.mu.Lock()
	p.disk.sent[sent] = string(content)
	p.disk.mu.Unlock()
	p.here = true
	return string(rawjson.Set([]byte(line), []byte(sent), "params", "prompt"))
}

func (p *fakeProxy) fromAgent(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	raw := []byte(line)
	if !rawjson.Valid(raw) {
		if p.is("PXY-7/noise") {
			p.toFront(line)
		}
		return
	}
	if p.is("PXY-7/long") && len(line) > 4<<20 {
		return
	}
	m := jsonrpc.Scan(raw)
	if m.Kind == jsonrpc.Response {
		p.response(line, raw, m)
		return
	}
	switch {
	case m.Variant == "available_commands_update":
		p.agent = string(rawjson.Get(raw, "params", "update", "availableCommands"))
		p.early = p.early || !p.opened
		if !(p.is("PXY-3/early") && !p.opened || p.is("PXY-3/late") && p.opened) {
			line = string(rawjson.Set(raw, p.list(), "params", "update", "availableCommands"))
		}
	case m.Variant == "user_message":
		line = p.restore(line, raw)
	case m.Method == "_conform/odd" && p.is("PXY-1/to-client"):
		line = strings.Replace(line, "1.0e2", "100", 1)
	case p.is("PXY-2/updates") && strings.Contains(line, `"text":"50"`):
		p.held = line
		return
	}
	p.toFront(line)
	if p.held != "" {
		p.toFront(p.held)
		p.held = ""
	}
}

func (p *fakeProxy) restore(line string, raw []byte) string {
	replay := false
	for _, method := range p.pending {
		replay = replay || method == "session/resume"
	}
	if p.is("PXY-5/echo") && !replay || p.is("PXY-5/replay") && replay && p.here || p.is("PXY-5/restart") && replay && !p.here {
		return line
	}
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	if original, ok := p.disk.sent[string(rawjson.Get(raw, "params", "update", "content"))]; ok {
		return string(rawjson.Set(raw, []byte(original), "params", "update", "content"))
	}
	return line
}

func (p *fakeProxy) response(line string, raw []byte, m jsonrpc.Message) {
	method := p.pending[string(m.ID)]
	delete(p.pending, string(m.ID))
	switch {
	case m.ErrorValue() != nil:
	case method == "initialize":
		p.blocks = rawjson.IsObject(rawjson.Get(raw, "result", "capabilities", "session", "prompt", "skill"))
		line = string(rawjson.Set(raw, []byte(`{"inline":{}}`), "result", "capabilities", "session", "prompt", "skill"))
	case method == "session/new" || method == "session/resume":
		p.opened = true
		own := rawjson.Get(raw, "result", "availableCommands")
		if own != nil {
			p.agent = string(own)
		}
		if method == "session/new" && (p.is("PXY-3/response") && own != nil || p.is("PXY-3/early") && own == nil && p.early || p.is("PXY-3/never") && own == nil && !p.early) ||
			method == "session/resume" && p.is("PXY-3/resume") {
			break
		}
		line = string(rawjson.Set(raw, p.list(), "result", "availableCommands"))
	case p.is("PXY-1/answer"):
		line = strings.Replace(line, `\u0061`, "a", 1)
	}
	p.toFront(line)
}

// list is the agent's list and the disk's.
func (p *fakeProxy) list() []byte {
	var out [][]byte
	taken := map[string]bool{}
	p.names = nil
	for _, e := range rawjson.Elements([]byte(p.agent)) {
		name, _ := rawjson.GetString(e.Value, "name")
		if kind, _ := rawjson.GetString(e.Value, "type"); kind == "skill" {
			p.names = append(p.names, name)
			taken["skill "+name] = true
		}
		taken[name] = true
		out = append(out, e.Value)
	}
	for _, name := range found(p.cwd) {
		path := filepath.Join(p.cwd, filepath.FromSlash(skillDirs()[0]), name, "SKILL.md")
		shown := name
		switch {
		case taken["skill "+name] && !p.is("PXY-4/once"):
			continue
		case taken[name] && !p.is("PXY-A4/unique"):
			shown = "user:" + name
		}
		kind := "skill"
		if p.plain && !p.is("PXY-A1/plain") {
			kind = "command"
		}
		p.names = append(p.names, shown)
		out = append(out, []byte(`{"type":"`+kind+`","name":"`+shown+`","description":"A skill","path":`+string(rawjson.Quote(path))+`}`))
	}
	return rawjson.Array(out)
}

// died answers what is open.
func (p *fakeProxy) died() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.pending {
		if !p.is("PXY-6/agent-dies") {
			p.toFront(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"the agent died"}}`)
		}
	}
}

// startFakeProxy starts proxies in this process that have one memory.
func startFakeProxy(fault string) func(string) (*ProxyPeer, error) {
	disk := &proxyDisk{sent: map[string]string{}}
	return func(string) (*ProxyPeer, error) {
		backInR, backInW := io.Pipe()   // what the checker's agent writes
		backOutR, backOutW := io.Pipe() // what it reads
		ended := make(chan struct{})
		peer := inProcess(func(in io.Reader, out io.Writer) {
			p := &fakeProxy{fault: fault, disk: disk, front: out, back: backOutW, pending: map[string]string{}}
			var agent sync.WaitGroup
			agent.Go(func() {
				pump(backInR, p.fromAgent)
				p.died()
			})
			pump(in, p.fromClient)
			if p.is("PXY-6/client-leaves") {
				<-ended
			}
			_ = backOutW.Close()
			_ = backInR.Close()
			agent.Wait()
		})
		end := peer.End
		peer.End = func() string { close(ended); return end() }
		return &ProxyPeer{
			Client: peer,
			Accept: func(time.Duration) (io.ReadWriteCloser, error) { return jsonrpc.Join(backOutR, backInW), nil },
		}, nil
	}
}
