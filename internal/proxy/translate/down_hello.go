// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// downClient is what the client said it can do, as far as it decides what is
// sent to it.
type downClient struct {
	form, url  bool // elicitation
	boolean    bool // configuration options that are yes or no
	notices    bool
	compaction bool
	plans      bool // plans with an id
	subagents  bool
	terminal   bool // logins in a terminal
}

// downHello is an initialize of the client on its way.
type downHello struct {
	id     jsonrpc.ID // the client's
	params []byte
	own    jsonrpc.ID      // our request in version 2; empty while the client's is asked
	first  jsonrpc.Message // the answer to the client's
}

// beginHello puts the client's initialize to the agent, as it is: an agent that
// speaks version 1 needs nothing of us. An agent that is known to speak version
// 2 only is asked in that at once.
func (d *Down) beginHello(m jsonrpc.Message) {
	if string(rawjson.Get(m.Params(), "protocolVersion")) != "1" {
		d.calls[m.ID.Plain()] = &downCall{id: m.ID, method: m.Method, foreign: true}
		d.opts.ToAgent(m)
		return
	}
	d.client = downReadClient(rawjson.Get(m.Params(), "clientCapabilities"))
	if d.phase.Load() == active {
		d.call(m, m.WithParams(downHelloParams(m.Params())))
		return
	}
	m = m.Clone()
	d.hello = &downHello{id: m.ID, params: m.Params()}
	d.opts.ToAgent(m)
}

// whileNegotiating holds back what comes before the client knows what it talks
// to: an agent takes a second initialize only when nothing else came before it.
func (d *Down) whileNegotiating(m jsonrpc.Message) {
	switch {
	case m.Kind == jsonrpc.Response:
		d.opts.ToAgent(m)
	case m.Method == jsonrpc.MethodCancelRequest:
		if d.hello.own != "" && jsonrpc.ID(rawjson.Get(m.Params(), "requestId")).Plain() == d.hello.id.Plain() {
			m = m.WithParams(rawjson.Set(m.Params(), []byte(d.hello.own), "requestId"))
		}
		d.opts.ToAgent(m)
	case d.held.add(m):
	case m.Kind == jsonrpc.Request:
		d.refuse(m.ID, jsonrpc.CodeInternal, "too much was sent before initialize was answered: wait for its answer")
	default:
		d.opts.Log.Warn("too much was sent before initialize was answered; a notification was dropped", "method", m.Method)
	}
}

// helloAnswered takes the answers to initialize, and reports whether m was one.
func (d *Down) helloAnswered(m jsonrpc.Message) bool {
	h := d.hello
	if h == nil {
		return d.foreignAnswered(m)
	}
	version := string(rawjson.Get(m.Result(), "protocolVersion"))
	switch m.ID.Plain() {
	case h.id.Plain():
		if h.own != "" {
			return false // a second answer
		}
		if !downSpeaksTwo(m, version) {
			if m.Result() != nil {
				d.decide(transparent, m)
			} else {
				d.decide(undecided, m)
			}
			return true
		}
		h.first, h.own = m.Clone(), downOwnID()
		d.opts.Log.Info("the agent does not take version 1 of the protocol; it is asked in version 2")
		d.opts.ToAgent(jsonrpc.Scan(jsonrpc.EncodeRequest(h.own, "initialize", downHelloParams(h.params))))
	case h.own.Plain():
		switch {
		case version == "2":
			d.decide(active, jsonrpc.Scan(jsonrpc.EncodeResult(h.id, m.Result())))
		case m.Result() != nil && h.first.Result() != nil:
			// Two answers, and the second one counts: whatever it is, it is
			// for the client to judge.
			d.decide(transparent, jsonrpc.Scan(jsonrpc.EncodeResult(h.id, m.Result())))
		case h.first.Result() != nil:
			// It agreed on 2 and takes no second initialize.
			d.decide(active, h.first)
		default:
			d.decide(undecided, h.first)
		}
	default:
		return false
	}
	return true
}

// downSpeaksTwo reports whether it is worth asking in version 2. Agents differ
// in the error with which they refuse a version, so any error is, save that the
// client has changed its mind.
func downSpeaksTwo(m jsonrpc.Message, version string) bool {
	if m.Result() != nil {
		return version == "2"
	}
	return string(rawjson.Get(m.ErrorValue(), "code")) != "-32800"
}

// foreignAnswered notices that client and agent have agreed on a version without
// us. An error leaves everything open.
func (d *Down) foreignAnswered(m jsonrpc.Message) bool {
	key := jsonrpc.AnswerKey(d.calls, m.ID)
	c := d.calls[key]
	if c == nil || !c.foreign {
		return false
	}
	delete(d.calls, key)
	if m.Result() == nil {
		d.opts.ToClient(m)
		return true
	}
	d.decide(transparent, m)
	return true
}

// decide ends the negotiation with what the client is told, and lets go what was
// held back.
func (d *Down) decide(phase uint32, answer jsonrpc.Message) {
	if phase == active {
		d.opts.Log.Info("translating: the client speaks version 1 of the protocol, the agent version 2")
		answer = d.welcome(answer)
	}
	d.hello = nil
	d.opts.ToClient(answer)
	held := d.held.take()
	if phase == transparent {
		for _, m := range held {
			d.opts.ToAgent(m)
		}
		// Behind the last one: from here on nobody takes the lock.
		d.phase.Store(phase)
		return
	}
	d.phase.Store(phase)
	for _, m := range held {
		d.fromClient(m)
	}
}

func downReadClient(caps []byte) downClient {
	is := func(path ...string) bool { return objectAt(caps, path...) != nil }
	return downClient{
		form: is("elicitation", "form"), url: is("elicitation", "url"),
		boolean:    is("session", "configOptions", "boolean"),
		notices:    is("session", "notices"),
		compaction: is("session", "compaction"),
		plans:      is("plan"),
		subagents:  is("subagents"),
		terminal:   string(rawjson.Get(caps, "auth", "terminal")) == "true",
	}
}

// downHelloParams are the parameters of initialize in version 2. The client's
// file system and terminals have no place there, and so are never asked for;
// nothing is said of skills (ACP-C4).
func downHelloParams(params []byte) []byte {
	info := objectAt(params, "clientInfo")
	var known v1.Implementation
	if info == nil || known.UnmarshalJSON(info) != nil {
		// It is required, and the client gave none. We are no other client.
		info = []byte(`{"name":"unknown","version":"unknown"}`)
	}
	from := rawjson.Get(params, "clientCapabilities")
	var auth, caps, out object
	if string(rawjson.Get(from, "auth", "terminal")) == "true" {
		auth.put("terminal", []byte("{}"))
	}
	auth.meta(rawjson.Get(from, "auth"))
	if !auth.empty() {
		caps.put("auth", auth.bytes())
	}
	caps.put("elicitation", objectAt(from, "elicitation"))
	caps.meta(from)
	out.put("protocolVersion", []byte("2"))
	out.put("info", info)
	out.put("capabilities", caps.bytes())
	out.meta(params)
	return out.bytes()
}

// welcome makes version 1's answer to initialize of version 2's. What every
// version 2 agent with sessions has to do is advertised to the client.
func (d *Down) welcome(m jsonrpc.Message) jsonrpc.Message {
	result := m.Result()
	auth := d.authMethods(rawjson.Get(result, "authMethods"))
	var out object
	out.put("protocolVersion", []byte("1"))
	out.put("agentInfo", objectAt(result, "info"))
	out.put("agentCapabilities", downCapabilities(rawjson.Get(result, "capabilities"), len(auth) > 0))
	out.put("authMethods", rawjson.Array(auth))
	out.meta(result)
	return m.WithResult(out.bytes())
}

func downCapabilities(caps []byte, login bool) []byte {
	session := objectAt(caps, "session")
	yes := func(path ...string) []byte {
		if objectAt(session, path...) != nil {
			return []byte("true")
		}
		return []byte("false")
	}
	var prompt, mcp, sessions, auth, out object
	for _, name := range []string{"image", "audio", "embeddedContext"} {
		prompt.put(name, yes("prompt", name))
	}
	prompt.meta(objectAt(session, "prompt"))
	mcp.put("http", yes("mcp", "http"))
	mcp.put("sse", []byte("false"))
	if objectAt(session, "mcp", "acp") != nil {
		mcp.put("acp", []byte("true"))
	}
	mcp.meta(objectAt(session, "mcp"))
	if session != nil {
		for _, name := range []string{"list", "resume", "close"} {
			sessions.put(name, []byte("{}"))
		}
	}
	for _, name := range []string{"delete", "additionalDirectories", "systemPrompt", "fork", "archive", "status", "title"} {
		sessions.put(name, objectAt(session, name))
	}
	sessions.meta(session)
	auth.put("status", objectAt(caps, "auth", "status"))
	if login {
		auth.put("logout", []byte("{}"))
	}
	auth.meta(objectAt(caps, "auth"))

	load := "false"
	if session != nil {
		load = "true"
	}
	out.put("loadSession", []byte(load))
	out.put("promptCapabilities", prompt.bytes())
	out.put("mcpCapabilities", mcp.bytes())
	out.put("sessionCapabilities", sessions.bytes())
	if !auth.empty() {
		out.put("auth", auth.bytes())
	}
	out.put("providers", objectAt(caps, "providers"))
	out.meta(caps)
	return out.bytes()
}

// authMethods are the ways to log in that version 1 knows. Its readers take a
// way without a type for one of the agent's own.
func (d *Down) authMethods(list []byte) [][]byte {
	var out [][]byte
	for _, e := range rawjson.Elements(list) {
		method := rename(e.Value, "methodId", "id")
		kind, _ := rawjson.GetString(method, "type")
		switch kind {
		case "agent":
			method = rawjson.Delete(method, "type")
		case "terminal":
			if !d.client.terminal {
				continue
			}
			method = downEnv(method)
		default:
			d.opts.Log.Debug("a way to log in was left out: version 1 has no such type", "type", kind)
			continue
		}
		if _, err := v1.ReadAuthMethod(method); err != nil {
			d.opts.Log.Warn("a way to log in was left out", "error", err)
			continue
		}
		out = append(out, method)
	}
	return out
}

// downEnv makes an object of a list of variables, as version 1 has it for logins
// in a terminal.
func downEnv(method []byte) []byte {
	list := rawjson.Get(method, "env")
	if !rawjson.IsArray(list) {
		return rawjson.Delete(method, "env")
	}
	env := []byte("{}")
	for _, e := range rawjson.Elements(list) {
		name, ok := rawjson.GetString(e.Value, "name")
		if value := rawjson.Get(e.Value, "value"); ok && rawjson.IsString(value) {
			env = rawjson.Set(env, value, name)
		}
	}
	return rawjson.Set(method, env, "env")
}
