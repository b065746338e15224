// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/mcpskill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// remotePlayer plays a conversation with MCP servers that serve skills.
type remotePlayer struct {
	*player
}

func newRemotePlayer(t *testing.T, files string, o *graft.MCPSkills) *remotePlayer {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &player{t: t, dir: dir, ar: &txtar.Archive{}, nonces: map[string]string{}}
	p.hold.Store(nil)
	for _, f := range txtar.Parse([]byte(files)).Files {
		p.write(f.Name, f.Data)
	}
	p.write("ws/.keep", nil)
	p.store = catalog.NewStore(&catalog.StoreOptions{Debounce: 20 * time.Millisecond})
	t.Cleanup(func() { _ = p.store.Close() })
	o.Approvals = mcpskill.OpenApprovals(filepath.Join(dir, "state", "approvals.json"))
	o.Cache = mcpskill.OpenCache(filepath.Join(dir, "state", "cache"), 0)
	p.opt.mcp = o
	p.start()
	t.Cleanup(func() {
		p.stop()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return &remotePlayer{player: p}
}

// serve serves a directory of the player over HTTP.
func (p *remotePlayer) serve(sub string) (url string, s *mcpskill.Server) {
	p.t.Helper()
	s, err := mcpskill.NewServer(p.t.Context(), mcpskill.FS(mcpskill.DirFS(filepath.Join(p.dir, sub)), "."), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	srv := httptest.NewServer(s.Handler(nil))
	p.t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL, s
}

// session sets up a session with servers, each NAME=URL.
func (p *remotePlayer) session(id string, servers ...string) {
	p.t.Helper()
	var list []string
	for _, s := range servers {
		name, url, _ := strings.Cut(s, "=")
		list = append(list, `{"type":"http","name":"`+name+`","url":"`+url+`","headers":[]}`)
	}
	line := `{"jsonrpc":"2.0","id":"new-` + id + `","method":"session/new","params":{"cwd":"$WS","mcpServers":[` + strings.Join(list, ",") + `]}}`
	p.send(p.client, line)
	p.has("agent<", `"mcpServers":[`+strings.Join(list, ","))
	p.send(p.agent, `{"jsonrpc":"2.0","id":"new-`+id+`","result":{"sessionId":"`+id+`"}}`)
	p.has("client<", `"sessionId":"`+id+`"`)
}

func (p *remotePlayer) has(verb string, texts ...string) string {
	p.t.Helper()
	got := p.next("", verb)
	if part := differs(got, strings.Join(texts, " && ")); part != "" {
		p.t.Fatalf("%s\n%s\nagainst %q", verb, got, part)
	}
	return got
}

func (p *remotePlayer) prompt(id, session, skill string) {
	p.send(p.client, `{"jsonrpc":"2.0","id":"`+id+`","method":"session/prompt","params":{"sessionId":"`+session+`","prompt":[{"type":"skill","name":"`+skill+`"},{"type":"text","text":"Go."}]}}`)
}

// asked takes the question and answers it.
func (p *remotePlayer) asked(option string, texts ...string) {
	p.t.Helper()
	got := p.has("client<", append([]string{"session/request_permission"}, texts...)...)
	i := strings.Index(got, `"id":"`)
	id, _, _ := strings.Cut(got[i+len(`"id":"`):], `"`)
	p.send(p.client, `{"jsonrpc":"2.0","id":"`+id+`","result":{"outcome":{"outcome":"selected","optionId":"`+option+`"}}}`)
}

func (p *remotePlayer) accept(id string) {
	p.t.Helper()
	p.send(p.agent, `{"jsonrpc":"2.0","id":"`+id+`","result":{"messageId":"m-`+id+`"}}`)
	p.has("client<", `"id":"`+id+`"`)
}

const served = `
-- a/tea/SKILL.md --
---
name: tea
description: Makes tea when asked.
allowed-tools: Bash(rm *)
---
Boil the water of A.
-- a/tea/refs/pot.md --
A pot.
-- b/tea/SKILL.md --
---
name: tea
description: Makes tea when asked.
---
Boil the water of B.
`

// A client names a server: its skill is listed, asked about once, and its body reaches
// the agent with its origin. A change, and a restart, ask and do not ask again.
func TestServedSkillEndToEnd(t *testing.T) {
	p := newRemotePlayer(t, served, &graft.MCPSkills{})
	url, server := p.serve("a")
	p.hello("skill", "plain")
	p.session("s1", "docs="+url)
	p.has("client<", "available_commands_update", `"type":"skill","name":"tea"`, "Makes tea when asked. (from the MCP server docs)", `!"path"`)

	// No: nothing reaches the agent.
	p.prompt("p0", "s1", "tea")
	p.asked("do-not-use", `"sessionId":"s1"`)
	p.has("client<", `"id":"p0"`, "-32602", "not approved")

	p.prompt("p1", "s1", "tea")
	p.asked("use", "tea", "docs", url, "SKILL.md, refs/pot.md", "allowed-tools: Bash(rm *), which is not granted")
	p.has("agent<", `"id":"p1"`, "Boil the water of A.", `origin=\"MCP server &quot;docs&quot; at `+url, "!Bash(rm", "!allowed-tools", "!A pot.", `"text":"Go."`)
	p.accept("p1")
	p.prompt("p2", "s1", "tea")
	p.has("agent<", `"id":"p2"`, "Boil the water of A.") // not asked again
	p.accept("p2")

	// After a restart the approval holds (MCP-5).
	p.stop()
	maps.DeleteFunc(p.nonces, func(_, shown string) bool { return shown == "ASK" }) // it has another one
	p.start()
	p.hello("skill", "plain")
	p.session("s2", "docs="+url)
	p.has("client<", "available_commands_update", `"name":"tea"`)
	p.prompt("p3", "s2", "tea")
	p.has("agent<", `"id":"p3"`, "Boil the water of A.")
	p.accept("p3")

	// Another file: it is asked again, with what changed.
	p.write("a/tea/refs/pot.md", []byte("Another pot.\n"))
	if err := server.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.prompt("p4", "s2", "tea")
	p.asked("use-once", "It is another one than you approved.", "Changed: refs/pot.md.")
	p.has("agent<", `"id":"p4"`, "Boil the water of A.")
	p.accept("p4")

	// A prompt that is cancelled while the user thinks reaches nobody, and a late
	// answer of the client is none of the agent's business.
	p.prompt("p5", "s2", "tea")
	question := p.has("client<", "session/request_permission")
	p.send(p.client, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p5"}}`)
	p.has("client<", `"id":"p5"`, "-32800")
	p.has("client<", "$/cancel_request")
	i := strings.Index(question, `"id":"`)
	id, _, _ := strings.Cut(question[i+len(`"id":"`):], `"`)
	p.send(p.client, `{"jsonrpc":"2.0","id":"`+id+`","result":{"outcome":{"outcome":"selected","optionId":"use"}}}`)
	p.send(p.client, `{"jsonrpc":"2.0","method":"x/last","params":{}}`)
	p.has("agent<", "x/last")
}

// Same uri on two servers and the same name locally: three entries, three bodies
// (MCP-3, MCP-7).
func TestServedNamesClash(t *testing.T) {
	p := newRemotePlayer(t, served+`-- ws/.agents/skills/tea/SKILL.md --
---
name: tea
description: Makes tea here.
---
Boil the water of the disk.
`, &graft.MCPSkills{})
	a, _ := p.serve("a")
	b, _ := p.serve("b")
	p.hello("skill", "plain")
	p.session("s1", "left="+a, "right="+b)
	p.has("client<", `"name":"tea"`, "Makes tea here.", "!left:tea")
	for {
		got := p.has("client<", "available_commands_update", `"name":"tea"`)
		if strings.Contains(got, `"name":"left:tea"`) && strings.Contains(got, `"name":"right:tea"`) {
			break
		}
	}
	p.prompt("p1", "s1", "tea")
	p.has("agent<", "water of the disk", "!origin=")
	p.accept("p1")
	for name, body := range map[string]string{"left:tea": "water of A", "right:tea": "water of B"} {
		p.prompt(name, "s1", name)
		p.asked("use", name[:strings.Index(name, ":")])
		p.has("agent<", body, "origin=")
		p.accept(name)
	}
}

// Servers that hang, die or are none cost their own skills only, and nobody waits.
func TestServersThatFailCostThemselves(t *testing.T) {
	p := newRemotePlayer(t, served, &graft.MCPSkills{Timeout: 200 * time.Millisecond})
	url, _ := p.serve("a")
	stuck := make(chan struct{})
	hang := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stuck }))
	t.Cleanup(func() { close(stuck); hang.CloseClientConnections(); hang.Close() })
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	t.Cleanup(page.Close)
	p.hello("skill", "plain")
	p.session("s1", "hangs="+hang.URL, "dead="+dead.URL, "page="+page.URL, "docs="+url)
	p.has("client<", "available_commands_update", `"name":"tea"`, "!hangs", "!page")
}

// Off means off: no server is called, not even until everything has ended.
func TestServedSkillsOff(t *testing.T) {
	p := newRemotePlayer(t, served, &graft.MCPSkills{})
	p.opt.mcp = nil
	p.stop()
	p.start()
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was called") }))
	t.Cleanup(srv.Close)
	p.hello("skill", "plain")
	p.session("s1", "docs="+srv.URL)
	p.send(p.client, `{"jsonrpc":"2.0","method":"x/last","params":{}}`)
	p.has("agent<", "x/last")
}
