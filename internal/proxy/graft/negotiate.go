// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// markKey names our mark in the _meta of an initialize response. An outer proxy
// that sees it leaves everything to the inner one.
const markKey = "skillgraft"

// connection is what client and agent have agreed on.
type connection struct {
	initializing map[jsonrpc.ID]clientHello // requests that are not answered

	grafting bool
	dialect  dialect // never nil; the last one that was agreed on
	terms
	profile *profile.Profile
	journal *journal.Journal
}

// clientHello is what the client asks for in an initialize request.
type clientHello struct {
	version string // the token
	skill   bool
}

// hello notes what the client says of itself. The request goes on as it is: an
// agent that knows skills has to see the client's capability, and to any other
// it is a field like the rest.
func (s *Stage) hello(m jsonrpc.Message) {
	s.conn.initializing[m.ID.Plain()] = clientHello{
		version: string(rawjson.Get(m.Params(), "protocolVersion")),
		skill:   isObject(m.Params(), "capabilities", "session", "commands", "skill"),
	}
	s.opts.ToAgent(m)
}

// isObject is the rule of every capability: an object means yes; missing, null
// and anything else, at any level, means no (ACP-C1, ACP-C2).
func isObject(obj []byte, path ...string) bool { return rawjson.IsObject(rawjson.Get(obj, path...)) }

// helloAnswered takes over what an initialize response settles, in place of what
// an earlier one did, and adds what we can do.
func (s *Stage) helloAnswered(m jsonrpc.Message) {
	hello := s.conn.initializing[m.ID.Plain()]
	delete(s.conn.initializing, m.ID.Plain())
	result := m.Result()
	if result == nil {
		s.opts.ToClient(m) // refused: what was settled before still holds
		return
	}
	s.conn.grafting = false
	version := string(rawjson.Get(result, "protocolVersion"))
	d := dialectOf(hello.version, version)
	if d == nil {
		s.opts.Log.Warn("client and agent did not agree on a protocol version that both speak: everything passes through, and no skills are added", "asked", hello.version, "answered", version)
		s.opts.ToClient(m)
		return
	}
	switch t := d.terms(hello, result); {
	case t.noSessions:
		s.opts.Log.Warn("the agent has no sessions (capabilities.session is missing): everything passes through, and no skills are added")
	case isObject(result, "_meta", markKey):
		s.opts.Log.Info("the agent is behind another skillgraft already: everything passes through to that one")
	default:
		s.conn.dialect, s.conn.terms = d, t
		m = s.settle(m, version)
	}
	s.opts.ToClient(m)
}

func (s *Stage) settle(m jsonrpc.Message, version string) jsonrpc.Message {
	t := s.conn.terms
	s.conn.grafting = true
	clear(s.weaves)
	if s.opts.ModelServer != nil && !t.servers {
		s.opts.Log.Warn("the model is offered no skills, although that was asked for: the agent starts no MCP servers (capabilities.session.mcp.stdio is missing)")
	}
	if s.conn.profile = s.opts.Profile; s.conn.profile == nil {
		s.conn.profile = profile.For(s.opts.Profiles, t.agent, s.opts.Command)
	}
	s.conn.journal = s.opts.Journal(t.agent)
	s.opts.Log.Info("adding skills", "agent", t.agent, "version", version, "profile", s.conn.profile.Name, "agentTakesBlocks", t.agentSkill.Skill, "clientKnowsSkills", t.clientSkill)

	result := s.conn.dialect.advertise(m.Result(), t)
	mark := append(append([]byte(`{"version":`), rawjson.Quote(s.opts.Version)...), '}')
	return m.WithResult(rawjson.Set(result, mark, "_meta", markKey))
}
