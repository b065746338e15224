// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/mcpskill"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// MCPSkills are the choices about skills that MCP servers serve.
type MCPSkills struct {
	// Cache and Approvals are what is kept on disk; nil keeps nothing.
	Cache     *mcpskill.Cache
	Approvals *mcpskill.Approvals
	// Stdio also starts servers that are programs. The agent starts each of them, too.
	Stdio bool
	// Timeout is how long a server has for each answer; 0 means [RemoteTimeout].
	Timeout time.Duration
}

// RemoteTimeout is how long an MCP server has for each answer. No session waits for
// it: the list comes when it is there. A prompt with one of the server's skills does.
const RemoteTimeout = 10 * time.Second

// maxRemotes bounds how many skills one server can put into a session's list.
const maxRemotes = 1000

// A remoteSkill is one that a server listed (MCP-3).
type remoteSkill struct {
	origin *mcpskill.Origin
	entry  *mcpskill.Entry
}

// A remoteSet is what a session's servers have listed. It is immutable.
type remoteSet struct {
	entries []*catalog.Entry
	skills  map[*catalog.Entry]*remoteSkill
}

func (r *remoteSet) parts() (map[*catalog.Entry]*remoteSkill, []*catalog.Entry) {
	if r == nil {
		return nil, nil
	}
	return r.skills, r.entries
}

// remotes are the servers of a session. The stage's lock covers it.
type remotes struct {
	set     *remoteSet
	servers []mcpServer
	origins []*mcpskill.Origin
	lists   map[string][]listedRemote // by the server's label
}

type listedRemote struct {
	entry *catalog.Entry
	skill *remoteSkill
}

// An mcpServer is one that the client names for a session.
type mcpServer struct {
	label string
	at    mcpskill.Endpoint
}

// readServers are the servers of a request that sets a session up. Of two with one
// name the first counts: the name is what identifies it (MCP-3).
func (s *Stage) readServers(params []byte) (out []mcpServer) {
	o := s.opts.MCPSkills
	if o == nil {
		return nil
	}
	for _, e := range rawjson.Elements(rawjson.Get(params, "mcpServers")) {
		var server mcpServer
		server.label, _ = rawjson.GetString(e.Value, "name")
		if strings.TrimSpace(server.label) == "" || slices.ContainsFunc(out, func(o mcpServer) bool { return o.label == server.label }) {
			continue
		}
		kind, typed := rawjson.GetString(e.Value, "type")
		switch {
		case kind == "http":
			server.at.URL, _ = rawjson.GetString(e.Value, "url")
			server.at.Header = http.Header{}
			for _, h := range rawjson.Elements(rawjson.Get(e.Value, "headers")) {
				name, _ := rawjson.GetString(h.Value, "name")
				value, ok := rawjson.GetString(h.Value, "value")
				if ok && name != "" {
					server.at.Header.Add(name, value)
				}
			}
		case o.Stdio && (kind == "stdio" || !typed):
			command, _ := rawjson.GetString(e.Value, "command")
			if command == "" {
				continue
			}
			server.at.Command = []string{command}
			for _, a := range rawjson.Elements(rawjson.Get(e.Value, "args")) {
				if arg, ok := rawjson.String(a.Value); ok {
					server.at.Command = append(server.at.Command, arg)
				}
			}
			for _, v := range rawjson.Elements(rawjson.Get(e.Value, "env")) {
				name, _ := rawjson.GetString(v.Value, "name")
				value, _ := rawjson.GetString(v.Value, "value")
				server.at.Env = append(server.at.Env, name+"="+value)
			}
			server.at.Dir, _ = rawjson.GetString(params, "cwd")
		default:
			continue
		}
		out = append(out, server)
	}
	return out
}

// openRemotes connects to the servers of a session, beside everything else.
func (s *Stage) openRemotes(sess *session, servers []mcpServer) {
	if len(servers) == 0 && len(sess.remote.servers) == 0 {
		return
	}
	s.closeRemotes(sess)
	sess.remote.servers = servers
	for _, server := range servers {
		s.aside(func() { s.openRemote(sess, server) })
	}
}

func (s *Stage) openRemote(sess *session, server mcpServer) {
	origin, err := s.remote.host.Connect(s.ctx, server.label, server.at)
	if err != nil {
		if s.ctx.Err() == nil && !errors.Is(err, mcpskill.ErrNoSkills) {
			s.opts.Log.Warn("the skills of an MCP server are left out", "server", skill.Sanitize(server.label), "error", err)
		}
		return
	}
	s.mu.Lock()
	if !s.serves(sess, server.label) {
		s.mu.Unlock()
		origin.Close()
		return
	}
	sess.remote.origins = append(sess.remote.origins, origin)
	s.mu.Unlock()
	s.listRemote(sess, origin)
}

// serves reports whether a session is still one that has the server.
func (s *Stage) serves(sess *session, label string) bool {
	return s.ctx.Err() == nil && s.sessions[sess.id] == sess &&
		slices.ContainsFunc(sess.remote.servers, func(m mcpServer) bool { return m.label == label })
}

// listRemote asks a server what it has, and tells the client.
func (s *Stage) listRemote(sess *session, origin *mcpskill.Origin) {
	ctx, cancel := context.WithTimeout(s.ctx, 6*s.timeout())
	defer cancel()
	listing, err := origin.List(ctx)
	if err != nil {
		if s.ctx.Err() == nil {
			s.opts.Log.Warn("the skills of an MCP server are left out", "server", skill.Sanitize(origin.Label()), "error", err)
		}
		return
	}
	for i, p := range listing.Problems {
		if i == 20 {
			s.opts.Log.Warn("more of this server is left out", "server", skill.Sanitize(origin.Label()), "problems", len(listing.Problems))
			break
		}
		s.opts.Log.Warn("a skill of an MCP server is left out", "problem", p)
	}
	var found []listedRemote
	names := mcpskill.Names(listing.Entries)
	for i, e := range listing.Entries {
		if !e.UserInvocable() {
			continue
		}
		if len(found) == maxRemotes {
			s.opts.Log.Warn("an MCP server has more skills than a list takes; the rest is left out", "server", skill.Sanitize(origin.Label()), "most", maxRemotes)
			break
		}
		found = append(found, listedRemote{catalogEntry(origin, e, names[i]), &remoteSkill{origin, e}})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.serves(sess, origin.Label()) || !slices.Contains(sess.remote.origins, origin) {
		return
	}
	if sess.remote.lists == nil {
		sess.remote.lists = map[string][]listedRemote{}
	}
	sess.remote.lists[origin.Label()] = found
	set := &remoteSet{skills: map[*catalog.Entry]*remoteSkill{}}
	for _, server := range sess.remote.servers { // in the client's order, whoever was first
		for _, l := range sess.remote.lists[server.label] {
			set.entries = append(set.entries, l.entry)
			set.skills[l.entry] = l.skill
		}
	}
	sess.remote.set = set
	if sess.ready {
		s.sendList(sess, false)
	}
}

// catalogEntry is a served skill as a list takes it: without a file, and with its
// origin where people read it.
func catalogEntry(origin *mcpskill.Origin, e *mcpskill.Entry, name string) *catalog.Entry {
	label := skill.Sanitize(origin.Label())
	return &catalog.Entry{
		Skill:     &skill.Skill{Name: e.Name, Description: fmt.Sprintf("%s (from the MCP server %s)", e.DisplayDescription(), label)},
		ID:        name,
		Scope:     catalog.BuiltIn,
		Root:      "mcp:" + origin.Label() + "\x00" + e.ID.URI, // its identity (MCP-3)
		Qualifier: label,
	}
}

// closeRemotes ends the connections of a session.
func (s *Stage) closeRemotes(sess *session) {
	for _, o := range sess.remote.origins {
		s.aside(o.Close)
	}
	sess.remote = remotes{}
}

// remoteChanged is called when a server says that its list is another one.
func (s *Stage) remoteChanged(label string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	for _, sess := range s.sessions {
		for _, o := range sess.remote.origins {
			if o.Label() == label {
				s.aside(func() { s.listRemote(sess, o) })
			}
		}
	}
}

func (s *Stage) timeout() time.Duration {
	if t := s.opts.MCPSkills.Timeout; t > 0 {
		return t
	}
	return RemoteTimeout
}
