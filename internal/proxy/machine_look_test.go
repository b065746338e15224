// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// look judges what has come to either side since it looked last.
func (m *machine) look() {
	for i, seen := range []func(jsonrpc.Message){m.clientSees, m.agentSees} {
		lines := strings.Split(m.out[i].take(), "\n")
		for _, line := range lines[:len(lines)-1] {
			msg := jsonrpc.Scan([]byte(line))
			if msg.Kind == jsonrpc.Invalid {
				m.t.Fatalf("this is no message: %s", line)
			}
			seen(msg)
		}
	}
}

func (m *machine) agentSees(msg jsonrpc.Message) {
	n := string(rawjson.Get(msg.Params(), "n"))
	line := m.sent[jsonrpc.ID(n)]
	if line == "" {
		m.t.Fatalf("nobody sent the agent, or twice: %s", msg.Raw)
	}
	delete(m.sent, jsonrpc.ID(n))
	if string(msg.Raw) != line {
		old := jsonrpc.Scan([]byte(line))
		if msg.Method != "session/prompt" || string(rawjson.Set(msg.Params(), []byte("0"), "prompt")) != string(rawjson.Set(old.Params(), []byte("0"), "prompt")) {
			m.t.Fatalf("the agent gets\n%s\nin place of\n%s", msg.Raw, line)
		}
		if strings.Contains(line, `"skill"`) && strings.Contains(line, `"one"`) && !strings.Contains(string(msg.Raw), "one") {
			m.t.Fatalf("a skill was lost: %s", msg.Raw)
		}
	}
	if msg.Kind == jsonrpc.Request {
		if m.open[msg.ID] == "" {
			m.t.Fatalf("the agent gets a request that was answered: %s", msg.Raw)
		}
		m.asked = append(m.asked, msg)
		if reopens(msg.Method) {
			delete(m.lists, msg.SessionID) // it may have waited behind a prompt, and asks for the list again now
		}
	}
	if msg.Method == "session/prompt" {
		for _, b := range rawjson.Elements(rawjson.Get(msg.Params(), "prompt")) {
			m.got[msg.SessionID] = append(m.got[msg.SessionID], string(b.Value))
		}
		if m.v1 && strings.Contains(string(msg.Raw), `"type":"skill"`) {
			m.t.Fatalf("a skill block for an agent of version 1: %s", msg.Raw)
		}
	}
	if msg.Method == "$/cancel_request" {
		return
	}
	var number int
	_, _ = fmt.Sscan(n, &number)
	if before := m.toAgent[msg.SessionID]; msg.SessionID != "" && len(before) > 0 && before[len(before)-1] > number {
		m.t.Fatalf("%s comes after %d", msg.Raw, before[len(before)-1])
	}
	m.toAgent[msg.SessionID] = append(m.toAgent[msg.SessionID], number)
}

func (m *machine) clientSees(msg jsonrpc.Message) {
	if msg.Kind == jsonrpc.Response {
		m.clientAnswered(msg)
		return
	}
	s := msg.SessionID
	if m.closed[s] {
		m.t.Fatalf("after the close: %s", msg.Raw)
	}
	switch msg.Variant {
	case "available_commands_update":
		m.clientList(s, rawjson.Get(msg.Params(), "update", "availableCommands"), true)
	case "user_message", "notice":
	case "user_message_chunk":
		if strings.Contains(string(msg.Raw), "skill_content") {
			m.t.Fatalf("the client gets a tag of ours: %s", msg.Raw)
		}
	default:
		if len(m.toClient[s]) == 0 || m.toClient[s][0] != string(msg.Raw) {
			m.t.Fatalf("the client gets\n%s\nout of order, twice or changed; next is %q", msg.Raw, m.toClient[s])
		}
		m.toClient[s] = m.toClient[s][1:]
	}
}

func (m *machine) clientAnswered(msg jsonrpc.Message) {
	method := m.open[msg.ID]
	if method == "" {
		m.t.Fatalf("an answer to nothing, or a second one: %s", msg.Raw)
	}
	delete(m.open, msg.ID)
	s := m.owner[msg.ID]
	if left, ok := m.promised[msg.ID]; ok && method != "session/list" && len(m.toClient[s]) > left {
		m.t.Fatalf("the response overtakes %q: %s", m.toClient[s], msg.Raw)
	}
	if msg.Result() == nil {
		return
	}
	switch method {
	case "session/new", "session/fork", "session/resume", "session/load":
		if !reopens(method) {
			s = m.named[msg.ID]
		}
		if m.anew[s] {
			delete(m.lists, s) // what came meanwhile was for a session that nobody knew
			delete(m.anew, s)
		}
		m.sessions[s] = true
		if list := rawjson.Get(msg.Result(), "availableCommands"); rawjson.IsArray(list) {
			m.clientList(s, list, false)
		}
	case "session/close", "session/delete":
		// A resume that is under way opens it again.
		m.anew[s] = slices.ContainsFunc(m.asked, func(a jsonrpc.Message) bool { return reopens(a.Method) && a.SessionID == s })
		m.closed[s] = !m.anew[s]
		delete(m.sessions, s)
		delete(m.lists, s)
	}
}

func (m *machine) clientList(s string, list []byte, differs bool) {
	if differs && m.lists[s] == string(list) {
		m.t.Fatalf("the list of %s is sent again: %s", s, list)
	}
	m.lists[s] = string(list)
	names := map[string]bool{}
	for _, e := range rawjson.Elements(list) {
		name, _ := rawjson.GetString(e.Value, "name")
		if names[name] {
			m.t.Fatalf("%q comes twice: %s", name, list)
		}
		names[name] = true
		if kind, _ := rawjson.GetString(e.Value, "type"); kind == "skill" && m.plain {
			m.t.Fatalf("a skill for a client that knows none: %s", list)
		}
	}
}
