// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"context"
	"slices"
	"sync"
)

// A lane lets those who join it through one at a time, in the order in which
// they joined.
type lane struct {
	mu    sync.Mutex
	busy  bool
	queue []chan struct{}
}

// join takes a place. wait has to follow.
func (l *lane) join() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := make(chan struct{})
	if l.busy {
		l.queue = append(l.queue, t)
	} else {
		l.busy = true
		close(t)
	}
	return t
}

// wait waits for the turn. ok is false when ctx has ended first: then the place
// is given up. Otherwise leave has to follow.
func (l *lane) wait(ctx context.Context, t chan struct{}) (ok bool) {
	select {
	case <-t:
		return true
	default:
	}
	select {
	case <-t:
		return true
	case <-ctx.Done():
	}
	l.mu.Lock()
	i := slices.Index(l.queue, t)
	if i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
	}
	l.mu.Unlock()
	if i < 0 {
		l.leave() // the turn came at the same time
	}
	return false
}

// leave lets the next one through.
func (l *lane) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		l.busy = false
		return
	}
	close(l.queue[0])
	l.queue = slices.Delete(l.queue, 0, 1)
}
