// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// trusting is what the stage knows of the trust in workspaces beyond what
// [catalog.Options.Trusted] says. The stage's lock covers it.
//
// The client is asked where trust would change something, once for each
// workspace in the life of the process, and never in the way of anything: the
// session goes on without what is not trusted, and the answer may come at any
// time or not at all.
type trusting struct {
	granted map[string]bool       // by the client's answer
	asked   map[string]bool       // whatever the answer was
	open    map[jsonrpc.ID]string // our questions without an answer, and the workspace
	prefix  string                // of our requests' ids; nobody can guess it
}

func newTrusting() trusting {
	return trusting{granted: map[string]bool{}, asked: map[string]bool{}, open: map[jsonrpc.ID]string{}, prefix: "skillgraft-" + rand.Text() + "-"}
}

// What the client's answers are.
const (
	trustAlways = "trust"
	trustNow    = "trust-for-now"
	trustNot    = "not-now"
)

// withTrust has the catalog ask us about workspaces, and returns where those are
// noted that are not trusted.
func (s *Stage) withTrust(opts *catalog.Options) (untrusted *[]string) {
	untrusted = new([]string)
	known := opts.Trusted
	opts.Trusted = func(dir string) bool {
		s.mu.Lock()
		granted := s.trust.granted[dir]
		s.mu.Unlock()
		if granted || known != nil && known(dir) {
			return true
		}
		*untrusted = append(*untrusted, dir)
		return false
	}
	return untrusted
}

// askTrust asks the client about the workspaces of a session that are not trusted
// and have something that trust would change. What was granted since the
// session's folders were read is applied.
func (s *Stage) askTrust(sess *session) {
	w := sess.watch
	if w == nil {
		return
	}
	for _, dir := range w.untrusted {
		if s.trust.granted[dir] {
			s.aside(func() { s.reopen(sess, w) })
			return // which asks about the others
		}
	}
	if s.opts.KeepTrust == nil {
		return
	}
	for _, dir := range w.untrusted {
		why := s.wanting(w.cat.Snapshot(), dir)
		if why == "" || s.trust.asked[dir] {
			continue
		}
		s.trust.asked[dir] = true
		id := jsonrpc.ID(rawjson.Quote(s.trust.prefix + strconv.Itoa(len(s.trust.asked))))
		s.trust.open[id.Plain()] = dir
		s.reply(jsonrpc.EncodeRequest(id, "session/request_permission", s.trustQuestion(sess.id, dir, why)))
	}
}

// wanting says what the trust in a workspace would change, empty for nothing.
func (s *Stage) wanting(disk *catalog.Snapshot, dir string) string {
	var why []string
	links, first := 0, skill.Finding{}
	for _, f := range disk.Findings() {
		if f.Rule == "DSC-5" && f.Severity == skill.Warning && isIn(dir, f.File) {
			if links++; links == 1 {
				first = f
			}
		}
	}
	if links > 0 {
		what, _, _ := strings.Cut(first.Message, "; trust the workspace")
		format := "A link in it leads out of it and is not followed: %[2]s, %[3]s."
		if links > 1 {
			format = "%d links in it lead out of it and are not followed, such as %s, %s."
		}
		why = append(why, fmt.Sprintf(format, links, skill.Sanitize(first.File), what))
	}
	if s.opts.ModelServer != nil {
		for _, e := range disk.All() {
			if !e.Trusted && e.ModelInvocable() && isIn(dir, e.Path) {
				why = append(why, fmt.Sprintf("The model is not told of its skills, such as %s.", skill.Sanitize(e.Skill.Name)))
				break
			}
		}
	}
	return strings.Join(why, " ")
}

// isIn tells whose a finding is. It decides about no access.
func isIn(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// trustQuestion asks about a workspace.
func (s *Stage) trustQuestion(session, dir, why string) []byte {
	title := "Trust the workspace " + skill.Sanitize(dir) + "?"
	why += " Trust it only if you know where it comes from; skillgraft trust remove takes it back."
	// A client that allows everything by itself takes the narrowest that allows:
	// that is then not remembered.
	var options [][]byte
	for _, o := range [][3]string{
		{trustAlways, "Trust this workspace", "allow_always"},
		{trustNow, "Trust it for now", "allow_once"},
		{trustNot, "Not now", "reject_once"},
	} {
		options = append(options, fmt.Appendf(nil, `{"optionId":%q,"name":%q,"kind":%q}`, o[0], o[1], o[2]))
	}
	return s.conn.dialect.question(session, title, why, rawjson.Array(options))
}

// trustAnswered takes the client's answer to a question of ours, and reports
// whether it was one: no other may reach the agent, which has not asked.
func (s *Stage) trustAnswered(m jsonrpc.Message) bool {
	if len(s.trust.open) == 0 {
		return false
	}
	id := m.ID.Plain()
	dir, ours := s.trust.open[id]
	if !ours {
		return false
	}
	delete(s.trust.open, id)
	const how = "to have it trusted, run: skillgraft trust add, in that directory"
	if m.Result() == nil {
		s.opts.Log.Warn("the client cannot ask whether a workspace is trusted; "+how, "workspace", dir, "answer", skill.Sanitize(string(m.ErrorValue())))
		return true
	}
	option, _ := rawjson.GetString(m.Result(), "outcome", "optionId")
	if outcome, _ := rawjson.GetString(m.Result(), "outcome", "outcome"); outcome != "selected" || option != trustAlways && option != trustNow {
		s.opts.Log.Info("a workspace is not trusted; "+how, "workspace", dir)
		return true
	}
	s.trust.granted[dir] = true
	s.aside(func() { s.trustGranted(dir, option == trustAlways) })
	return true
}

// trustGranted keeps the trust and looks again at what it changes.
func (s *Stage) trustGranted(dir string, keep bool) {
	if keep {
		if err := s.opts.KeepTrust(dir); err != nil {
			s.opts.Log.Warn("a workspace is trusted as long as this agent runs, and that could not be remembered", "workspace", dir, "error", err)
		}
	}
	type reading struct {
		sess *session
		w    *watch
	}
	var due []reading
	s.mu.Lock()
	for _, sess := range s.sessions {
		if sess.watch != nil && sess.ready {
			due = append(due, reading{sess, sess.watch})
		}
	}
	s.mu.Unlock()
	for _, d := range due {
		if isWithout(d.w, dir) {
			s.reopen(d.sess, d.w)
		}
	}
}

func isWithout(w *watch, dir string) bool {
	for _, u := range w.untrusted {
		if u == dir {
			return true
		}
	}
	return false
}

// reopen reads a session's folders anew, since trust is decided when they are
// opened, and tells the client what is another than before.
func (s *Stage) reopen(sess *session, old *watch) {
	s.mu.Lock()
	roots, folders := sess.roots, s.conn.profile.Reads.All()
	s.mu.Unlock()
	w := s.openWatch(roots, folders)
	s.mu.Lock()
	defer s.mu.Unlock()
	if w == nil || s.ctx.Err() != nil || s.sessions[sess.id] != sess || sess.watch != old {
		s.work.Go(w.close)
		return
	}
	s.adopt(sess, &setup{roots: roots, watch: w})
	s.sendList(sess, false)
	s.askTrust(sess)
}
