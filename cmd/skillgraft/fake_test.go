// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// fakeMain is an agent for the scripts. Its arguments say what kind of agent it
// is; the answer to a prompt is the prompt as it came, so that a script sees
// what reached the agent.
//
//	inline, first        it takes skill blocks itself, and lists a skill
//	commands             it lists a plain command
//	noise                it writes lines that are no messages
//	chats                it writes to standard error
//	deaf                 it does not answer session/close
//	restless             its list never stays the same
//	v1                   it speaks version 1 only
//	v0                   it answers a version that nobody speaks
//	auth                 it wants a login before a session
//	asks                 it asks for a permission
//	uses=SKILL           its model activates the skill by the session's servers
//	tools                it uses a tool, says a plan and a notice
//	hostile              its words control the terminal
//	stop=REASON          it stops for this reason
//	error                it stops with an error
//	dies=METHOD          it ends at this method, with status 3
//	stays=FILE           it does not end with its input, and writes the file when told to
//	interrupts           it sends its client an interrupt, and works until cancelled
//	interrupts=twice     and another one when it is cancelled
func fakeMain() {
	f := &fake{is: map[string]string{}, out: bufio.NewWriter(os.Stdout)}
	for _, arg := range os.Args[1:] {
		key, value, _ := strings.Cut(arg, "=")
		f.is[key] = value
	}
	if f.has("chats") {
		fmt.Fprintln(os.Stderr, "fake: lovely weather")
	}
	if f.has("stays") {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		go f.stay(asked)
	}
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if f.has("stays") {
				select {}
			}
			return
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			panic(err)
		}
		f.handle(m)
		_ = f.out.Flush()
	}
}

type fake struct {
	is       map[string]string
	out      *bufio.Writer
	loggedIn bool
	turn     json.RawMessage // the prompt's id, in version 1
	servers  json.RawMessage // of the session
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result struct {
		Outcome json.RawMessage `json:"outcome"`
	} `json:"result"`
	Params struct {
		Prompt   json.RawMessage `json:"prompt"`
		MethodID string          `json:"methodId"`
		Servers  json.RawMessage `json:"mcpServers"`
	} `json:"params"`
}

func (f *fake) has(what string) bool { _, ok := f.is[what]; return ok }

func (f *fake) handle(m message) {
	if f.has("noise") {
		fmt.Fprintln(f.out, "[noise] this is no message")
	}
	if f.is["dies"] == m.Method && m.Method != "" {
		fmt.Fprintln(os.Stderr, "fake: no more fuel")
		os.Exit(3)
	}
	switch m.Method {
	case "initialize":
		f.initialize(m)
	case "auth/login":
		f.loggedIn = m.Params.MethodID == "key"
		f.result(m, `{}`)
	case "session/new":
		f.servers = m.Params.Servers
		if f.has("auth") && !f.loggedIn {
			f.print(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"Authentication required"}}`, m.ID)
			return
		}
		if f.has("v1") {
			f.result(m, `{"sessionId":"s1"}`)
			return
		}
		f.result(m, `{"sessionId":"s1","availableCommands":`+f.list()+`}`)
		if f.has("restless") {
			_ = f.out.Flush()
			go f.restless()
		}
	case "session/prompt":
		f.prompt(m)
	case "session/cancel":
		if f.is["interrupts"] == "twice" {
			interruptParent()
			return
		}
		f.idle("cancelled")
	case "session/close":
		if !f.has("deaf") {
			f.result(m, `{}`)
		}
	case "": // the answer to a question
		f.say("outcome: " + string(m.Result.Outcome))
		f.idle("end_turn")
	}
}

// restless writes to a standard output of its own, which is whole lines as well.
func (f *fake) restless() {
	for n := 0; ; n++ {
		_, err := fmt.Fprintf(os.Stdout, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"c%d","description":"d"}]}}}`+"\n", n)
		if err != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func (f *fake) stay(asked <-chan os.Signal) {
	<-asked
	if err := os.WriteFile(f.is["stays"], nil, 0o600); err != nil {
		panic(err)
	}
	os.Exit(0)
}

func (f *fake) initialize(m message) {
	switch {
	case f.has("v0"):
		f.result(m, `{"protocolVersion":0,"agentInfo":{"name":"old-fake","version":"0.1"}}`)
		return
	case f.has("v1"):
		f.result(m, `{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"old-fake","version":"0.9"}}`)
		return
	case f.has("hostile"):
		f.result(m, `{"protocolVersion":2,"info":{"name":"fake\u001b[31m","version":"1"},"capabilities":{"session":{}}}`)
		return
	}
	prompt := ""
	switch {
	case f.has("inline"):
		prompt = `"prompt":{"skill":{"inline":{}}}`
	case f.has("first"):
		prompt = `"prompt":{"skill":{}}`
	case f.has("uses"):
		prompt = `"mcp":{"stdio":{}}`
	}
	f.result(m, `{"protocolVersion":2,"info":{"name":"fake","title":"Fake Agent","version":"1.0"},"capabilities":{"session":{`+prompt+`}},
		"authMethods":[{"methodId":"key","type":"agent","name":"API key","description":"Reads FAKE_KEY"},{"methodId":"tty","type":"terminal","name":"Terminal","args":["--login"]}]}`)
}

func (f *fake) list() string {
	var entries []string
	if f.has("commands") {
		entries = append(entries, `{"type":"command","name":"compact","description":"Makes it short"}`)
	}
	if f.has("inline") || f.has("first") {
		entries = append(entries, `{"type":"skill","name":"own","description":"A skill of the agent"}`)
	}
	if f.has("hostile") {
		entries = append(entries, `{"type":"command","name":"evil\u001b[2J","description":"a\u202eb\nc"}`)
	}
	return "[" + strings.Join(entries, ",") + "]"
}

func (f *fake) prompt(m message) {
	if f.has("v1") {
		f.turn = m.ID
		f.say("got: ")
		f.say(string(m.Params.Prompt))
		f.idle("end_turn")
		return
	}
	f.result(m, `{"messageId":"u1"}`)
	f.update(`{"sessionUpdate":"user_message","messageId":"u1","content":` + string(m.Params.Prompt) + `}`)
	f.update(`{"sessionUpdate":"state_update","state":"running"}`)
	switch {
	case f.has("asks"):
		f.print(`{"jsonrpc":"2.0","id":"q1","method":"session/request_permission","params":{"sessionId":"s1","title":"Delete everything?",
			"subject":{"type":"command","command":"rm -rf build","cwd":"/"},"options":[
			{"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"ever","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Yes","kind":"allow_once"}]}}`)
		return
	case f.has("uses"):
		f.say(useServers(f.servers, f.is["uses"]))
		f.idle("end_turn")
		return
	case f.has("interrupts"):
		f.say("working")
		_ = f.out.Flush()
		interruptParent()
		return
	case f.has("tools"):
		f.update(`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"Look","priority":"high","status":"pending"}]}}`)
		f.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","title":"Reading main.go","kind":"read","status":"pending","locations":[{"path":"/src/main.go"}]}`)
		f.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"in_progress"}`)
		f.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
		f.update(`{"sessionUpdate":"notice","severity":"warning","title":"Quota","description":"nearly used up"}`)
	case f.has("error"):
		f.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32603,"message":"the model is down"}}`)
		return
	}
	f.say("got: ")
	f.say(string(m.Params.Prompt))
	reason := f.is["stop"]
	if reason == "" {
		reason = "end_turn"
	}
	f.idle(reason)
}

func (f *fake) say(text string) {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	id := `"messageId":"a1",`
	if f.has("v1") {
		id = ""
	}
	f.update(`{"sessionUpdate":"agent_message_chunk",` + id + `"content":{"type":"text","text":` + string(quoted) + `}}`)
}

func (f *fake) idle(reason string) {
	if f.has("v1") {
		f.result(message{ID: f.turn}, `{"stopReason":"`+reason+`"}`)
		return
	}
	f.update(`{"sessionUpdate":"state_update","state":"idle","stopReason":"` + reason + `"}`)
}

func (f *fake) update(update string) {
	f.print(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}`, update)
}

func (f *fake) result(m message, result string) {
	f.print(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// print writes a message on a line, whatever it looks like in the source.
func (f *fake) print(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	fmt.Fprintln(f.out, strings.NewReplacer("\n", "", "\t", "").Replace(line))
}

func interruptParent() {
	p, err := os.FindProcess(os.Getppid())
	if err == nil {
		err = p.Signal(os.Interrupt)
	}
	if err != nil {
		panic(err)
	}
}
