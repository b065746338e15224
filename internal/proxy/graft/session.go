// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"time"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// session is what the stage knows of one session. The stage's lock covers it.
type session struct {
	id      string
	journal *journal.Journal
	roots   roots
	remote  remotes   // skills of MCP servers (remote.go)
	watch   *watch    // nil until its folders were read
	ready   bool      // the client has the response that made the session
	opened  time.Time // when the agent was first asked for it, zero until its folders were read

	// Advertising.
	agent     [][]byte // the entries of the agent's last list, as they came
	agentHash listHash
	hasList   bool     // the agent has sent one
	woven     *woven   // what the client was given; nil is nothing yet
	sent      listHash // the list that the client has
	again     bool     // and it has asked for it again
	sentMeta  listHash // of the _meta beside it
	used      bool     // a name of ours was used, and keeps its meaning

	// Holding.
	held        *hold // a prompt whose skills are being read
	clientQueue queue // what the client sent behind it
	gate        int   // more than 0: what the agent sends waits for the disk
	agentQueue  queue

	running bool // the agent is at work on a turn
	alive   bool // it has said something since the last prompt was sent to it

	// Restoring.
	prompts   []*sentPrompt          // on their way into the conversation, oldest first
	byMessage map[string]*sentPrompt // by the message id that the agent gave them
	order     []string               // those ids, oldest first
	past      *replay                // what is known of the conversation so far; nil is nothing
	replaying bool                   // a resume replays it now
	titles    []title
	noticed   bool // the client was told what expansion loses
}

// roots are the directories of a session.
type roots struct {
	cwd        string
	additional []string
}

func (r roots) all() []string { return append([]string{r.cwd}, r.additional...) }

// watch is a catalog that a session has open.
type watch struct {
	cat  *catalog.Catalog
	stop func()

	untrusted []string // its workspaces that were not trusted when it was opened
}

func (w *watch) close() {
	if w == nil {
		return
	}
	w.stop()
	_ = w.cat.Close() // reading only: there is nothing that closing could lose
}

// release gives up the session's watch. It waits for a call that the catalog
// may be making, so the stage's lock must not be held.
func (sess *session) release() { sess.watch.close() }

// forget ends a session: nothing of ours is sent for it any more.
func (s *Stage) forget(sess *session) {
	s.endHeld(sess)
	s.closeRemotes(sess)
	if s.sessions[sess.id] == sess {
		delete(s.sessions, sess.id)
	}
	w := sess.watch
	for _, su := range s.setups {
		if su.sess == sess {
			// A resume is under way and makes a session of its own.
			if su.created = false; su.watch == w {
				w = nil
			}
		}
	}
	s.aside(w.close)
}

func (s *Stage) newSession(id string) *session {
	return &session{
		id: id, journal: s.conn.journal, byMessage: map[string]*sentPrompt{},
	}
}

// queue holds messages back, in order.
type queue struct {
	items []queued
	bytes int
}

type queued struct {
	m    jsonrpc.Message
	call *Call
}

// maxQueue is how many bytes are held back for one session before its direction
// is read no further.
const maxQueue = 64 << 20

// push adds a message. While the queue is full it waits, as long as what holds
// the messages back is there: a peer that sends on and on is slowed down and
// costs no more memory.
func (q *queue) push(s *Stage, m jsonrpc.Message, call *Call, holding func() bool) {
	q.items = append(q.items, queued{m.Clone(), call})
	q.bytes += len(m.Raw)
	for q.bytes > maxQueue && holding() && s.ctx.Err() == nil {
		s.room.Wait()
	}
}

func (q *queue) pop(s *Stage) (queued, bool) {
	if len(q.items) == 0 {
		return queued{}, false
	}
	next := q.items[0]
	q.items[0] = queued{}
	q.items = q.items[1:]
	if q.bytes -= len(next.m.Raw); len(q.items) == 0 {
		q.items = nil
	}
	s.room.Broadcast()
	return next, true
}
