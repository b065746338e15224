// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/mcpskill"
	"github.com/skillgraft/skillgraft/skill"
)

// remoteState is what the stage has for all sessions' servers. The stage's lock
// covers all but host.
type remoteState struct {
	host   *mcpskill.Host // nil when they are off
	prefix string         // of our requests' ids; nobody can guess it
	asked  int
	open   map[jsonrpc.ID]chan<- mcpskill.Answer // our questions without an answer
}

func (s *Stage) newRemoteState() remoteState {
	r := remoteState{prefix: "skillgraft-" + rand.Text() + "-mcp-", open: map[jsonrpc.ID]chan<- mcpskill.Answer{}}
	if o := s.opts.MCPSkills; o != nil {
		r.host = mcpskill.NewHost(&mcpskill.HostOptions{
			Version: s.opts.Version, Cache: o.Cache, Approvals: o.Approvals, Timeout: s.timeout(),
			Changed: s.remoteChanged, Log: s.opts.Log,
		})
	}
	return r
}

// activate reads a skill of a prompt: from the disk, or from the server that it
// comes from, after the user was asked (MCP-5).
func (s *Stage) activate(ctx context.Context, sess *session, e *entry) (*skill.Activation, error) {
	if e.remote == nil {
		return s.opts.Activate(ctx, e.listed)
	}
	loaded, err := e.remote.origin.Load(ctx, e.remote.entry.ID.URI, func(ctx context.Context, q mcpskill.Question) (mcpskill.Answer, error) {
		return s.askRemote(ctx, sess, q)
	})
	if err != nil {
		return nil, err
	}
	// The agent reads the skill's files itself, from the server that it has, too: what
	// it acts on is its own to hold.
	defer loaded.Close()
	return loaded.Activation(), nil
}

// What the client's answers are.
const (
	useAlways = "use"
	useOnce   = "use-once"
	useNot    = "do-not-use"
)

// askRemote asks the client whether a skill may be used, and waits. It may take as
// long as the user does: cancelling the prompt ends it.
func (s *Stage) askRemote(ctx context.Context, sess *session, q mcpskill.Question) (mcpskill.Answer, error) {
	answered := make(chan mcpskill.Answer, 1)
	s.mu.Lock()
	s.remote.asked++
	id := jsonrpc.ID(rawjson.Quote(s.remote.prefix + strconv.Itoa(s.remote.asked)))
	s.remote.open[id.Plain()] = answered
	s.reply(jsonrpc.EncodeRequest(id, "session/request_permission", s.remoteQuestion(sess.id, q)))
	s.mu.Unlock()
	if s.opts.Flush != nil {
		s.opts.Flush()
	}
	select {
	case a := <-answered:
		return a, nil
	case <-ctx.Done():
		// Whatever is answered now is no answer any more.
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, still := s.remote.open[id.Plain()]; still && s.ctx.Err() == nil {
			s.remote.open[id.Plain()] = nil
			s.reply(jsonrpc.EncodeNotification("$/cancel_request", append(append([]byte(`{"requestId":`), id...), '}')))
		}
		return mcpskill.No, ctx.Err()
	}
}

// maxNamed is how many files a question names.
const maxNamed = 12

func named(files []string) string {
	more := ""
	if len(files) > maxNamed {
		more = fmt.Sprintf(" and %d more", len(files)-maxNamed)
		files = files[:maxNamed]
	}
	return skill.Sanitize(strings.Join(files, ", ")) + more
}

// remoteQuestion says what is to be approved: where it comes from, its files, and what
// its frontmatter asks for.
func (s *Stage) remoteQuestion(session string, q mcpskill.Question) []byte {
	e := q.Entry
	title := fmt.Sprintf("Use the skill %q of the MCP server %q?", skill.Sanitize(e.Name), skill.Sanitize(e.ID.Label))
	var b strings.Builder
	if q.Changed {
		b.WriteString("It is another one than you approved.")
		for _, d := range []struct {
			what  string
			files []string
		}{{"New", q.Added}, {"Gone", q.Removed}, {"Changed", q.Rewritten}} {
			if len(d.files) > 0 {
				fmt.Fprintf(&b, " %s: %s.", d.what, named(d.files))
			}
		}
		b.WriteString(" ")
	}
	fmt.Fprintf(&b, "It comes from %s, as %s. It says of itself: %s ", skill.Sanitize(q.Endpoint), skill.Sanitize(e.ID.URI), e.DisplayDescription())
	fmt.Fprintf(&b, "It has %d files of %d bytes: %s.", len(e.Files()), e.Size(), named(e.Files()))
	if wants := e.Wants(); len(wants) > 0 {
		fmt.Fprintf(&b, " It asks for %s, which is not granted.", skill.Sanitize(strings.Join(wants, "; ")))
	}
	b.WriteString(" Its instructions go to the model: use it only if you trust who runs that server.")
	var options [][]byte
	for _, o := range [][3]string{
		{useAlways, "Use it, also later, as long as its files stay as they are", "allow_always"},
		{useOnce, "Use it this time", "allow_once"},
		{useNot, "Do not use it", "reject_once"},
	} {
		options = append(options, fmt.Appendf(nil, `{"optionId":%q,"name":%q,"kind":%q}`, o[0], o[1], o[2]))
	}
	return s.conn.dialect.question(session, title, b.String(), rawjson.Array(options))
}

// remoteAnswered takes the client's answer to a question of ours, and reports whether
// it was one: no other may reach the agent, which has not asked.
func (s *Stage) remoteAnswered(m jsonrpc.Message) bool {
	if len(s.remote.open) == 0 {
		return false
	}
	id := m.ID.Plain()
	answered, ours := s.remote.open[id]
	if !ours {
		return false
	}
	delete(s.remote.open, id)
	if answered == nil {
		return true // nobody waits for it any more
	}
	a := mcpskill.No
	if m.Result() == nil {
		s.opts.Log.Warn("the client cannot ask whether a served skill may be used; it is not", "answer", skill.Sanitize(string(m.ErrorValue())))
	} else if outcome, _ := rawjson.GetString(m.Result(), "outcome", "outcome"); outcome == "selected" {
		switch option, _ := rawjson.GetString(m.Result(), "outcome", "optionId"); option {
		case useAlways:
			a = mcpskill.Always
		case useOnce:
			a = mcpskill.Once
		}
	}
	answered <- a
	return true
}
