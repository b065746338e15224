// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/internal/scriptmodel"
)

// role is one kind of client.
type role struct {
	key     string
	title   string
	version int
	skills  bool // its capabilities have skills
}

var roles = []role{
	{"v1", "A client of version 1", 1, false},
	{"v2", "A client of version 2 without skills", 2, false},
	{"v2-skills", "A client of version 2 with skills", 2, true},
}

// talk is a client of one role with one agent. Its methods return what goes wrong,
// so that one cell of the matrix does not end the others.
type talk struct {
	r    *rig
	role role
	how  how
	c    *client
	init json.RawMessage

	session string
	setup   json.RawMessage // the response that set it up
	from    int             // where the session's frames begin
}

// dial starts the agent, initializes in the role's version and signs in.
func dial(r *rig, ro role, h how) (*talk, error) {
	h.manual = true
	c, _ := r.client(h)
	c.answerRequests()
	k := &talk{r: r, role: ro, how: h, c: c}
	params := `{"protocolVersion":1,"clientInfo":{"name":"interop","version":"1"},"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false}}`
	if ro.version == 2 {
		caps := `{}`
		if ro.skills {
			caps = `{"session":{"commands":{"skill":{}}}}`
		}
		params = `{"protocolVersion":2,"info":{"name":"interop","version":"1"},"capabilities":` + caps + `}`
	}
	init, err := c.try("initialize", params)
	if err != nil {
		return k, fmt.Errorf("initialize: %w", err)
	}
	k.init = init
	var v struct {
		Version int `json:"protocolVersion"`
	}
	if _ = json.Unmarshal(init, &v); v.Version != ro.version {
		return k, fmt.Errorf("initialize answered version %d: %.300s", v.Version, init)
	}
	if m := r.agent.method; m != "" {
		method := map[int]string{1: "authenticate", 2: "auth/login"}[ro.version]
		if _, err := c.try(method, map[string]any{"methodId": m}); err != nil {
			return k, fmt.Errorf("%s: %w", method, err)
		}
	}
	return k, nil
}

// open creates a session in the workspace.
func (k *talk) open() error {
	k.from = k.c.mark()
	res, err := k.c.try("session/new", map[string]any{"cwd": k.r.ws.dir, "mcpServers": []any{}})
	if err != nil {
		return fmt.Errorf("session/new: %w", err)
	}
	k.setup, k.session = res, sessionID(k.r.t, res)
	return nil
}

// errCannot says that the agent has no way to do what a cell is about.
var errCannot = errors.New("the agent cannot")

// reopen opens a session of another process and has it replayed.
func (k *talk) reopen(id string) error {
	k.from = k.c.mark()
	method, params := "session/load", map[string]any{"sessionId": id, "cwd": k.r.ws.dir, "mcpServers": []any{}}
	if k.role.version == 2 {
		method = "session/resume"
		params["replayFrom"] = map[string]any{"type": "start"}
	}
	res, err := k.c.try(method, params)
	var rpc *callError
	if errors.As(err, &rpc) && rpc.Code == -32601 {
		return errCannot
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	k.setup, k.session = res, id
	return nil
}

// said is a prompt with everything that came of it.
type said struct {
	blocks []any
	id     string // its message's, in version 2
	frames []frame
	given  []scriptmodel.Request // the steps that the model was asked for
}

// prompt sends a prompt and waits for the end of its turn.
func (k *talk) prompt(blocks ...any) (said, error) {
	s := said{blocks: blocks}
	at, asked := k.c.mark(), len(k.r.model.Requests())
	res, err := k.c.try("session/prompt", map[string]any{"sessionId": k.session, "prompt": blocks})
	if err != nil {
		return s, fmt.Errorf("session/prompt: %w", err)
	}
	var v struct {
		MessageID string `json:"messageId"`
		Stop      string `json:"stopReason"`
	}
	_ = json.Unmarshal(res, &v)
	s.id = v.MessageID
	if k.role.version == 2 {
		f, err := k.c.waitFor(at, deadline, func(f frame) bool {
			u, ok := f.update()
			return ok && u.SessionID == k.session && u.Kind == "state_update" && u.State == "idle"
		})
		if err != nil {
			return s, fmt.Errorf("waiting for the end of the turn: %w", err)
		}
		u, _ := f.update()
		v.Stop = u.Stop
	}
	s.frames = k.c.since(at)
	for _, q := range k.r.model.Requests()[asked:] {
		if q.Kind == scriptmodel.Turn {
			s.given = append(s.given, q)
		}
	}
	if v.Stop != "end_turn" {
		return s, fmt.Errorf("the turn ended with %q", v.Stop)
	}
	return s, nil
}

func (s said) count(marker string) int {
	n := 0
	for _, q := range s.given {
		n += q.CountNew(marker)
	}
	return n
}

// gave says what is wrong when the model was not given each marker once, or not
// all of the other texts.
func (s said) gave(markers []string, texts ...string) error {
	var wrong []string
	for _, m := range markers {
		if n := s.count(m); n != 1 {
			wrong = append(wrong, fmt.Sprintf("%s reached the model %d times", m, n))
		}
	}
	if n := s.count("BODY-"); len(wrong) == 0 && n != len(markers) {
		wrong = append(wrong, fmt.Sprintf("%d bodies reached the model", n))
	}
	for _, t := range texts {
		if s.count(t) == 0 {
			wrong = append(wrong, fmt.Sprintf("%q did not reach the model", t))
		}
	}
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, ", "))
}

// list is the session's list as the client has it.
func (k *talk) list() []command {
	var setup struct {
		Commands []command `json:"availableCommands"`
	}
	_ = json.Unmarshal(k.setup, &setup)
	list := setup.Commands
	for _, u := range updates(k.c.since(k.from), k.session) {
		if u.Kind == "available_commands_update" {
			list = u.Commands
		}
	}
	return list
}

// waitList waits until the list has an entry of that name: in version 1, and with
// agents of version 1, lists come at some time after the session.
func (k *talk) waitList(name string) (map[string]command, error) {
	has := func() (map[string]command, bool) {
		m := map[string]command{}
		for _, e := range k.list() {
			m[e.Name] = e
		}
		_, ok := m[name]
		return m, ok
	}
	if _, ok := has(); !ok {
		_, err := k.c.waitFor(k.from, deadline, func(f frame) bool {
			_, ok := has()
			return ok
		})
		if err != nil {
			m, _ := has()
			return m, fmt.Errorf("no entry %s came: %w", name, err)
		}
	}
	k.quiet()
	m, _ := has()
	return m, nil
}

// quiet waits until the agent has sent no list for a while: some send their own long
// after the session is there.
func (k *talk) quiet() {
	lists := func() (n int) {
		for _, u := range updates(k.c.since(k.from), k.session) {
			if u.Kind == "available_commands_update" {
				n++
			}
		}
		return n
	}
	for was, tries := -1, 0; tries < 20; tries++ {
		now := lists()
		if now == was {
			return
		}
		was = now
		select {
		case <-time.After(1500 * time.Millisecond):
		case <-k.r.t.Context().Done():
			return
		}
	}
}

// users are the user's messages that frames show, each with its blocks. In version 1
// chunks have no ids, and what follows each other belongs together.
func (k *talk) users(frames []frame) [][]any {
	var out [][]any
	if k.role.version == 2 {
		for _, m := range userMessages(k.r.t, frames, k.session) {
			out = append(out, m.Blocks)
		}
		return out
	}
	open := false
	for _, u := range updates(frames, k.session) {
		switch u.Kind {
		case "user_message_chunk":
			if !open {
				out = append(out, nil)
			}
			open = true
			for _, b := range u.blocks() {
				out[len(out)-1] = append(out[len(out)-1], decoded(k.r.t, b))
			}
		case "agent_message_chunk", "agent_thought_chunk", "tool_call", "plan":
			open = false
		}
	}
	return out
}

// callError is an error response.
type callError struct{ *rpcError }

func (e *callError) Error() string {
	s := e.String()
	if len(s) > 300 {
		s = s[:300] + "..."
	}
	return s
}

// try sends a request and waits for its response.
func (c *client) try(method string, params any) (json.RawMessage, error) {
	c.t.Helper()
	at, id := c.mark(), c.request(method, params)
	f, err := c.waitFor(at, deadline, func(f frame) bool {
		return f.FromAgent && f.Method == "" && string(f.ID) == fmt.Sprint(id)
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("no response: %w", err)
	case f.Error != nil:
		return nil, &callError{f.Error}
	}
	return f.Result, nil
}

// answerRequests makes the client answer what an agent asks of it: every permission
// is given, everything else is unknown.
func (c *client) answerRequests() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answering = true
}

// answer is the response to a request of the agent.
func answer(f frame) string {
	var p struct {
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
	}
	if f.Method == "session/request_permission" && json.Unmarshal(f.Params, &p) == nil {
		for _, o := range p.Options {
			if strings.HasPrefix(o.Kind, "allow") {
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`, f.ID, o.ID)
			}
		}
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, f.ID)
}

// team is a folder of skills that no agent knows, for --root.
func team(t *testing.T, w workspace) (root string, added pick) {
	t.Helper()
	root = filepath.Join(filepath.Dir(w.dir), "team")
	w.writeFile(filepath.Join(root, "team-one", "SKILL.md"),
		"---\nname: team-one\ndescription: Says team-one. Use when asked for it.\n---\n\n# team-one\n\nBODY-team-one: say it.\n")
	return root, pick{"team-one", "BODY-team-one"}
}
