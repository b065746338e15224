// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// TestUpAnyConversation plays conversations in which everything happens at any
// time: setups, prompts, cancels, closes, updates, questions, refusals, patience
// that ends. What holds in all of them:
//
//   - a request of the client gets one answer, if the agent answers each request
//     that it gets once (PXY-6);
//   - the agent has one prompt of a session at a time, in the client's order;
//   - a session's updates arrive in order (PXY-2), and none after the answer to
//     its close;
//   - a prompt that is answered with a message was reported as that message
//     before, once, and one that is refused never was (ACP-P4, ACP-P6);
//   - a turn that began to run ends once;
//   - whatever comes out has the shape that its reader's version gives it.
func TestUpAnyConversation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newUpMachine(t)
		defer m.up.Close()
		t.Repeat(map[string]func(*rapid.T){
			"new": m.new, "prompt": m.prompt, "cancel": m.cancel, "cancelRequest": m.cancelRequest, "close": m.close, "resume": m.resume,
			"answer": m.answer, "chunk": m.chunk, "tool": m.tool, "ask": m.ask, "reply": m.reply, "patience": func(*rapid.T) { m.fire() },
			"": func(*rapid.T) { m.look() },
		})
		m.finish()
	})
}

type upMachine struct {
	*upPlayer
	rt  *rapid.T
	seq int

	ids     []string            // sessions
	closing map[string]string   // requests of the client that close, and of which session
	closed  map[string]bool     // closed, as the client sees it
	waiting []jsonrpc.Message   // what the agent has to answer
	asks    []jsonrpc.ID        // questions of the agent that the client has to answer
	prompts map[string]string   // the client's prompts, by their ids, and of which session
	forgot  map[string]bool     // sessions that the agent closed: what it worked on need not be answered
	running map[string]bool     // sessions
	said    map[string][]string // user messages of a session, by id
	atAgent map[string]int      // the last prompt that the agent got of a session
	last    map[string]int      // the last update that the client got of a session
}

func newUpMachine(t *rapid.T) *upMachine {
	m := &upMachine{
		upPlayer: newUpPlayer(t), rt: t, closing: map[string]string{}, closed: map[string]bool{}, prompts: map[string]string{}, forgot: map[string]bool{},
		running: map[string]bool{}, said: map[string][]string{}, atAgent: map[string]int{}, last: map[string]int{},
	}
	m.hello(rapid.SampledFrom([]string{
		`{}`, `{"loadSession":true}`, `{"sessionCapabilities":{"resume":{},"close":{}}}`, `{"loadSession":true,"sessionCapabilities":{"close":{}}}`,
	}).Draw(t, "agent"))
	m.take()
	return m
}

func (m *upMachine) next() int { m.seq++; return m.seq }

func (m *upMachine) session() string {
	if len(m.ids) == 0 {
		m.rt.Skip("no session")
	}
	return rapid.SampledFrom(m.ids).Draw(m.rt, "session")
}

func (m *upMachine) new(*rapid.T) {
	if len(m.ids) > 2 {
		m.rt.Skip("enough sessions")
	}
	id := fmt.Sprintf("s%d", m.next())
	m.look()
	m.upPlayer.new(id, "")
	m.take()
	m.ids = append(m.ids, id)
}

func (m *upMachine) prompt(*rapid.T) {
	n, s := m.next(), m.session()
	m.prompts[strconv.Itoa(n)] = s
	m.client(fmt.Sprintf(`{"id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"prompt %d."}]}}`, n, s, n))
}

func (m *upMachine) cancel(*rapid.T) {
	m.client(fmt.Sprintf(`{"method":"session/cancel","params":{"sessionId":%q}}`, m.session()))
}

func (m *upMachine) cancelRequest(*rapid.T) {
	var open []int
	for id := range m.methods {
		if n, err := strconv.Atoi(string(id)); err == nil {
			open = append(open, n)
		}
	}
	if len(open) == 0 {
		m.rt.Skip("no request")
	}
	slices.Sort(open)
	m.client(fmt.Sprintf(`{"method":"$/cancel_request","params":{"requestId":%d}}`, rapid.SampledFrom(open).Draw(m.rt, "request")))
}

func (m *upMachine) close(*rapid.T) {
	n, s := m.next(), m.session()
	m.closing[strconv.Itoa(n)] = s
	m.client(fmt.Sprintf(`{"id":%d,"method":"session/close","params":{"sessionId":%q}}`, n, s))
}

func (m *upMachine) resume(*rapid.T) {
	s := m.session()
	delete(m.closed, s)
	for id, other := range m.closing {
		if other == s {
			delete(m.closing, id) // nobody can say which of the two wins
		}
	}
	from := rapid.SampledFrom([]string{"null", `{"type":"start"}`}).Draw(m.rt, "from")
	m.client(fmt.Sprintf(`{"id":%d,"method":"session/resume","params":{"sessionId":%q,"cwd":"/ws","replayFrom":%s}}`, m.next(), s, from))
}

// answer answers one of the agent's requests.
func (m *upMachine) answer(*rapid.T) {
	if len(m.waiting) == 0 {
		m.rt.Skip("no request")
	}
	i := rapid.IntRange(0, len(m.waiting)-1).Draw(m.rt, "request")
	r := m.waiting[i]
	m.waiting = slices.Delete(m.waiting, i, i+1)
	result := "{}"
	if r.Method == "session/prompt" {
		result = rapid.SampledFrom([]string{`{"stopReason":"end_turn"}`, `{"stopReason":"cancelled"}`, ""}).Draw(m.rt, "result")
	} else if rapid.IntRange(0, 4).Draw(m.rt, "fails") == 0 {
		result = ""
	}
	if result == "" {
		m.agent(fmt.Sprintf(`{"id":%s,"error":{"code":-32603,"message":"no"}}`, r.ID))
		return
	}
	if r.Method == "session/close" {
		m.forgot[r.SessionID] = true
	}
	m.agent(fmt.Sprintf(`{"id":%s,"result":%s}`, r.ID, result))
}

func (m *upMachine) chunk(*rapid.T) {
	variant := rapid.SampledFrom([]string{"agent_message_chunk", "agent_thought_chunk", "user_message_chunk"}).Draw(m.rt, "variant")
	id := rapid.SampledFrom([]string{"", `"messageId":"own",`}).Draw(m.rt, "id")
	m.agent(fmt.Sprintf(`{"method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":%q,%s"content":{"type":"text","text":"n"}},"n":%d}}`, m.session(), variant, id, m.next()))
}

func (m *upMachine) tool(*rapid.T) {
	variant := rapid.SampledFrom([]string{"tool_call", "tool_call_update", "_other"}).Draw(m.rt, "variant")
	m.agent(fmt.Sprintf(`{"method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":%q,"toolCallId":"t","title":"T"},"n":%d}}`, m.session(), variant, m.next()))
}

func (m *upMachine) ask(*rapid.T) {
	m.agent(fmt.Sprintf(`{"id":%d,"method":"session/request_permission","params":{"sessionId":%q,"toolCall":{"toolCallId":"t"},"options":[]}}`, m.next(), m.session()))
}

func (m *upMachine) reply(*rapid.T) {
	if len(m.asks) == 0 {
		m.rt.Skip("no question")
	}
	id := m.asks[0]
	m.asks = m.asks[1:]
	m.client(fmt.Sprintf(`{"id":%s,"result":{"outcome":{"outcome":"cancelled"}}}`, id))
}

// look reads what has come out.
func (m *upMachine) look() {
	for _, line := range m.take() {
		who, raw, _ := strings.Cut(line, " ")
		msg := m.scan(raw)
		switch {
		case who == "agent<":
			m.gotAgent(msg)
		case msg.Kind == jsonrpc.Response:
			m.gotAnswer(msg)
		case msg.Method == "session/update":
			m.gotUpdate(msg)
		case msg.Kind == jsonrpc.Request:
			if m.closed[msg.SessionID] {
				m.rt.Errorf("a closed session asks: %s", msg.Raw)
			}
			m.asks = append(m.asks, msg.ID)
		}
	}
}

func (m *upMachine) gotAgent(msg jsonrpc.Message) {
	if msg.Kind != jsonrpc.Request {
		return
	}
	if msg.Method == "session/prompt" {
		for _, w := range m.waiting {
			if w.Method == msg.Method && w.SessionID == msg.SessionID && !m.forgot[msg.SessionID] {
				m.rt.Errorf("the agent gets a prompt while it works on another one: %s", msg.Raw)
			}
		}
		n := promptNumber(msg.Params())
		if n <= m.atAgent[msg.SessionID] {
			m.rt.Errorf("prompt %d comes after %d", n, m.atAgent[msg.SessionID])
		}
		m.atAgent[msg.SessionID] = n
	}
	m.waiting = append(m.waiting, msg)
}

func promptNumber(params []byte) int {
	_, rest, _ := bytes.Cut(params, []byte("prompt "))
	digits, _, _ := bytes.Cut(rest, []byte("."))
	n, _ := strconv.Atoi(string(digits))
	return n
}

func (m *upMachine) gotAnswer(msg jsonrpc.Message) {
	if s := m.closing[string(msg.ID)]; s != "" && msg.Result() != nil {
		m.closed[s] = true
	}
	s, prompt := m.prompts[string(msg.ID)]
	if !prompt {
		return
	}
	id, ok := rawjson.GetString(msg.Result(), "messageId")
	switch reported := slices.Index(m.said[s], id+" "+string(msg.ID)); {
	case ok && reported < 0:
		m.rt.Errorf("prompt %s is answered with a message that was not reported: %s", msg.ID, id)
	case !ok:
		for _, said := range m.said[s] {
			if strings.HasSuffix(said, " "+string(msg.ID)) {
				m.rt.Errorf("prompt %s is refused and was reported", msg.ID)
			}
		}
	}
}

func (m *upMachine) gotUpdate(msg jsonrpc.Message) {
	s := msg.SessionID
	if m.closed[s] {
		m.rt.Errorf("a closed session sends an update: %s", msg.Raw)
	}
	update := rawjson.Get(msg.Params(), "update")
	switch msg.Variant {
	case "state_update":
		state, _ := rawjson.GetString(update, "state")
		_, ends := rawjson.GetString(update, "stopReason")
		if ends && !m.running[s] {
			m.rt.Errorf("work ends that did not run: %s", msg.Raw)
		}
		if !ends && state == "idle" && m.running[s] {
			m.rt.Errorf("running work became idle without a reason: %s", msg.Raw)
		}
		m.running[s] = state != "idle"
	case "user_message":
		n := promptNumber(update)
		if n == 0 {
			break
		}
		id, _ := rawjson.GetString(update, "messageId")
		for _, said := range m.said[s] {
			if strings.HasPrefix(said, id+" ") {
				m.rt.Errorf("two prompts are message %s", id)
			}
		}
		m.said[s] = append(m.said[s], fmt.Sprintf("%s %d", id, n))
	}
	if n, err := strconv.Atoi(string(rawjson.Get(msg.Params(), "n"))); err == nil {
		if n <= m.last[s] {
			m.rt.Errorf("update %d comes after %d", n, m.last[s])
		}
		m.last[s] = n
	}
}

// finish answers what is open on both sides.
func (m *upMachine) finish() {
	for m.look(); len(m.waiting) > 0 || len(m.asks) > 0; m.look() {
		for _, r := range m.waiting[:min(1, len(m.waiting))] {
			m.waiting = m.waiting[1:]
			m.agent(fmt.Sprintf(`{"id":%s,"result":{"stopReason":"end_turn"}}`, r.ID))
		}
		if len(m.asks) > 0 {
			m.reply(m.rt)
		}
	}
	if len(m.methods) > 0 {
		m.rt.Errorf("these have no answer: %v", m.methods)
	}
	for s, running := range m.running {
		if running {
			m.rt.Errorf("session %s runs for ever", s)
		}
	}
}

// FuzzUp feeds lines of any content, from the client those that begin with '>',
// from the agent the others. Nothing panics; what comes out is a message, and one
// of version 2 for the client; no request gets two answers; and a notification
// that is nobody's business arrives byte for byte (PXY-1).
func FuzzUp(f *testing.F) {
	for _, seed := range []string{
		`>{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}}
{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}
{"id":"skillgraft-T1-2","result":{"stopReason":"end_turn"}}`,
		`>{"id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"},"mcpServers":[{"type":"stdio"},7]}}
{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"x"}}}}
{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","content":[{"type":"diff","path":"a","oldText":"x","newText":7},{},null],"locations":[{"path":7}]}}}
{"id":"skillgraft-T1-2","result":{"modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},7]},"configOptions":[{"id":"mode","options":[{"group":1}]}]}}`,
		`>{"id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"b"}}
{"id":"skillgraft-T1-2","result":null}
{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"a"}}}
{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{}]}}}`,
		`{"id":4,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":null},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}}
>{"id":4,"result":{"outcome":7}}
>{"method":"$/cancel_request","params":{"requestId":4}}
>{"id":5,"method":"session/close","params":{"sessionId":"s"}}
{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a"},{"name":7},1]}}}`,
		`>{"id":6,"method":"initialize","params":null}
{"id":6,"result":{"protocolVersion":1,"authMethods":[{"id":"a","name":"A","type":"terminal","env":{"A":1}}],"agentInfo":7,"agentCapabilities":{"sessionCapabilities":[]}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		p := newUpPlayer(t)
		defer p.up.Close()
		p.hello(`{"loadSession":true}`)
		p.new("s", `"modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}`)
		p.take()
		p.anything = true
		var want []string
		for line := range bytes.Lines(script) {
			line = bytes.TrimRight(line, "\r\n")
			fromClient := bytes.HasPrefix(line, []byte(">"))
			line = bytes.TrimPrefix(line, []byte(">"))
			if !bytes.HasPrefix(line, []byte("{")) {
				continue
			}
			m := jsonrpc.Scan(append([]byte(`{"jsonrpc":"2.0",`), line[1:]...))
			if m.Kind == jsonrpc.Invalid || m.Kind == jsonrpc.Request && fromClient && p.methods[m.ID.Plain()] != "" {
				continue // the relay keeps those back
			}
			if m.Kind == jsonrpc.Response && !fromClient && p.methods[m.ID.Plain()] == "" && p.up.calls[m.ID.Plain()] == nil {
				continue // likewise
			}
			if m.Kind == jsonrpc.Notification && strings.HasPrefix(m.Method, "_") && p.up.hello == nil {
				side := map[bool]string{false: "client< ", true: "agent< "}[fromClient]
				want = append(want, side+short(m))
			}
			switch {
			case !fromClient:
				p.up.FromAgent(m)
			default:
				if m.Kind == jsonrpc.Request {
					p.methods[m.ID.Plain()] = m.Method
				}
				p.up.FromClient(m)
			}
		}
		p.fire()
		for _, line := range p.take() {
			if len(want) > 0 && line == want[0] {
				want = want[1:]
			}
		}
		if len(want) > 0 {
			t.Errorf("this did not arrive, or changed, or out of order: %s", want[0])
		}
	})
}
