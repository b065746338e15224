// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"sync"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// A lane is a queue between two stages. A stage takes a place in it while its
// own lock is held, also for a message that goes back where the last one came
// from; the message is delivered when no lock is held, by whoever runs the lane
// then. So stages never call each other in a circle, and order is kept.
type lane struct {
	deliver func(*jsonrpc.Message)

	mu      sync.Mutex
	queue   []jsonrpc.Message
	running bool
}

func (l *lane) put(m jsonrpc.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, m.Clone()) // the reader's buffer may be gone by then
}

// idle reports whether nothing is in the lane nor being delivered.
func (l *lane) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) == 0 && !l.running
}

// run delivers what is queued, and what is queued meanwhile, and reports whether
// there was anything. While another goroutine does so it returns at once.
func (l *lane) run() (some bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running {
		return false
	}
	l.running = true
	for len(l.queue) > 0 {
		batch := l.queue
		l.queue, some = nil, true
		l.mu.Unlock()
		for i := range batch {
			l.deliver(&batch[i])
		}
		l.mu.Lock()
	}
	l.running = false
	return some
}
