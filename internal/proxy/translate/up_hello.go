// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"bytes"
	"strconv"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// upHello is an initialize of the client on its way. Real agents of version 1
// take one of version 2's shape and answer 1, so the client's own bytes go first:
// an agent of version 2 must not see that somebody stands between. Only when that
// is refused the agent is asked once more, in version 1's shape.
type upHello struct {
	m     jsonrpc.Message // the client's
	own   jsonrpc.ID      // of the second try; empty during the first
	first jsonrpc.Message // the answer to the first, which was an error
}

// asksTwo reports whether the client asked for version 2 or a later one. One that
// did not is answered by the agent alone: it speaks version 1 itself, or is to
// be told what is wrong with what it asked for.
func (h *upHello) asksTwo() bool {
	n, err := strconv.Atoi(string(rawjson.Get(h.m.Params(), "protocolVersion")))
	return err == nil && n >= 2
}

func (u *Up) beginHello(m jsonrpc.Message) {
	u.hello = &upHello{m: m.Clone()}
	u.opts.ToAgent(m)
}

// whileNegotiating keeps back what the client sends before it knows the version:
// nobody can tell yet whether it has to be translated.
func (u *Up) whileNegotiating(m jsonrpc.Message) {
	if m.Kind == jsonrpc.Response {
		u.opts.ToAgent(m)
		return
	}
	if id := jsonrpc.ID(rawjson.Get(m.Params(), "requestId")); m.Method == jsonrpc.MethodCancelRequest && id.Plain() == u.hello.m.ID.Plain() {
		if u.hello.own != "" {
			m = m.WithParams(rawjson.Set(m.Params(), []byte(u.hello.own), "requestId"))
		}
		u.opts.ToAgent(m)
		return
	}
	if !u.held.add(m) {
		u.opts.Log.Warn("the client sends a lot and does not wait for the answer to its initialize; a message was dropped", "method", m.Method)
		if m.Kind == jsonrpc.Request {
			u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "wait for the answer to initialize before you send more"))
		}
	}
}

// helloAnswered takes the agent's answers to initialize.
func (u *Up) helloAnswered(m jsonrpc.Message) bool {
	h := u.hello
	if h == nil {
		return false
	}
	version := string(rawjson.Get(m.Result(), "protocolVersion"))
	switch {
	case !h.asksTwo() && m.ID.Answers(h.m.ID):
		// Whatever is agreed on is between client and agent.
		if phase := u.phase.Load(); m.Result() == nil {
			u.decide(phase, m)
		} else {
			u.decide(transparent, m)
		}
	case h.own == "" && m.ID.Answers(h.m.ID):
		switch {
		case m.Result() == nil && !upCancelled(m):
			h.first, h.own = m.Clone(), u.ownID()
			u.opts.Log.Info("the agent refused initialize; it is asked again in version 1 of the protocol")
			u.opts.ToAgent(jsonrpc.Scan(jsonrpc.EncodeRequest(h.own, acp.MethodInitialize, upHelloParams(h.m.Params()))))
		case m.Result() == nil:
			u.decide(u.phase.Load(), m)
		case version == "1":
			u.decide(active, m)
		default:
			u.decide(transparent, m)
		}
	case h.own != "" && m.ID == h.own:
		switch {
		case m.Result() == nil:
			// The first error is the one that is about what the client sent.
			u.decide(u.phase.Load(), h.first)
		case version == "1":
			u.decide(active, m)
		default:
			u.decide(transparent, jsonrpc.Scan(rawjson.Set(m.Raw, []byte(h.m.ID), "id")))
		}
	default:
		return false
	}
	return true
}

func upCancelled(m jsonrpc.Message) bool {
	return string(rawjson.Get(m.ErrorValue(), "code")) == strconv.Itoa(jsonrpc.CodeCancelled)
}

// decide ends the negotiation with what the client is told, and lets go what was
// kept back. A refused initialize changes nothing of what was agreed on before.
func (u *Up) decide(phase uint32, answer jsonrpc.Message) {
	h := u.hello
	u.hello = nil
	if phase == active && answer.Result() != nil {
		u.opts.Log.Info("translating: the client speaks version 2 of the protocol, the agent version 1")
		u.agent = upReadAgent(answer.Result())
		raw := rawjson.Set(answer.Raw, []byte(h.m.ID), "id")
		answer = jsonrpc.Scan(rawjson.Set(raw, u.welcome(answer.Result()), "result"))
	}
	u.opts.ToClient(answer)
	held := u.held.take()
	if phase == transparent {
		for _, m := range held {
			u.opts.ToAgent(m)
		}
		// Behind the last one: from here on nobody takes the lock.
		u.phase.Store(phase)
		return
	}
	u.phase.Store(phase)
	for _, m := range held {
		u.fromClient(m)
	}
}

// upHelloParams are the parameters of initialize in version 1's shape. The client
// has neither a file system nor terminals for the agent; what it has to
// understand as a client of version 2 is offered.
func upHelloParams(params []byte) []byte {
	caps := objectAt(params, "capabilities")
	var auth []byte
	if objectAt(caps, "auth", "terminal") != nil {
		auth = []byte(`{"terminal":true}`)
	}
	return objectOf(
		field{"protocolVersion", []byte("1")},
		field{"clientInfo", objectAt(params, "info")},
		field{"clientCapabilities", objectOf(
			field{"fs", []byte(`{"readTextFile":false,"writeTextFile":false}`)},
			field{"terminal", []byte("false")},
			field{"session", []byte(`{"configOptions":{"boolean":{}},"compaction":{},"notices":{}}`)},
			field{"elicitation", objectAt(caps, "elicitation")},
			field{"auth", auth},
			field{"_meta", objectAt(caps, "_meta")},
		)},
		field{"_meta", objectAt(params, "_meta")},
	)
}

func upReadAgent(result []byte) upAgent {
	caps := rawjson.Get(result, "agentCapabilities")
	session := rawjson.Get(caps, "sessionCapabilities")
	return upAgent{
		load:   upYes(caps, "loadSession"),
		list:   upYes(session, "list"),
		resume: upYes(session, "resume"),
		close:  upYes(session, "close"),
		logout: upYes(caps, "auth", "logout"),
	}
}

// welcome makes version 2's result of initialize of version 1's. The methods that
// every agent with sessions has to have are not advertised in version 2; those
// that this one lacks are answered here.
func (u *Up) welcome(result []byte) []byte {
	caps := rawjson.Get(result, "agentCapabilities")
	return objectOf(
		field{"protocolVersion", []byte("2")},
		field{"info", upInfo(rawjson.Get(result, "agentInfo"))},
		field{"capabilities", upCapabilities(caps)},
		field{"authMethods", u.authMethods(rawjson.Get(result, "authMethods"))},
		field{"_meta", objectAt(result, "_meta")},
	)
}

// upInfo is the agent's name, which version 2 requires.
func upInfo(info []byte) []byte {
	var known v1.Implementation
	if !rawjson.IsObject(info) || known.UnmarshalJSON(info) != nil {
		return []byte(`{"name":"unknown","version":"unknown"}`)
	}
	return info
}

func upCapabilities(caps []byte) []byte {
	from := rawjson.Get(caps, "sessionCapabilities")
	session := []field{
		{"prompt", objectOf(
			field{"image", upMarker(caps, "promptCapabilities", "image")},
			field{"audio", upMarker(caps, "promptCapabilities", "audio")},
			field{"embeddedContext", upMarker(caps, "promptCapabilities", "embeddedContext")},
			field{"_meta", objectAt(caps, "promptCapabilities", "_meta")},
		)},
		{"mcp", objectOf(
			field{"stdio", []byte("{}")}, // every agent of version 1 has to take it
			field{"http", upMarker(caps, "mcpCapabilities", "http")},
			field{"acp", upMarker(caps, "mcpCapabilities", "acp")},
			field{"_meta", objectAt(caps, "mcpCapabilities", "_meta")},
		)},
	}
	for _, name := range []string{"delete", "additionalDirectories", "systemPrompt", "fork", "archive", "status", "title"} {
		session = append(session, field{name, upMarker(from, name)})
	}
	session = append(session, field{"_meta", objectAt(from, "_meta")})
	var auth []byte
	if status, meta := upMarker(caps, "auth", "status"), objectAt(caps, "auth", "_meta"); status != nil || meta != nil {
		auth = objectOf(field{"status", status}, field{"_meta", meta})
	}
	return objectOf(
		field{"session", objectOf(session...)},
		field{"auth", auth},
		field{"providers", upMarker(caps, "providers")},
		field{"_meta", objectAt(caps, "_meta")},
	)
}

// authMethods are the agent's ways to log in. One without a type is one that the
// agent walks itself; one of an unknown type stays one (PXY-1).
func (u *Up) authMethods(list []byte) []byte {
	out := [][]byte{}
	for _, tok := range rawjson.Values(list) {
		method := rename(tok, "id", "methodId")
		switch kind := rawjson.Get(method, "type"); {
		case !rawjson.IsString(kind):
			method = rawjson.Set(method, []byte(`"agent"`), "type")
		case string(kind) == `"terminal"`:
			method = upEnv(method)
		}
		if _, err := acp.ReadAuthMethod(method); err != nil {
			u.opts.Log.Warn("a way to log in was left out, since it is malformed", "error", err)
			continue
		}
		out = append(out, method)
	}
	return rawjson.Array(out)
}

// upEnv makes a list of variables of an object, as version 2 has it.
func upEnv(method []byte) []byte {
	env := rawjson.Get(method, "env")
	if !rawjson.IsObject(env) {
		return method
	}
	var list [][]byte
	for m := range rawjson.Members(env) {
		if rawjson.IsString(m.Value) {
			list = append(list, objectOf(field{"name", rawjson.Quote(string(m.Key))}, field{"value", bytes.Clone(m.Value)}))
		}
	}
	return rawjson.Set(method, rawjson.Array(list), "env")
}
