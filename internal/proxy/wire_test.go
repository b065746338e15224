// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

var update = flag.Bool("update", false, "write what was received into the scripts under testdata")

// TestWire plays the scripts under testdata. A script is a txtar archive: prose,
// the files of a workspace under ws/ and of a home under home/, and a file
// "script" of lines, played in order:
//
//	profile NAME          picks the agent's profile (else by its info)
//	client> LINE          the client sends the line
//	agent< LINE           the agent gets exactly this line next
//	agent> LINE           the agent sends the line
//	client< LINE          the client gets exactly this line next
//	client<~ A && B       the client's next line has all these texts
//	agent<~ A && B        likewise
//	client<? A && B       the client gets a line that has all these texts; what
//	                      comes before it is for the script's next lines
//	client= LINE          the client sends the line, and the agent gets exactly it
//	agent= LINE           likewise the other way
//	hello CLIENT AGENT    initializes: the client knows skills ("skill") or not
//	                      ("plain"), the agent takes blocks ("inline", "skill") or not
//	hello v1              initializes with version 1
//	new ID [LIST]         session/new in $WS, answered with the list; what the
//	                      client then gets is for the script to say
//	put PATH FILE         copies a file of the archive to PATH
//	rm PATH, mv FROM TO   change the disk
//	hold, release         reading skills waits from here, and goes on
//	held                  waits until a skill is being read
//	restart               another proxy process takes over; the journal stays
//	trust, models, ...    see trust_wire_test.go
//
// $WS and $HOME stand for the directories, NONCE1 and so on for the nonces of
// our tags in the order in which they are first seen.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { playFile(t, file) })
	}
}

func playFile(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	playArchive(t, ar)
	if *update && !t.Failed() {
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// playArchive plays the script, and writes what was received into it.
func playArchive(t *testing.T, ar *txtar.Archive) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &player{t: t, dir: dir, ar: ar, nonces: map[string]string{}}
	p.hold.Store(nil)
	for _, f := range ar.Files {
		if strings.HasPrefix(f.Name, "ws/") || strings.HasPrefix(f.Name, "home/") {
			p.write(f.Name, f.Data)
		}
	}
	for _, d := range []string{"ws", "home"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	store := catalog.NewStore(&catalog.StoreOptions{Debounce: 20 * time.Millisecond})
	p.store = store
	defer func() { _ = store.Close() }()
	for i := range ar.Files {
		if f := &ar.Files[i]; f.Name == "script" {
			p.start()
			f.Data = []byte(p.play(string(f.Data)))
			p.stop()
		}
	}
}

type player struct {
	t      *testing.T
	dir    string
	ar     *txtar.Archive
	store  *catalog.Store
	prof   *profile.Profile
	nonces map[string]string // real to shown
	hold   holdPoint
	opt    optional

	r             *relay
	client, agent *end2end
	aside         []string // what the client got and the script has not come to
	closers       []io.Closer
	loops         sync.WaitGroup
}

type end2end struct {
	send *io.PipeWriter
	got  chan string
}

// holdPoint makes the reading of skills wait.
type holdPoint struct {
	mu      sync.Mutex
	wait    chan struct{}
	arrived chan struct{}
}

func (h *holdPoint) Store(wait chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wait != nil {
		close(h.wait)
	}
	h.wait, h.arrived = wait, make(chan struct{}, 16)
}

func (h *holdPoint) activate(ctx context.Context, l acpskill.Listed) (*skill.Activation, error) {
	h.mu.Lock()
	wait, arrived := h.wait, h.arrived
	h.mu.Unlock()
	if wait != nil {
		arrived <- struct{}{}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return acpskill.Activate(ctx, l)
}

func (p *player) start() {
	newEnd := func() (*end2end, io.Reader, io.Writer) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		e := &end2end{send: inW, got: make(chan string, 1024)}
		p.loops.Go(func() {
			r := jsonrpc.NewReader(outR, nil)
			for {
				m, err := r.Next()
				if err != nil {
					return
				}
				e.got <- string(m.Raw)
			}
		})
		p.closers = append(p.closers, inW, outW)
		return e, inR, outW
	}
	var cr, ar io.Reader
	var cw, aw io.Writer
	p.client, cr, cw = newEnd()
	p.agent, ar, aw = newEnd()
	log := slog.New(slog.NewTextHandler(testLog{p.t}, nil))
	p.r = newRelay(ends{
		fromClient: jsonrpc.NewReader(cr, nil), toClient: jsonrpc.NewWriter(cw, nil),
		fromAgent: jsonrpc.NewReader(ar, nil), toAgent: jsonrpc.NewWriter(aw, nil),
	}, p.optional(graft.Options{
		Store:   p.store,
		Catalog: catalog.Options{Home: filepath.Join(p.dir, "home")},
		Profile: p.prof, Version: "test", Activate: p.hold.activate,
		Journal: func(agent string) *journal.Journal {
			return journal.Open(journal.Options{Dir: filepath.Join(p.dir, "journal"), Agent: agent})
		},
	}), log)
	p.loops.Go(func() { _ = p.r.clientLoop() })
	p.loops.Go(func() { _ = p.r.agentLoop() })
}

func (p *player) stop() {
	p.hold.Store(nil)
	p.r.chain.close()
	for _, c := range p.closers {
		_ = c.Close()
	}
	p.closers = nil
	_ = p.r.toAgent.Close()
	_ = p.r.toClient.Close()
	p.loops.Wait()
	for _, line := range p.aside {
		p.t.Errorf("the script ends, and this came besides: %s", line)
	}
	for _, e := range []*end2end{p.client, p.agent} {
		for len(e.got) > 0 {
			p.t.Errorf("the script ends, and this came besides: %s", p.shown(<-e.got))
		}
	}
}

type testLog struct{ t *testing.T }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Logf("%s", bytes.TrimSpace(b))
	return len(b), nil
}

func (p *player) play(script string) string {
	var out []string
	for n, line := range strings.Split(script, "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		where := fmt.Sprintf("script line %d", n+1)
		switch verb {
		case "client>":
			p.send(p.client, rest)
		case "agent>":
			p.send(p.agent, rest)
		case "client=", "agent=":
			from, to := p.client, "agent"
			if verb == "agent=" {
				from, to = p.agent, "client"
			}
			p.send(from, rest)
			if got := p.next(where, to); got != rest {
				p.t.Fatalf("%s: the %s gets\n%s\nin place of\n%s", where, to, got, rest)
			}
		case "client<", "agent<":
			got := p.next(where, verb)
			if got != rest && !*update {
				p.t.Fatalf("%s: the %s gets\n%s\nwant\n%s", where, strings.TrimSuffix(verb, "<"), got, rest)
			}
			line = verb + " " + got
		case "client<~", "agent<~":
			got := p.next(where, verb)
			if part := differs(got, rest); part != "" {
				p.t.Fatalf("%s: the %s gets\n%s\nagainst %q", where, strings.TrimSuffix(verb, "<~"), got, part)
			}
		case "client<?":
			var aside []string
			for {
				got := p.next(where, verb)
				if differs(got, rest) == "" {
					break
				}
				aside = append(aside, got)
			}
			p.aside = append(aside, p.aside...)
		default:
			p.direct(where, verb, strings.Fields(rest))
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// differs returns the first of the wanted texts that the line does not have, or
// of the unwanted that it has.
func differs(line, want string) string {
	for _, part := range strings.Split(want, " && ") {
		text, not := strings.CutPrefix(part, "!")
		if strings.Contains(line, text) == not {
			return part
		}
	}
	return ""
}

func (p *player) direct(where, verb string, args []string) {
	check := func(err error) {
		if err != nil {
			p.t.Fatalf("%s: %v", where, err)
		}
	}
	switch verb {
	case "", "#":
	case "profile":
		p.prof = profile.ByName(profile.Known(), args[0])
		p.stop()
		p.start()
	case "hello":
		if args[0] == "v1" {
			p.helloV1()
			return
		}
		p.hello(args[0], args[1])
	case "new":
		list := ""
		if len(args) > 1 {
			list = `,"availableCommands":` + strings.Join(args[1:], " ")
		}
		p.send(p.client, `{"jsonrpc":"2.0","id":"new-`+args[0]+`","method":"session/new","params":{"cwd":"$WS"}}`)
		p.next(where, "agent<")
		p.send(p.agent, `{"jsonrpc":"2.0","id":"new-`+args[0]+`","result":{"sessionId":"`+args[0]+`"`+list+`}}`)
	case "restart":
		p.stop()
		p.start()
	case "put":
		for _, f := range p.ar.Files {
			if f.Name == args[1] {
				p.write(args[0], f.Data)
				return
			}
		}
		p.t.Fatalf("%s: no file %s in the archive", where, args[1])
	case "rm":
		check(os.RemoveAll(filepath.Join(p.dir, args[0])))
	case "mv":
		check(os.Rename(filepath.Join(p.dir, args[0]), filepath.Join(p.dir, args[1])))
	case "hold":
		p.hold.Store(make(chan struct{}))
	case "held":
		select {
		case <-p.hold.arrived:
		case <-time.After(10 * time.Second):
			p.t.Fatalf("%s: no skill is being read", where)
		}
	case "release":
		p.hold.Store(nil)
	default:
		if !p.directOptional(where, verb, args) {
			p.t.Fatalf("%s: unknown directive %q", where, verb)
		}
	}
}

func (p *player) hello(client, agent string) {
	caps := map[string]string{"plain": `{}`, "skill": `{"skill":{}}`, "inline": `{"skill":{"inline":{}}}`}
	p.send(p.client, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":2,"info":{"name":"client","version":"1"},"capabilities":{"session":{"commands":`+caps[client]+`}}}}`)
	p.next("hello", "agent<")
	p.send(p.agent, `{"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":2,"info":{"name":"agent","version":"1"},"capabilities":{"session":{"prompt":`+caps[agent]+`}}}}`)
	if got := p.next("hello", "client<"); !strings.Contains(got, `"skill":{"inline":{}}`) {
		p.t.Fatalf("hello: no inline skills: %s", got)
	}
}

func (p *player) helloV1() {
	p.send(p.client, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"client","version":"1"},"clientCapabilities":{}}}`)
	p.next("hello", "agent<")
	p.send(p.agent, `{"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1"},"agentCapabilities":{"loadSession":true}}}`)
	if got := p.next("hello", "client<"); !strings.Contains(got, `"_meta":{"skillgraft"`) || strings.Contains(got, `"skill"`) {
		p.t.Fatalf("hello: %s", got)
	}
}

func (p *player) write(name string, data []byte) {
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

var nonce = regexp.MustCompile(`skill_content name=\\"[^"]*\\" id=\\"([A-Z2-7]{26})\\"`)

// shown is a received line with what differs between runs replaced.
func (p *player) shown(line string) string {
	for _, m := range nonce.FindAllStringSubmatch(line, -1) {
		if p.nonces[m[1]] == "" {
			p.nonces[m[1]] = fmt.Sprintf("NONCE%d", len(p.nonces)+1)
		}
	}
	p.noteAsks(line)
	for real, name := range p.nonces {
		line = strings.ReplaceAll(line, real, name)
	}
	line = strings.ReplaceAll(line, filepath.Join(p.dir, "ws"), "$WS")
	return strings.ReplaceAll(line, filepath.Join(p.dir, "home"), "$HOME")
}

func (p *player) send(e *end2end, line string) {
	for real, name := range p.nonces {
		line = strings.ReplaceAll(line, name, real)
	}
	line = strings.ReplaceAll(line, "$WS", filepath.Join(p.dir, "ws"))
	line = strings.ReplaceAll(line, "$HOME", filepath.Join(p.dir, "home"))
	if _, err := io.WriteString(e.send, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *player) next(where, verb string) string {
	e := p.client
	if strings.HasPrefix(verb, "agent") {
		e = p.agent
	} else if verb != "client<?" && len(p.aside) > 0 {
		line := p.aside[0]
		p.aside = p.aside[1:]
		return line
	}
	select {
	case line := <-e.got:
		return p.shown(line)
	case <-time.After(10 * time.Second):
		p.t.Fatalf("%s: nothing comes", where)
		return ""
	}
}
