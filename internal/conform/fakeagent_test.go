// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A fakeAgent is an agent that keeps every rule, and breaks the one whose check is
// its fault. It shares nothing with our own agent. What it knows of skills it reads
// from the names of directories.
type fakeAgent struct {
	level string // none, skill or inline
	fault string // the id of a check
	disk  *fakeDisk

	out    io.Writer
	mu     sync.Mutex // the two that write: the loop and the watch
	inited bool
	v1     bool
	caps   string // of the client, as it wrote them
	skills bool   // the client's capability
	open   map[string]*fakeSession
	made   int
	first  string // id of the first session
}

// A fakeDisk is what survives a fake agent.
type fakeDisk struct {
	mu       sync.Mutex
	sessions map[string][]fakeMessage
	n        int
}

type fakeMessage struct{ id, content string }

type fakeSession struct {
	id, cwd string
	list    string // as it was sent
	busy    bool
	own     bool // was made on this connection
	refuse  bool
}

func (a *fakeAgent) is(fault string) bool { return a.fault == fault }

// serve is the agent's life.
func (a *fakeAgent) serve(in io.Reader, out io.Writer) {
	a.out, a.open = out, map[string]*fakeSession{}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(25 * time.Millisecond):
				a.watch()
			}
		}
	}()
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break
		}
		a.mu.Lock()
		a.line(bytes.TrimRight(line, "\r\n"))
		a.mu.Unlock()
	}
	close(stop)
	<-stopped
}

func (a *fakeAgent) print(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }

func (a *fakeAgent) fail(id []byte, code int, msg string) {
	a.print(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, rawjson.Quote(msg))
}

func (a *fakeAgent) update(s, u string) {
	a.print(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%s,"update":%s}}`, rawjson.Quote(s), u)
}

func (a *fakeAgent) line(line []byte) {
	null := []byte("null")
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		if a.is("wire/blank") {
			a.fail(null, -32700, "empty line")
		}
		return
	case !rawjson.Valid(line):
		if !a.is("wire/not-json") {
			a.fail(null, -32700, "no JSON")
		}
		return
	case rawjson.IsArray(line):
		if a.is("wire/batch") {
			a.fail([]byte("77"), -32601, "no such method")
			return
		}
		a.fail(null, -32600, "no batches")
		return
	case !rawjson.IsObject(line):
		code := -32600
		if a.is("wire/primitive") {
			code = -32700
		}
		a.fail(null, code, "no object")
		return
	}
	id, params := rawjson.Get(line, "id"), rawjson.Get(line, "params")
	method, _ := rawjson.GetString(line, "method")
	switch {
	case method == "":
		return
	case id == nil:
		a.notification(method, params)
		return
	case rawjson.Get(line, "jsonrpc") == nil && !a.is("wire/envelope"):
		a.fail(null, -32600, "no envelope")
		return
	case string(id) == "1.5" && !a.is("wire/fraction-id"):
		a.fail(null, -32600, "an id is an integer or a string")
		return
	case string(id) == "null" && !a.is("wire/null-id"):
		a.fail(id, -32600, "an id is an integer or a string")
		return
	}
	a.request(a.respell(id), method, params)
}

func (a *fakeAgent) respell(id []byte) []byte {
	switch {
	case a.is("id/string") && string(id) == `"7"`:
		return []byte("7")
	case a.is("id/large") && string(id) == "9007199254740993":
		return []byte("9007199254740992")
	}
	return id
}

func (a *fakeAgent) notification(method string, params []byte) {
	session, _ := rawjson.GetString(params, "sessionId")
	switch s := a.open[session]; {
	case method == "session/cancel" && s != nil && s.busy:
		s.busy = false
		a.update(session, `{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}`)
		if a.is("cancel/work") {
			a.say(session, "one")
		}
	case method == "session/cancel" && s != nil:
		s.refuse = a.is("cancel/idle")
	case method == "$/cancel_request":
		if a.is("cancel/request") {
			a.fail(rawjson.Get(params, "requestId"), -32800, "cancelled")
		}
	default:
		if a.is("error/notification") && method == "_conform/unknown" {
			a.fail([]byte("null"), -32601, "no such method")
		}
	}
}

func (a *fakeAgent) say(session, text string) {
	a.update(session, `{"sessionUpdate":"agent_message_chunk","messageId":"a","content":{"type":"text","text":"`+text+`"}}`)
}

func (a *fakeAgent) request(id []byte, method string, params []byte) {
	result := func(r string) { a.print(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, r) }
	session, _ := rawjson.GetString(params, "sessionId")
	s := a.open[session]
	switch {
	case method == "initialize":
		a.initialize(id, params, result)
	case !a.inited && !a.is("init/first"):
		a.fail(id, -32600, "initialize first")
	case method == "session/new":
		a.newSession(id, params, result)
	case method == "session/fork":
		a.newSession(id, params, result)
	case method == "session/resume":
		a.resume(id, session, params, result)
	case method == "session/list":
		cwd := "/work"
		if a.is("session/list") {
			cwd = "work"
		}
		var all []string
		a.disk.mu.Lock()
		for id := range a.disk.sessions {
			if len(a.disk.sessions[id]) == 0 || !a.is("session/listed") {
				all = append(all, `{"sessionId":"`+id+`","cwd":"`+cwd+`"}`)
			}
		}
		a.disk.mu.Unlock()
		slices.Sort(all)
		result(`{"sessions":[` + strings.Join(all, ",") + `]}`)
	case method == "session/close":
		if s == nil && a.is("session/close-unknown") {
			a.fail(id, -32002, "no such session")
			return
		}
		if a.is("wire/clean") {
			a.print("closing a session")
		}
		if !a.is("session/close") {
			delete(a.open, session)
		}
		result(`{}`)
		if a.is("session/silent") {
			a.update(session, `{"sessionUpdate":"usage_update","used":1,"size":2}`)
		}
	case method == "session/delete":
		if !a.is("session/delete") {
			a.disk.mu.Lock()
			delete(a.disk.sessions, session)
			a.disk.mu.Unlock()
			delete(a.open, session)
		}
		result(`{}`)
	case method == "session/prompt":
		a.prompt(id, session, s, rawjson.Get(params, "prompt"), result)
	case a.is("error/method") && method == "session/conform_unknown":
		a.fail(id, -32603, "no such method")
	case a.is("id/integer") && string(id) == "0":
	default:
		a.fail(id, -32601, "no such method")
	}
}

func (a *fakeAgent) initialize(id, params []byte, result func(string)) {
	version := string(rawjson.Get(params, "protocolVersion"))
	switch {
	case version == "0" && !a.is("init/unsupported"):
		a.print(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"unsupported","data":{"requested":0,"supported":[1,2]}}}`, id)
		return
	case version == "1":
		a.inited, a.v1 = true, true
		result(`{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"fake","version":"1"}}`)
		return
	case version == "4711" && a.is("init/newer"):
		a.fail(id, -32022, "unsupported")
		return
	case a.inited && a.is("init/again"):
		a.fail(id, -32600, "once is enough")
		return
	}
	a.inited = true
	a.caps = string(rawjson.Get(params, "capabilities"))
	a.skills = rawjson.IsObject(rawjson.Get([]byte(a.caps), "session", "commands", "skill"))
	for fault, caps := range map[string]string{
		"C1/empty": `{"session":{}}`, "C1/null": `{"session":{"commands":{"skill":null}}}`, "C1/not-object": `{"session":{"commands":{"skill":true}}}`,
	} {
		a.skills = a.skills || a.is(fault) && a.caps == caps
	}
	prompt := map[string]string{"none": ``, "skill": `,"skill":{}`, "inline": `,"skill":{"inline":{}}`}[a.level]
	switch {
	case a.is("C2/shape"):
		prompt = `,"skill":{"inline":true}`
	case a.is("C3/advertised"):
		prompt = ""
	}
	info := `{"name":"fake","version":"1"}`
	if a.is("init/answer") {
		info = `{"name":"fake"}`
	}
	result(`{"protocolVersion":2,"info":` + info + `,"capabilities":{"session":{"prompt":{"image":{}` + prompt + `},"delete":{},"fork":{},"additionalDirectories":{}}}}`)
}

// found are the names of the skills in a directory.
func found(cwd string) []string {
	var names []string
	entries, _ := os.ReadDir(filepath.Join(cwd, ".agents", "skills"))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// entries is a session's list.
func (a *fakeAgent) entries(s *fakeSession, skills bool) string {
	compact := `{"type":"command","name":"compact","description":"Makes it short"}`
	if a.is("A0/type") {
		compact = `{"type":"command","name":"compact"}`
	}
	out := []string{compact}
	names := found(s.cwd)
	for _, n := range names {
		if n == skillHidden && !a.is("A7/invocable") {
			continue
		}
		two := n == skillTwo
		name, kind, more := n, "skill", ""
		about := "About " + n
		switch {
		case n == skillOne && a.is("A5/short"):
			about = "It tells a whole story, written for a model, about this"
		case two && a.is("A5/line"):
			about = `two\nlines`
		case two && a.is("A3/shape"):
			more = `,"input":{"type":"text","hint":"x"}`
		case two && a.is("A4/blanks"):
			name = "conform two"
		case two && a.is("A8/agree") && slices.Contains(names, skillLate):
			kind = "command"
		}
		path := filepath.Join(s.cwd, ".agents", "skills", n, "SKILL.md")
		if two && a.is("A6/path") {
			path = filepath.Dir(path)
		}
		if !skills || a.level == "none" {
			if two && a.is("A2/commands") {
				continue
			}
			kind, path = "command", ""
		}
		if path != "" {
			more += `,"path":` + string(rawjson.Quote(path))
		}
		out = append(out, fmt.Sprintf(`{"type":"%s","name":"%s","description":"%s"%s}`, kind, name, about, more))
		if two && a.is("A4/unique") {
			out = append(out, out[len(out)-1])
		}
	}
	return "[" + strings.Join(out, ",") + "]"
}

func (a *fakeAgent) newSession(id, params []byte, result func(string)) {
	cwd, ok := rawjson.GetString(params, "cwd")
	if !ok && !a.is("error/params") {
		a.fail(id, -32602, "cwd is required")
		return
	}
	if ok && !filepath.IsAbs(cwd) && !a.is("error/relative") {
		a.fail(id, -32602, "cwd is not absolute")
		return
	}
	a.disk.mu.Lock()
	a.disk.n++
	a.made++
	s := &fakeSession{id: fmt.Sprint("s", a.disk.n), cwd: cwd, own: true}
	if a.is("session/new") && a.made > 1 {
		s.id = a.first
	}
	if a.made == 1 {
		a.first = s.id
	}
	a.disk.sessions[s.id] = nil
	a.disk.mu.Unlock()
	a.open[s.id] = s
	s.list = a.entries(s, a.skills)
	list := s.list
	if a.v1 {
		list = a.entries(s, a.is("C4/version-1"))
		result(`{"sessionId":"` + s.id + `"}`)
		a.update(s.id, `{"sessionUpdate":"available_commands_update","availableCommands":`+list+`}`)
		return
	}
	result(`{"sessionId":"` + s.id + `","availableCommands":` + list + `}`)
	if a.is("A8/once") {
		a.update(s.id, `{"sessionUpdate":"available_commands_update","availableCommands":`+list+`}`)
	}
}

// watch sends the lists again that changed.
func (a *fakeAgent) watch() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.open {
		list := a.entries(s, a.skills)
		grew := len(list) > len(s.list)
		if list == s.list || a.v1 || grew && a.is("A8/added") || !grew && a.is("A8/removed") {
			continue
		}
		if _, err := os.Stat(s.cwd); err != nil {
			continue
		}
		s.list = list
		a.update(s.id, `{"sessionUpdate":"available_commands_update","availableCommands":`+list+`}`)
	}
}

func (a *fakeAgent) resume(id []byte, session string, params []byte, result func(string)) {
	a.disk.mu.Lock()
	history, ok := a.disk.sessions[session]
	a.disk.mu.Unlock()
	if !ok && !(a.is("replay/unknown") && session == noSuchSession) {
		a.fail(id, -32002, "no such session")
		return
	}
	cwd, _ := rawjson.GetString(params, "cwd")
	s := a.open[session]
	if s == nil {
		s = &fakeSession{id: session, cwd: cwd, own: a.made > 0}
		a.open[session] = s
	}
	s.list = a.entries(s, a.skills || a.is("A1/setup") && a.caps == "{}")
	replay := rawjson.Get(params, "replayFrom") != nil || a.is("replay/none")
	var late []string
	for _, m := range history {
		if !replay {
			break
		}
		content := m.content
		switch {
		case a.is("P6/replay") && s.own, a.is("P6/restart") && !s.own && a.skills:
			content = asText(content)
		case a.is("P7/plain") && !a.skills && strings.Contains(content, `"skill"`):
			content = `[]`
		}
		u := `{"sessionUpdate":"user_message","messageId":"` + m.id + `","content":` + content + `}`
		if a.is("replay/start") {
			late = append(late, u)
			continue
		}
		a.update(session, u)
	}
	if !a.is("replay/state") {
		a.update(session, `{"sessionUpdate":"state_update","state":"idle"}`)
	}
	result(`{"availableCommands":` + s.list + `}`)
	for _, u := range late {
		a.update(session, u)
	}
}

// asText makes text of skill blocks.
func asText(content string) string {
	var out [][]byte
	for _, e := range rawjson.Elements([]byte(content)) {
		b := e.Value
		if kind, _ := rawjson.GetString(b, "type"); kind == "skill" {
			name, _ := rawjson.GetString(b, "name")
			b = []byte(textBlock("/" + name))
		}
		out = append(out, b)
	}
	return string(rawjson.Array(out))
}
