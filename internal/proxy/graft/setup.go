// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"path/filepath"
	"time"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// setup is a session/new, load, resume or fork on its way. The session's folders
// are read while the agent works on it.
type setup struct {
	opening
	parent  string // params.sessionId: what is resumed or forked
	roots   roots
	folders []string
	servers []mcpServer // that the client names for it
	journal *journal.Journal

	loaded  bool // watch and records are there
	watch   *watch
	records []journal.Record

	sess    *session // the session, once it is known
	fork    *session // stands for it while only its messages are
	began   time.Time
	created bool // by this setup, provisionally: its failure ends it
	gated   bool // the session's gate is up until loaded
	over    bool // abandoned: close the watch when it comes

	request *jsonrpc.Message // held until loaded (modelserver.go); nil when the agent has it
	behind  queue            // what the client sent for parent behind it
}

// abandon gives the setup up. A watch that is open already is closed by the
// caller of release.
func (su *setup) abandon() { su.over = true }

// beginSetup notes the request and starts to read. The request itself goes on
// as it is.
func (s *Stage) beginSetup(m jsonrpc.Message) {
	params := m.Params()
	what := s.conn.dialect.opening(m.Method, params)
	if what.kind == opensNothing {
		return
	}
	su := &setup{began: time.Now(), opening: what, journal: s.conn.journal, folders: s.conn.profile.Reads.All(), parent: m.SessionID, roots: readRoots(params), servers: s.readServers(params)}
	s.setups[m.ID.Plain()] = su
	if su.kind == opensKnown {
		if su.sess = s.sessions[su.parent]; su.sess == nil {
			su.sess, su.created = s.newSession(su.parent), true
			s.sessions[su.parent] = su.sess
		}
		su.sess.again = true // whoever resumes asks for the list (PXY-3)
		s.raiseGate(su)      // the replay needs the journal
	}
	s.aside(func() { s.load(su) })
}

func readRoots(params []byte) (r roots) {
	r.cwd, _ = rawjson.GetString(params, "cwd")
	for _, e := range rawjson.Elements(rawjson.Get(params, "additionalDirectories")) {
		// Spelled as the catalog spells it, since folders are compared with it.
		if dir, ok := rawjson.String(e.Value); ok && filepath.IsAbs(dir) {
			if dir = filepath.Clean(dir); dir != filepath.Clean(r.cwd) {
				r.additional = append(r.additional, dir)
			}
		}
	}
	return r
}

// load reads the session's folders and what the journal has of it, and lets
// the messages through that waited for it.
func (s *Stage) load(su *setup) {
	w := s.openWatch(su.roots, su.folders)
	var records []journal.Record
	if su.kind != opensNew {
		var err error
		s.scribe.wait() // what this process has still to write comes first
		if records, err = su.journal.Load(su.parent); err != nil {
			s.opts.Log.Warn("the journal of the session cannot be read: a replay shows what the agent replays", "error", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if su.over || s.ctx.Err() != nil {
		s.work.Go(w.close)
		return
	}
	su.watch, su.records, su.loaded = w, records, true
	defer s.releaseSetup(su)
	if su.gated {
		su.gated = false
		if su.kind == opensKnown {
			s.beginReplay(su)
		}
		if su.created && su.sess.watch == nil {
			// Lists that come during the replay are woven already.
			s.adopt(su.sess, su)
		}
		s.lowerGate(su.sess)
	}
}

// openWatch reads the folders of a session. Without a working directory, or
// when that fails, there are no skills; the agent's own list still holds. A
// relative one is the agent's to judge: what it is relative to only the agent
// knows.
func (s *Stage) openWatch(r roots, own []string) *watch {
	if !filepath.IsAbs(r.cwd) {
		s.opts.Log.Warn("the session gets no skills, since its cwd is no absolute path: the client has to send one", "cwd", skill.Sanitize(r.cwd))
		return nil
	}
	opts := s.opts.Catalog
	opts.Workspace = r.all()
	opts.ClientFolders = clientFolders(s.opts.Catalog.ClientFolders, own)
	untrusted := s.withTrust(&opts)
	cat, err := s.opts.Store.Open(s.ctx, opts)
	if err != nil {
		if s.ctx.Err() == nil {
			s.opts.Log.Error("the session's skills cannot be read", "error", err)
		}
		return nil
	}
	return &watch{cat: cat, stop: func() {}, untrusted: *untrusted}
}

// clientFolders are the shared folders and then the agent's own (DSC-1).
func clientFolders(base, own []string) []string {
	if base == nil {
		base = []string{".agents/skills", ".claude/skills"}
	}
	out := append([]string(nil), base...)
next:
	for _, f := range own {
		for _, have := range out {
			if have == f {
				continue next
			}
		}
		out = append(out, f)
	}
	return out
}

// adopt makes the setup's folders the session's.
func (s *Stage) adopt(sess *session, su *setup) {
	if sess.opened.IsZero() {
		sess.opened = su.began // a later resume need not make the agent read again
	}
	if old := sess.watch; old != nil && old != su.watch {
		s.aside(old.close)
	}
	sess.roots = su.roots
	w := su.watch
	if sess.watch = w; w != nil {
		w.stop = w.cat.Subscribe(func(*catalog.Snapshot) { s.diskChanged(sess, w) })
	}
}

// setupAnswered handles the agent's answer to session/new, resume or fork.
func (s *Stage) setupAnswered(m jsonrpc.Message, call *Call) {
	su := s.setups[m.ID.Plain()]
	if su == nil {
		s.opts.ToClient(m)
		return
	}
	id := m.SessionID
	if su.kind == opensKnown {
		id = su.parent
	}
	if m.Result() == nil || id == "" {
		s.setupFailed(m, su)
		return
	}
	sess := s.sessions[id]
	if sess == nil {
		sess = s.newSession(id)
		s.sessions[id] = sess
		s.takeEarly(sess)
	}
	if su.sess != nil && su.sess != sess {
		s.mistaken(su)
	}
	if !su.loaded {
		su.sess = sess
		if !su.gated {
			s.raiseGate(su)
		}
		sess.agentQueue.push(s, m, call, func() bool { return false })
		return
	}
	s.endSetup(m.ID.Plain())
	for _, other := range s.setups {
		if other.sess == sess {
			other.created = false // its failure ends nothing any more
		}
	}
	if su.watch == nil || sess.watch != su.watch {
		s.adopt(sess, su)
	}
	switch su.kind {
	case opensFork:
		s.forked(su, sess)
	case opensKnown:
		sess.replaying = false // what comes from now on is live
	}
	s.setupDone(sess, m)
	s.openRemotes(sess, su.servers)
	s.askTrust(sess)
}

func (s *Stage) setupFailed(m jsonrpc.Message, su *setup) {
	s.endSetup(m.ID.Plain())
	su.abandon()
	if su.sess != nil {
		su.sess.replaying = false
		su.sess.again = su.sess.again && s.resuming(su.sess)
		if su.gated {
			su.gated = false
			s.lowerGate(su.sess)
		}
		if su.created {
			if su.watch == su.sess.watch {
				su.watch = nil // the session closes it
			}
			if !s.inherited(su) {
				s.forget(su.sess)
			}
		}
	}
	if w := su.watch; w != nil {
		s.aside(w.close)
	}
	s.opts.ToClient(m)
}

// resuming reports whether a resume of the session is under way.
func (s *Stage) resuming(sess *session) bool {
	for _, su := range s.setups {
		if su.sess == sess && su.kind == opensKnown {
			return true
		}
	}
	return false
}

// inherited gives the session of a failed setup to another one that is under way
// for it: resumes of one session may come in any number.
func (s *Stage) inherited(su *setup) bool {
	for _, other := range s.setups {
		if other.sess == su.sess {
			other.created = true
			return true
		}
	}
	return false
}

// setupDone sends the response on, with the list in it where the agent has one
// there, and else ours right after it (ACP-U4, ACP-A8).
func (s *Stage) setupDone(sess *session, m jsonrpc.Message) {
	if list := s.conn.dialect.setupList(m.Result()); list != nil {
		s.takeList(sess, list)
		merged := s.merge(sess)
		if !sameEntries(merged.list, list) {
			m = m.WithResult(rawjson.Set(m.Result(), merged.list, "availableCommands"))
		}
		sess.sent, sess.again = merged.hash, false
		sess.ready = true
		s.opts.ToClient(m)
		return
	}
	s.opts.ToClient(m)
	sess.ready = true
	s.sendList(sess, sess.again)
}

// raiseGate has what the agent sends for the setup's session wait until the
// setup is loaded.
func (s *Stage) raiseGate(su *setup) {
	su.gated = true
	su.sess.gate++
}

func (s *Stage) lowerGate(sess *session) {
	sess.gate--
	for sess.gate == 0 {
		next, ok := sess.agentQueue.pop(s)
		if !ok {
			return
		}
		s.fromAgent(sess, next.m, next.call)
	}
}
