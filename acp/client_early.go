// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"bytes"
	"context"
)

// What an agent may send for sessions that we do not know yet, while we wait for
// one. It bounds what a hostile agent can make us keep.
const (
	maxEarlySessions = 16
	maxEarlyBytes    = 16 << 20
)

// early keeps what comes for a session before the response that names it (C01,
// ACP-U4). Agents do send their list first.
type early struct {
	waiting  int // calls that will name a session
	bytes    int
	sessions map[string]*earlySession
}

type earlySession struct {
	session *ClientSession // the later one, for questions that cannot wait
	updates [][]byte       // the parameters, as they came
}

// expect says that a response will name a session.
func (c *ClientConn) expect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.early.waiting++
}

// expected says that it has come, or will not. What was kept for sessions that
// nobody waits for any more is dropped.
func (c *ClientConn) expected() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.early.waiting--; c.early.waiting == 0 {
		c.early = early{}
	}
}

// earlyFor is the place for a session that is not known. The lock is held.
func (c *ClientConn) earlyFor(id string) *earlySession {
	e := c.early.sessions[id]
	if e != nil || c.early.waiting == 0 || id == "" || len(c.early.sessions) >= maxEarlySessions {
		return e
	}
	if c.early.sessions == nil {
		c.early.sessions = make(map[string]*earlySession)
	}
	e = &earlySession{session: &ClientSession{conn: c, id: id}}
	c.early.sessions[id] = e
	return e
}

// hold keeps an update, and reports whether it did.
func (c *ClientConn) hold(id string, params []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.earlyFor(id)
	if e == nil || c.early.bytes+len(params) > maxEarlyBytes {
		return false
	}
	c.early.bytes += len(params)
	e.updates = append(e.updates, bytes.Clone(params))
	return true
}

// asking is the session that the agent asks a question for. A session that is
// being set up may ask: whether to start a server, for instance.
func (c *ClientConn) asking(id string) *ClientSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[id]; s != nil {
		return s
	}
	if e := c.earlyFor(id); e != nil {
		return e.session
	}
	return nil
}

// admit makes a session known that a response has named, and handles what was
// kept for it. It runs in the response's turn. Of the lists, the response's came
// last.
func (c *ClientConn) admit(turn context.Context, id string, list []AvailableCommand) *ClientSession {
	c.mu.Lock()
	s := c.sessions[id]
	var updates [][]byte
	if e := c.early.sessions[id]; e != nil {
		delete(c.early.sessions, id)
		updates = e.updates
		for _, u := range updates {
			c.early.bytes -= len(u)
		}
		if s == nil {
			s = e.session
		}
	}
	if s == nil {
		s = &ClientSession{conn: c, id: id}
	}
	c.sessions[id] = s
	c.mu.Unlock()
	for _, u := range updates {
		c.update(turn, s, u)
	}
	s.setList(list)
	return s
}
