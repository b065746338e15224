// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"slices"
	"strconv"
	"strings"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A ModelServer is a program that offers a session's skills to the model, as a
// server of the Model Context Protocol on its standard input and output. The
// agent starts it; no shell reads its command line.
type ModelServer struct {
	Command string // absolute
	Args    []string
	Env     []string // NAME=VALUE; agents need not pass on their own
}

// A ModelSession is what the program has to know to see what the session sees.
type ModelSession struct {
	Workspace []string // the working directory and the additional ones
	Folders   []string // the client folders
	Trusted   []string // workspaces that are trusted as long as we run
}

// serverName is how the server is called in a session, unless the client has one
// of that name.
const serverName = "skillgraft"

// holdSetup keeps a request that sets up a session until the session's folders
// are read, if a model is to be offered what lies there: without skills nothing
// is to be added to the request. It reports whether it did.
func (s *Stage) holdSetup(m jsonrpc.Message) bool {
	su := s.setups[m.ID.Plain()]
	if s.opts.ModelServer == nil || su == nil || !s.conn.servers {
		return false
	}
	held := m.Clone()
	su.request = &held
	return true
}

// behindSetup queues what the client sends for a session while a request that
// resumes or forks it is held, and reports whether it did.
func (s *Stage) behindSetup(m jsonrpc.Message) bool {
	if s.opts.ModelServer == nil || m.Kind == jsonrpc.Response || m.SessionID == "" {
		return false
	}
	for _, su := range s.setups {
		if su.request != nil && su.parent == m.SessionID {
			su.behind.push(s, m, nil, func() bool { return su.request != nil })
			return true
		}
	}
	return false
}

// releaseSetup sends the held request on, and what came behind it.
func (s *Stage) releaseSetup(su *setup) {
	if su.request == nil {
		return
	}
	m := *su.request
	su.request = nil
	s.opts.ToAgent(s.withModelServer(m, su))
	s.drainSetup(su)
}

func (s *Stage) drainSetup(su *setup) {
	for {
		next, ok := su.behind.pop(s)
		if !ok {
			return
		}
		s.receive(next.m)
	}
}

// cancelSetup handles a $/cancel_request for a request that is held here, or
// that queued behind one. It reports whether there was one.
func (s *Stage) cancelSetup(m jsonrpc.Message) bool {
	if s.opts.ModelServer == nil {
		return false
	}
	id := jsonrpc.ID(rawjson.Get(m.Params(), "requestId")).Plain()
	if id == "" {
		return false
	}
	for key, su := range s.setups {
		if su.request == nil {
			continue
		}
		if key == id {
			answer := jsonrpc.Scan(neverSent(su.request.ID))
			su.request = nil
			s.setupFailed(answer, su)
			s.drainSetup(su)
			return true
		}
		for i, q := range su.behind.items {
			if q.m.Kind == jsonrpc.Request && q.m.ID.Plain() == id {
				su.behind.bytes -= len(q.m.Raw)
				su.behind.items = slices.Delete(su.behind.items, i, i+1)
				if q.m.Method == "session/prompt" {
					s.answerCancelled(q.m.ID)
				} else {
					s.reply(neverSent(q.m.ID))
				}
				return true
			}
		}
	}
	return false
}

func neverSent(id jsonrpc.ID) []byte {
	return jsonrpc.EncodeError(id, jsonrpc.Errorf(jsonrpc.CodeCancelled, "the request was cancelled before it was sent to the agent"))
}

// withModelServer adds our server to those of the request, behind the client's
// own. A list of them that is none is the agent's to refuse.
func (s *Stage) withModelServer(m jsonrpc.Message, su *setup) jsonrpc.Message {
	list := rawjson.Get(m.Params(), "mcpServers")
	if !s.hasForModel(su.watch) || len(list) > 0 && !rawjson.IsArray(list) && string(list) != "null" {
		return m
	}
	about := ModelSession{Workspace: su.roots.all(), Folders: clientFolders(s.opts.Catalog.ClientFolders, su.folders)}
	for dir := range s.trust.granted {
		about.Trusted = append(about.Trusted, dir)
	}
	slices.Sort(about.Trusted)
	var tokens [][]byte
	taken := map[string]bool{}
	for _, e := range rawjson.Elements(list) {
		tokens = append(tokens, e.Value)
		name, _ := rawjson.GetString(e.Value, "name")
		taken[name] = true
	}
	name := serverName
	for i := 2; taken[name]; i++ {
		name = serverName + "-" + strconv.Itoa(i)
	}
	tokens = append(tokens, s.conn.dialect.server(name, s.opts.ModelServer(about)))
	return m.WithParams(rawjson.Set(m.Params(), rawjson.Array(tokens), "mcpServers"))
}

// hasForModel reports whether there is a skill that the model may use, now or
// when the client has answered that it trusts the workspace.
func (s *Stage) hasForModel(w *watch) bool {
	if w == nil {
		return false
	}
	for _, e := range w.cat.Snapshot().All() {
		if e.ModelInvocable() && (e.Trusted || s.opts.KeepTrust != nil) {
			return true
		}
	}
	return false
}

// members are those of the server's entry that both versions have, to its end.
func (p ModelServer) members(name string) []byte {
	var args, env [][]byte
	for _, a := range p.Args {
		args = append(args, rawjson.Quote(a))
	}
	for _, e := range p.Env {
		key, value, _ := strings.Cut(e, "=")
		v := append([]byte(`{"name":`), rawjson.Quote(key)...)
		v = append(append(v, `,"value":`...), rawjson.Quote(value)...)
		env = append(env, append(v, '}'))
	}
	tok := append([]byte(`"name":`), rawjson.Quote(name)...)
	tok = append(append(tok, `,"command":`...), rawjson.Quote(p.Command)...)
	tok = append(append(tok, `,"args":`...), rawjson.Array(args)...)
	tok = append(append(tok, `,"env":`...), rawjson.Array(env)...)
	return append(tok, '}')
}
