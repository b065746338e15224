// SPDX-License-Identifier: Apache-2.0

package translate_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/proxy/translate"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// downWorld is a client and an agent that do as they please, in any order.
type downWorld struct {
	t      *rapid.T
	down   *translate.Down
	check  downChecker
	asked  map[jsonrpc.ID]int // answers to each request of the client
	ids    []jsonrpc.ID
	open   []jsonrpc.Message // what the agent has to answer
	owed   map[string][]string
	echoes bool // the agent reports user messages
	named  bool // and names them in its responses
	seq    int
}

func (w *downWorld) toClient(m jsonrpc.Message) {
	if err := w.check.produced("client", m.Raw); err != nil {
		w.t.Fatalf("the client gets %s: %v", m.Raw, err)
	}
	if m.Kind == jsonrpc.Response {
		if _, known := w.asked[m.ID]; !known {
			w.t.Fatalf("the client gets an answer to nothing: %s", m.Raw)
		}
		w.asked[m.ID]++
	}
}

func (w *downWorld) toAgent(m jsonrpc.Message) {
	if err := w.check.produced("agent", m.Raw); err != nil {
		w.t.Fatalf("the agent gets %s: %v", m.Raw, err)
	}
	if m.Kind == jsonrpc.Request {
		w.open = append(w.open, m.Clone())
	}
}

func (w *downWorld) client(format string, args ...any) {
	m := jsonrpc.Scan(fmt.Appendf(nil, format, args...))
	if m.Kind == jsonrpc.Request {
		w.asked[m.ID] = 0
		w.ids = append(w.ids, m.ID)
	}
	w.check.sent("client", m.Raw)
	w.down.FromClient(m)
}

func (w *downWorld) agent(format string, args ...any) {
	w.down.FromAgent(jsonrpc.Scan(fmt.Appendf(nil, format, args...)))
}

func (w *downWorld) update(session, update string) {
	w.agent(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, session, update)
}

// answer has the agent answer one of its requests.
func (w *downWorld) answer(i int, fail bool) {
	m := w.open[i]
	w.open = append(w.open[:i:i], w.open[i+1:]...)
	if fail {
		w.agent(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32800,"message":"no"}}`, m.ID)
		return
	}
	switch m.Method {
	case "session/prompt":
		w.seq++
		id := fmt.Sprintf("u%d", w.seq)
		echo := fmt.Sprintf(`{"sessionUpdate":"user_message","messageId":%q,"content":[]}`, id)
		if w.echoes && rapid.Bool().Draw(w.t, "echo first") {
			w.update(m.SessionID, echo)
		} else if w.echoes {
			w.owed[m.SessionID] = append(w.owed[m.SessionID], echo)
		}
		result := `{}`
		if w.named {
			result = fmt.Sprintf(`{"messageId":%q}`, id)
		}
		w.agent(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	case "session/new":
		w.agent(`{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s0","availableCommands":[]}}`, m.ID)
	case "session/set_config_option":
		w.agent(`{"jsonrpc":"2.0","id":%s,"result":{"configOptions":[]}}`, m.ID)
	case "session/list":
		w.agent(`{"jsonrpc":"2.0","id":%s,"result":{"sessions":[]}}`, m.ID)
	default:
		w.agent(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	}
}

// payOwed has the agent report the user messages of what it has accepted.
func (w *downWorld) payOwed(session string) {
	for _, echo := range w.owed[session] {
		w.update(session, echo)
	}
	delete(w.owed, session)
}

// TestDownAnswersEachRequestOnce: whatever the client asks and the agent does, and
// in whatever order, an agent that answers and comes to rest leaves no request of
// the client without its one answer (PXY-2, PXY-8).
func TestDownAnswersEachRequestOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	rapid.Check(t, func(t *rapid.T) {
		w := &downWorld{t: t, check: newDownChecker(), asked: map[jsonrpc.ID]int{}, owed: map[string][]string{}}
		w.echoes = rapid.Bool().Draw(t, "echoes")
		w.named = rapid.Bool().Draw(t, "named")
		w.down = translate.NewDown(&translate.DownOptions{ToClient: w.toClient, ToAgent: w.toAgent})
		w.client(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":1}}`)
		w.open = nil
		early := rapid.Bool().Draw(t, "early")
		if early {
			w.client(`{"jsonrpc":"2.0","id":"early","method":"session/list","params":{}}`)
		}
		if rapid.Bool().Draw(t, "refuses") {
			w.agent(`{"jsonrpc":"2.0","id":"hello","error":{"code":-32600,"message":"2"}}`)
		} else {
			w.agent(`{"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":2}}`)
		}
		own := w.open[0].ID
		w.open = nil
		w.agent(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}}`, own)
		if !w.down.Active() {
			t.Fatal("not active")
		}
		w.check.active = true

		session := rapid.SampledFrom([]string{"s0", "s1"})
		n := 0
		t.Repeat(map[string]func(*rapid.T){
			"request": func(t *rapid.T) {
				n++
				s := session.Draw(t, "session")
				method := rapid.SampledFrom([]string{"session/prompt", "session/prompt", "session/prompt", "session/new", "session/load", "session/resume", "session/close", "session/set_mode", "session/set_config_option", "session/list", "authenticate", "_own"}).Draw(t, "method")
				params := map[string]string{
					"session/prompt":            `{"sessionId":"` + s + `","prompt":[{"type":"text","text":"x"}]}`,
					"session/new":               `{"cwd":"/w","mcpServers":[]}`,
					"session/load":              `{"sessionId":"` + s + `","cwd":"/w","mcpServers":[]}`,
					"session/resume":            `{"sessionId":"` + s + `","cwd":"/w"}`,
					"session/close":             `{"sessionId":"` + s + `"}`,
					"session/set_mode":          `{"sessionId":"` + s + `","modeId":"m"}`,
					"session/set_config_option": `{"sessionId":"` + s + `","configId":"c","value":"v"}`,
					"session/list":              `{}`,
					"authenticate":              `{"methodId":"m"}`,
					"_own":                      `{}`,
				}[method]
				w.client(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, n, method, params)
			},
			"cancel": func(t *rapid.T) {
				w.client(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session.Draw(t, "session"))
			},
			"cancel request": func(t *rapid.T) {
				id := rapid.SampledFrom(w.ids).Draw(t, "id")
				w.client(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`, id)
			},
			"answer": func(t *rapid.T) {
				if len(w.open) == 0 {
					t.Skip("nothing to answer")
				}
				w.answer(rapid.IntRange(0, len(w.open)-1).Draw(t, "which"), rapid.IntRange(0, 4).Draw(t, "fails") == 0)
			},
			"echo": func(t *rapid.T) { w.payOwed(session.Draw(t, "session")) },
			"state": func(t *rapid.T) {
				w.update(session.Draw(t, "session"), rapid.SampledFrom([]string{
					`{"sessionUpdate":"state_update","state":"running"}`,
					`{"sessionUpdate":"state_update","state":"requires_action"}`,
					`{"sessionUpdate":"state_update","state":"idle"}`,
					`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`,
					`{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}`,
					`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":1,"message":"m"}}`,
				}).Draw(t, "state"))
			},
		})
		for len(w.open) > 0 {
			w.answer(0, false)
		}
		for _, s := range []string{"s0", "s1"} {
			w.payOwed(s)
			w.update(s, `{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`)
		}
		for id, answers := range w.asked {
			if answers != 1 {
				t.Errorf("the request %s got %d answers", id, answers)
			}
		}
	})
}

// TestDownTextIsShownOnce: a message that comes in any mixture of chunks and whole
// updates that only ever grow reads at the client as it does at the agent.
func TestDownTextIsShownOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var shown strings.Builder
		p := newDownPlayerFor(t, func(m jsonrpc.Message) {
			text, _ := rawjson.GetString(m.Params(), "update", "content", "text")
			shown.WriteString(text)
		})
		var text string
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			more := rapid.StringOfN(rapid.SampledFrom([]rune("ab é\x00漢\n")), 0, 5, -1).Draw(t, "more")
			text += more
			if rapid.Bool().Draw(t, "whole") {
				cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
				for cut < len(text) && text[cut]&0xc0 == 0x80 {
					cut++
				}
				p.FromAgent(jsonrpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":%s},{"type":"text","text":%s}]}}}`, rawjson.Quote(text[:cut]), rawjson.Quote(text[cut:]))))
			} else {
				p.FromAgent(jsonrpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":%s}}}}`, rawjson.Quote(more))))
			}
		}
		if shown.String() != text {
			t.Fatalf("the client reads %q, the agent said %q", shown.String(), text)
		}
	})
}

// newDownPlayerFor is a Down that translates, whose messages to the client go to
// got.
func newDownPlayerFor(t rapid.TB, got func(jsonrpc.Message)) *translate.Down {
	var own jsonrpc.ID
	active := false
	d := translate.NewDown(&translate.DownOptions{
		ToClient: func(m jsonrpc.Message) {
			if active {
				got(m)
			}
		},
		ToAgent: func(m jsonrpc.Message) {
			if !active {
				own = m.ID
			}
		},
	})
	d.FromClient(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}},"plan":{}}}}`)))
	d.FromAgent(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":"h","error":{"code":-32602,"message":"2"}}`)))
	d.FromAgent(jsonrpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}}}`, own)))
	if !d.Active() {
		t.Fatal("not active")
	}
	active = true
	return d
}

// TestDownBothDirectionsAtOnce has the two directions run beside one another, for
// the race detector, and every prompt answered.
func TestDownBothDirectionsAtOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	const n = 500
	toAgent := make(chan jsonrpc.Message, 4*n)
	answered := make(chan jsonrpc.ID, 4*n)
	d := translate.NewDown(&translate.DownOptions{
		ToClient: func(m jsonrpc.Message) {
			if m.Kind == jsonrpc.Response {
				answered <- m.ID
			}
		},
		ToAgent: func(m jsonrpc.Message) { toAgent <- m.Clone() },
	})
	var wg sync.WaitGroup
	wg.Go(func() {
		d.FromClient(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":1}}`)))
		for i := range n {
			d.FromClient(jsonrpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`, i)))
		}
		d.FromClient(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","method":"_end"}`)))
	})
	wg.Go(func() {
		for m := range toAgent {
			switch {
			case m.Method == "_end":
				return
			case m.Method == "initialize" && m.ID == `"h"`:
				d.FromAgent(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":"h","error":{"code":-32602,"message":"2"}}`)))
			case m.Method == "initialize":
				d.FromAgent(jsonrpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}}}`, m.ID)))
			default:
				d.FromAgent(jsonrpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)))
				d.FromAgent(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}`)))
			}
		}
	})
	wg.Wait()
	seen := map[jsonrpc.ID]bool{}
	for len(answered) > 0 {
		id := <-answered
		if seen[id] {
			t.Errorf("%s was answered twice", id)
		}
		seen[id] = true
	}
	if len(seen) != n+1 {
		t.Errorf("%d of %d requests were answered", len(seen), n+1)
	}
}

// TestDownHoldsALimitedAmount: a client that does not wait for its initialize is
// held back up to a limit, and told so beyond it.
func TestDownHoldsALimitedAmount(t *testing.T) {
	refused := 0
	d := translate.NewDown(&translate.DownOptions{
		ToClient: func(m jsonrpc.Message) {
			if bytes.Contains(m.ErrorValue(), []byte("before initialize was answered")) {
				refused++
			}
		},
		ToAgent: func(jsonrpc.Message) {},
	})
	d.FromClient(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":1}}`)))
	rest := `"method":"_x","params":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`
	for i := range 20 {
		d.FromClient(jsonrpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,%s`, i, rest)))
		d.FromClient(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0",` + rest)))
	}
	if refused == 0 || refused == 20 {
		t.Errorf("%d of 20 requests were refused", refused)
	}
}

// TestDownTerminalTrafficStaysLinear: a long output in small pieces costs the
// client a few times its length, not its square.
func TestDownTerminalTrafficStaysLinear(t *testing.T) {
	sent := 0
	last := ""
	d := newDownPlayerFor(t, func(m jsonrpc.Message) {
		sent += len(m.Raw)
		last = string(m.Raw)
	})
	update := func(format string, args ...any) {
		d.FromAgent(jsonrpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":`+format+`}}`, args...)))
	}
	update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","content":[{"type":"terminal","terminalId":"T"}]}`)
	const n = 20000
	for range n {
		update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"T","data":"YWJjZGVmZ2gK"}`) // nine bytes
	}
	update(`{"sessionUpdate":"terminal_update","terminalId":"T","exitStatus":{"exitCode":0}}`)
	if limit := 12 * 9 * n; sent > limit {
		t.Errorf("%d bytes were sent for %d of output", sent, 9*n)
	}
	if !strings.Contains(last, "the start of the output is left out") || !strings.Contains(last, "ended without an error") {
		t.Errorf("the last state of the terminal is not shown: %.200s", last)
	}
}

// TestDownForgetsOldThings: what is kept of a session is bounded. What was let go
// costs no more than that a late piece stands alone, or a text stands twice.
func TestDownForgetsOldThings(t *testing.T) {
	last := ""
	d := newDownPlayerFor(t, func(m jsonrpc.Message) { last = string(m.Raw) })
	update := func(format string, args ...any) string {
		last = ""
		d.FromAgent(jsonrpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":`+format+`}}`, args...)))
		return last
	}
	item := `{"type":"content","content":{"type":"text","text":"%s"}}`
	whole := `{"sessionUpdate":"agent_message","messageId":"m%d","content":[{"type":"text","text":"said"}]}`
	for i := range 1100 {
		update(whole, i)
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"t%d","title":"T","status":"completed","content":[`+item+`]}`, i, "first")
		update(`{"sessionUpdate":"terminal_output_chunk","terminalId":"T%d","data":"YQ=="}`, i)
	}
	if got := update(whole, 1099); got != "" {
		t.Errorf("a message of late is shown twice: %s", got)
	}
	if got := update(whole, 0); !strings.Contains(got, "said") {
		t.Errorf("a message of long ago is remembered: %q", got)
	}
	piece := `{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t%d","content":` + item + `}`
	if got := update(piece, 1099, "late"); !strings.Contains(got, "first") || !strings.Contains(got, "late") {
		t.Errorf("a tool call of late: %s", got)
	}
	if got := update(piece, 0, "late"); strings.Contains(got, "first") || !strings.Contains(got, "late") || strings.Contains(got, `"tool_call"`) {
		t.Errorf("a tool call of long ago: %s", got)
	}
	show := `{"sessionUpdate":"tool_call_update","toolCallId":"x","content":[{"type":"terminal","terminalId":"T%d"}]}`
	if got := update(show, 1099); !strings.Contains(got, "console") {
		t.Errorf("a terminal of late: %s", got)
	}
	if got := update(show, 0); strings.Contains(got, "console") {
		t.Errorf("a terminal of long ago: %s", got)
	}
}

func FuzzDown(f *testing.F) {
	seed := func(lines ...string) { f.Add([]byte(strings.Join(lines, "\n"))) }
	seed(`c{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`,
		`a{"jsonrpc":"2.0","id":1,"result":{"messageId":"u"}}`,
		`a{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"error"}}}`)
	for _, u := range []string{
		`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"a"}]}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"skill","name":"a"}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","kind":null,"status":"paused","locations":[{"path":"/a"}],"content":[{"type":"diff","changes":[{"operation":"add","path":"/n"}],"patch":{"format":"git_patch","text":"diff --git /n /n\n--- /dev/null\n+++ /n\n@@ -0,0 +1 @@\n+x\n"}},{"type":"terminal","terminalId":"T"}]}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":{"type":"content","content":{"type":"text","text":"x"}}}`,
		`{"sessionUpdate":"terminal_update","terminalId":"T","output":{"data":"G1sxbQ=="},"exitStatus":{"exitCode":1}}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"a","priority":"low","status":"cancelled"}]}}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"c","description":"d","input":{"type":"text","hint":""}}]}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"configId":"m","type":"select","name":"M","category":"mode","currentValue":"a","options":[{"groupId":"g","name":"G","options":[]}]}]}`,
	} {
		seed(`a{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + u + `}}`)
	}
	seed(`a{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","title":"t","subject":{"type":"command","command":"c","cwd":"/"},"options":[{"optionId":"a","name":"A","kind":"allow_once"}]}}`,
		`c{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}`)
	seed(`c{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[{"name":"a"}]}}`,
		`a{"jsonrpc":"2.0","id":2,"result":{"configOptions":null,"availableCommands":[]}}`)
	f.Fuzz(func(t *testing.T, script []byte) {
		p := newDownPlayerFor(t, func(m jsonrpc.Message) {
			if m.Kind == jsonrpc.Invalid {
				t.Fatalf("the client gets no message: %s (%v)", m.Raw, m.Problem)
			}
			if m.Kind == jsonrpc.Notification && m.Method == "session/update" {
				if _, err := v1.ReadSessionUpdate(rawjson.Get(m.Params(), "update")); err != nil {
					t.Fatalf("the client gets %s: %v", m.Raw, err)
				}
			}
			if m.Kind == jsonrpc.Request && m.Method == "session/request_permission" {
				if err := new(v1.RequestPermissionRequest).UnmarshalJSON(m.Params()); err != nil {
					t.Fatalf("the client gets %s: %v", m.Raw, err)
				}
			}
		})
		for line := range bytes.SplitSeq(script, []byte("\n")) {
			if len(line) == 0 {
				continue
			}
			m := jsonrpc.Scan(line[1:])
			switch {
			case m.Kind == jsonrpc.Invalid:
			case line[0] == 'c' && m.Method != "initialize":
				p.FromClient(m)
			case line[0] == 'a':
				p.FromAgent(m)
			}
		}
	})
}
