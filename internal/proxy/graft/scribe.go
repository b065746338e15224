// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"log/slog"
	"sync"
)

// scribe does what is to be written to the journal, one thing after the other,
// so that the disk never holds up a message and a record is there before what
// refers to it.
type scribe struct {
	log  *slog.Logger
	done chan struct{}

	mu     sync.Mutex
	more   sync.Cond
	tasks  []func()
	closed bool
}

func newScribe(log *slog.Logger) *scribe {
	c := &scribe{log: log, done: make(chan struct{})}
	c.more.L = &c.mu
	go c.run()
	return c
}

// do has f done after everything before it. A failure is logged: it costs a
// replay its skill blocks, and no message.
func (c *scribe) do(what string, f func() error) {
	c.add(func() {
		if err := f(); err != nil {
			c.log.Warn("the journal was not written: a later replay shows what the agent got", "while", what, "error", err)
		}
	})
}

// wait returns when everything before it is done.
func (c *scribe) wait() {
	done := make(chan struct{})
	if c.add(func() { close(done) }) {
		<-done
	}
}

func (c *scribe) add(task func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.tasks = append(c.tasks, task)
	c.more.Signal()
	return true
}

func (c *scribe) run() {
	defer close(c.done)
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for len(c.tasks) > 0 {
			tasks := c.tasks
			c.tasks = nil
			c.mu.Unlock()
			for _, t := range tasks {
				t()
			}
			c.mu.Lock()
		}
		if c.closed {
			return
		}
		c.more.Wait()
	}
}

// close finishes what there is to do.
func (c *scribe) close() {
	c.mu.Lock()
	c.closed = true
	c.more.Signal()
	c.mu.Unlock()
	<-c.done
}
