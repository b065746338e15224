// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// TestAnyConversation plays conversations in which everything happens at any
// time: setups, prompts, cancels, closes, early and late lists, echoes, slow
// disks and changes on them. What holds in all of them:
//
//   - a request of the client gets one answer, if the agent answers each request
//     that it gets once (PXY-6);
//   - a request that we answered is never forwarded, and none is twice (ACP-P4);
//   - what the client sends for a session reaches the agent in order, and the
//     other way round; a response overtakes nothing (PXY-2);
//   - what is not about skills arrives byte for byte (PXY-1);
//   - a list differs from the one before, has each name once, and has no skill
//     for a client that knows none (ACP-A1, ACP-A4, ACP-A8);
//   - nothing is sent for a session after its close was answered;
//   - in version 1, what the agent says of a prompt is shown without our tags, and
//     nothing calls itself a skill (PXY-5, ACP-C4).
func TestAnyConversation(t *testing.T) {
	dir := t.TempDir()
	skillFile(t, dir, "a/.agents/skills/one")
	skillFile(t, dir, "a/.claude/skills/two")
	skillFile(t, dir, "b/.agents/skills/two")
	n := 0
	for _, version := range []int{2, 1} {
		t.Run(fmt.Sprintf("v%d", version), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// The time of the bubble has no deadline that rapid could ask for.
				rapid.Check(struct{ rapid.TB }{t}, func(t *rapid.T) {
					n++
					m := newMachine(t, dir, n, version)
					defer m.close()
					t.Repeat(map[string]func(*rapid.T){
						"new": m.new, "resume": m.resume, "fork": m.fork, "end": m.end, "prompt": m.prompt, "other": m.other,
						"cancel": m.cancel, "cancelRequest": m.cancelRequest, "answer": m.answer, "update": m.update, "list": m.list,
						"echo": m.echo, "slow": m.slow, "disk": m.disk,
					})
					m.finish()
				})
			})
		})
	}
}

func skillFile(t interface{ Fatal(...any) }, dir, name string) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("---\nname: %s\ndescription: Does it. Use when asked.\n---\nBODY-%[1]s\n", filepath.Base(name))
	if err := os.WriteFile(filepath.Join(path, "SKILL.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sink takes what a side is sent. It has a lock although all is quiet when it is
// looked at: what a timer of the bubble sets off happens after the sleep of the
// test, but the race detector sees no edge from one to the other.
type sink struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

// take is what came since the last call.
func (s *sink) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.buf.Reset()
	return s.buf.String()
}

type machine struct {
	t     *rapid.T
	dir   string
	r     *relay
	store *catalog.Store
	out   [2]*sink                      // to the client, to the agent
	slowC atomic.Pointer[chan struct{}] // reading skills waits for it, if there
	plain bool                          // the client knows no skills
	v1    bool

	seq      int
	open     map[jsonrpc.ID]string // requests of the client, and what they were
	sent     map[jsonrpc.ID]string // the lines
	asked    []jsonrpc.Message     // what the agent has to answer
	sessions map[string]bool       // that the client knows
	named    map[jsonrpc.ID]string // and for which request
	promised map[jsonrpc.ID]int    // an answer, and how many updates came before it
	owner    map[jsonrpc.ID]string // the session of a request
	toAgent  map[string][]int      // of a session: what it was sent, by number
	toClient map[string][]string   // likewise the other way, as lines
	lists    map[string]string     // the last one of a session
	closed   map[string]bool
	anew     map[string]bool     // closed while a resume is under way, which opens it again
	got      map[string][]string // the blocks of a session's prompts, as the agent got them
}

func newMachine(t *rapid.T, dir string, n, version int) *machine {
	m := &machine{
		t: t, dir: dir, store: catalog.NewStore(&catalog.StoreOptions{MaxWatches: -1}),
		out: [2]*sink{{}, {}}, open: map[jsonrpc.ID]string{}, sent: map[jsonrpc.ID]string{}, sessions: map[string]bool{},
		named: map[jsonrpc.ID]string{}, promised: map[jsonrpc.ID]int{}, owner: map[jsonrpc.ID]string{},
		toAgent: map[string][]int{}, toClient: map[string][]string{}, lists: map[string]string{}, closed: map[string]bool{}, anew: map[string]bool{}, got: map[string][]string{},
		v1: version == 1,
	}
	_ = os.RemoveAll(filepath.Join(dir, "a/.agents/skills/three"))
	m.r = newRelay(ends{fromAgent: jsonrpc.NewReader(strings.NewReader(""), nil), toClient: jsonrpc.NewWriter(m.out[0], nil), toAgent: jsonrpc.NewWriter(m.out[1], nil)}, graft.Options{
		Store:    m.store,
		Profile:  rapid.SampledFrom(profile.Known()).Draw(t, "profile"),
		Activate: m.activate,
		Journal: func(string) *journal.Journal {
			return journal.Open(journal.Options{Dir: filepath.Join(dir, "journal"), Agent: fmt.Sprint(n)})
		},
	}, slog.New(slog.DiscardHandler))
	m.plain = m.v1 || rapid.Bool().Draw(t, "plain")
	caps := `{"skill":{}}`
	if m.plain {
		caps = "null"
	}
	agent := rapid.SampledFrom([]string{`{}`, `{"skill":{}}`, `{"skill":{"inline":{}}}`}).Draw(t, "agent")
	m.r.clientMessage(new(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":` + fmt.Sprint(version) + `,"capabilities":{"session":{"commands":` + caps + `}}}}`))))
	m.r.agentMessage(new(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":` + fmt.Sprint(version) + `,"capabilities":{"session":{"prompt":` + agent + `}}}}`))))
	synctest.Wait()
	m.flush()
	m.out[0].take()
	m.out[1].take()
	return m
}

func (m *machine) close() {
	m.r.chain.close()
	_ = m.r.toAgent.Close()
	_ = m.r.toClient.Close()
	_ = m.store.Close()
}

func (m *machine) activate(ctx context.Context, l acpskill.Listed) (*skill.Activation, error) {
	if slow := m.slowC.Load(); slow != nil {
		select {
		case <-*slow:
		case <-ctx.Done():
		}
	}
	return acpskill.Activate(ctx, l)
}

// fromClient sends a message of the client. Its number is in it.
func (m *machine) fromClient(method, session, params string, request bool) jsonrpc.ID {
	m.seq++
	line := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{"n" : %d`, method, m.seq)
	if session != "" {
		line += fmt.Sprintf(`,"sessionId":%q`, session)
	}
	if params != "" {
		line += "," + params
	}
	line += "}"
	var id jsonrpc.ID
	if request {
		id = jsonrpc.ID(fmt.Sprint(m.seq))
		line += `,"id":` + string(id)
		m.open[id], m.owner[id] = method, session
	}
	line += "}"
	m.sent[jsonrpc.ID(fmt.Sprint(m.seq))] = line
	m.r.clientMessage(new(jsonrpc.Scan([]byte(line))))
	m.settle()
	return id
}

func (m *machine) fromAgent(line string) {
	m.r.agentMessage(new(jsonrpc.Scan([]byte(line))))
	m.settle()
}

func (m *machine) flush() {
	_ = m.r.toClient.Flush()
	_ = m.r.toAgent.Flush()
}

// settle waits until all is quiet, and looks at what has come.
func (m *machine) settle() {
	synctest.Wait()
	m.flush()
	m.look()
}

// session picks one that the client knows.
func (m *machine) session() string {
	var ids []string
	for id := range m.sessions {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		m.t.Skip("no session")
	}
	slices.Sort(ids)
	return rapid.SampledFrom(ids).Draw(m.t, "session")
}

func (m *machine) cwd() string {
	return fmt.Sprintf(`"cwd":%q`, filepath.Join(m.dir, rapid.SampledFrom([]string{"a", "b", "none"}).Draw(m.t, "cwd")))
}

func (m *machine) new(*rapid.T) { m.fromClient("session/new", "", m.cwd(), true) }
func (m *machine) fork(*rapid.T) {
	m.fromClient("session/fork", m.session(), m.cwd(), true)
}

func (m *machine) resume(t *rapid.T) {
	s := "old"
	if len(m.sessions) > 0 && rapid.Bool().Draw(t, "known") {
		s = m.session()
	}
	delete(m.lists, s)
	m.closed[s] = false
	method := "session/resume"
	if m.v1 && rapid.Bool().Draw(t, "load") {
		method = "session/load"
	}
	m.fromClient(method, s, m.cwd()+`,"replayFrom":{"type":"start"}`, true)
}

// reopens tells the requests that open a session which was there before.
func reopens(method string) bool { return method == "session/resume" || method == "session/load" }

func (m *machine) end(t *rapid.T) {
	s := m.session()
	m.fromClient(rapid.SampledFrom([]string{"session/close", "session/delete"}).Draw(t, "how"), s, "", true)
	delete(m.sessions, s) // a client does not use it any more
	delete(m.got, s)
}

func (m *machine) prompt(t *rapid.T) {
	block := rapid.SampledFrom([]string{
		`{"type":"text","text":"hello"}`, `{"type":"text","text":"/one x"}`, `{"type":"text","text":"/cmd"}`, `{"type":"skill","name":"one"}`,
		`{"type":"skill","name":"one"}`, `{"type":"skill","name":"two"}`, `{"type":"skill","name":"three"}`, `{"type":"image","data":"AA==", "mimeType":"x/y"}`,
	})
	blocks := rapid.SliceOfN(block, 1, 3).Draw(t, "blocks")
	m.fromClient("session/prompt", m.session(), `"prompt":[`+strings.Join(blocks, ", ")+`]`, true)
}

func (m *machine) other(t *rapid.T) {
	m.fromClient("session/set_config_option", m.session(), `"big":1e400`, true)
}

func (m *machine) cancel(*rapid.T) { m.fromClient("session/cancel", m.session(), "", false) }

func (m *machine) cancelRequest(t *rapid.T) {
	var ids []string
	for id := range m.open {
		ids = append(ids, string(id))
	}
	if len(ids) == 0 {
		t.Skip("no request")
	}
	slices.Sort(ids)
	m.fromClient("$/cancel_request", "", `"requestId":`+rapid.SampledFrom(ids).Draw(t, "request"), false)
}

// agentSession picks a session for which the agent may send something.
func (m *machine) agentSession(t *rapid.T) string {
	var ids []string
	for s := range m.sessions {
		ending := slices.ContainsFunc(m.asked, func(a jsonrpc.Message) bool { return a.SessionID == s && a.Method == "session/close" })
		if !ending && !m.closed[s] {
			ids = append(ids, s)
		}
	}
	for _, a := range m.asked {
		if reopens(a.Method) && !slices.Contains(ids, a.SessionID) && !m.closed[a.SessionID] {
			ids = append(ids, a.SessionID)
		}
	}
	if len(ids) == 0 {
		t.Skip("no session")
	}
	slices.Sort(ids)
	return rapid.SampledFrom(ids).Draw(t, "session")
}

const agentCommands = `{"type":"command","name":"cmd","description":"d","x" : 1.0}|{"type":"command","name":"one","description":"d"}|{"type":"command","name":"two","description":"d"}|{"type":"command","name":"$one","description":"d"}|{"type":"skill","name":"own","description":"d"}|{"type":"skill","name":"two","description":"d"}|{"type":"_x","name":"y"}|{"type":"skill"}`

func (m *machine) agentList(t *rapid.T) string {
	all := rapid.SliceOfNDistinct(rapid.SampledFrom(strings.Split(agentCommands, "|")), 0, 4, func(s string) string {
		name, _ := rawjson.GetString([]byte(s), "name")
		if kind, _ := rawjson.GetString([]byte(s), "type"); kind == "skill" && !m.v1 {
			name += " " // a command and a skill of one name are told apart
		}
		return name
	}).Draw(t, "list")
	for i, entry := range all {
		if m.v1 {
			all[i] = strings.Replace(entry, `"type":"command",`, "", 1)
		}
	}
	return `[` + strings.Join(all, ",") + `]`
}

func (m *machine) update(t *rapid.T) {
	s := m.agentSession(t)
	m.seq++
	line := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"_x","n": %d},"sessionId":%q}}`, m.seq, s)
	if rapid.Bool().Draw(t, "request") {
		line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":%q}}`, m.seq, s)
	}
	m.toClient[s] = append(m.toClient[s], line)
	m.fromAgent(line)
}

func (m *machine) list(t *rapid.T) {
	var s string
	if early := m.early(); len(early) > 0 && rapid.Bool().Draw(t, "early") {
		s = rapid.SampledFrom(early).Draw(t, "session")
	} else {
		s = m.agentSession(t)
	}
	list := m.agentList(t)
	if !m.known(s) && m.lists[s] != "" {
		t.Skip("an agent that repeats itself for a session that nobody knows is passed on")
	}
	m.fromAgent(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"available_commands_update","availableCommands":%s}}}`, s, list))
}

func (m *machine) known(s string) bool { return m.sessions[s] }

// early are the names of sessions that the agent is making.
func (m *machine) early() []string {
	var out []string
	for _, a := range m.asked {
		if a.Method == "session/new" || a.Method == "session/fork" {
			out = append(out, m.nameFor(a.ID))
		}
	}
	return out
}

func (m *machine) nameFor(id jsonrpc.ID) string {
	if m.named[id] == "" {
		m.named[id] = "s" + string(id)
	}
	return m.named[id]
}

func (m *machine) echo(t *rapid.T) {
	m.seq++
	if m.v1 {
		s := m.agentSession(t)
		content := rapid.SampledFrom(append([]string{`{"type":"text","text":"hello"}`}, m.got[s]...)).Draw(t, "block")
		m.fromAgent(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"user_message_chunk","content":%s}}}`, s, content))
		return
	}
	m.fromAgent(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"user_message","messageId":"m%d","content":[{"type":"text","text":"hello"}]}}}`,
		m.agentSession(t), m.seq))
}

func (m *machine) answer(t *rapid.T) {
	if len(m.asked) == 0 {
		t.Skip("nothing was asked")
	}
	m.answerAt(rapid.IntRange(0, len(m.asked)-1).Draw(t, "request"), rapid.IntRange(0, 4).Draw(t, "outcome") > 0)
}

func (m *machine) answerAt(i int, ok bool) {
	a := m.asked[i]
	m.asked = slices.Delete(m.asked, i, i+1)
	result := "{}"
	switch a.Method {
	case "session/new", "session/fork", "session/resume", "session/load":
		var members []string
		if !reopens(a.Method) {
			members = append(members, fmt.Sprintf(`"sessionId":%q`, m.nameFor(a.ID)))
		}
		if !m.v1 && rapid.Bool().Draw(m.t, "with list") {
			members = append(members, `"availableCommands":`+m.agentList(m.t))
		}
		result = "{" + strings.Join(members, ",") + "}"
	case "session/prompt":
		if result = fmt.Sprintf(`{"messageId":"p%s"}`, a.ID); m.v1 {
			result = `{"stopReason":"end_turn"}`
		}
		if !ok {
			delete(m.got, a.SessionID) // a prompt that was refused is in no conversation
		}
	case "session/delete":
		if ok {
			delete(m.got, a.SessionID) // also what was said after it was asked for
		}
	}
	m.promised[a.ID] = 0
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, a.ID, result)
	if !ok {
		line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"no"}}`, a.ID)
	}
	m.fromAgent(line)
	if rapid.IntRange(0, 9).Draw(m.t, "twice") == 0 {
		m.fromAgent(line) // an agent that answers twice is heard once
	}
}

// slow has the reading of skills wait, or go on.
func (m *machine) slow(*rapid.T) {
	slow := make(chan struct{})
	if m.slowC.CompareAndSwap(nil, &slow) {
		return
	}
	close(*m.slowC.Swap(nil))
	m.settle()
}

func (m *machine) disk(t *rapid.T) {
	path := "a/.agents/skills/three"
	if os.RemoveAll(filepath.Join(m.dir, path)) == nil && rapid.Bool().Draw(t, "there") {
		skillFile(t, m.dir, path)
	}
	time.Sleep(3 * time.Second) // of the bubble: the catalog polls
	m.settle()
}

// finish has the agent answer what it was asked, and all is over.
func (m *machine) finish() {
	if m.slowC.Load() != nil {
		m.slow(m.t)
	}
	for len(m.asked) > 0 {
		m.answerAt(0, true)
	}
	if len(m.open) > 0 {
		m.t.Fatalf("never answered: %v", m.open)
	}
	for s, lines := range m.toClient {
		if len(lines) > 0 && !m.closed[s] {
			m.t.Fatalf("never delivered: %q", lines)
		}
	}
}
