// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/skillgraft/skillgraft/internal/cli"
)

// meter shows on a terminal how far a long check has come, once it takes more than a
// second. A nil meter shows nothing.
type meter struct {
	w    io.Writer
	stop chan struct{}
	done chan struct{}
	once sync.Once

	mu         sync.Mutex
	now, total int
	shown      bool // a line is there to be taken away
}

// newMeter starts a meter when w is a terminal. end stops it.
func newMeter(w io.Writer) *meter {
	if !cli.IsTerminal(w) {
		return nil
	}
	m := &meter{w: w, stop: make(chan struct{}), done: make(chan struct{})}
	go m.run(time.Second, 200*time.Millisecond)
	return m
}

func (m *meter) run(first, then time.Duration) {
	defer close(m.done)
	t := time.NewTimer(first)
	defer t.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-t.C:
			m.mu.Lock()
			m.draw()
			m.mu.Unlock()
			t.Reset(then)
		}
	}
}

// draw writes the line anew. The caller holds mu.
func (m *meter) draw() {
	text := "looking for skills ..."
	if m.total > 0 {
		text = fmt.Sprintf("%d of %s checked ...", m.now, count(m.total, "skill"))
	}
	fmt.Fprintf(m.w, "\r\x1b[K%s", text)
	m.shown = true
}

// at says how far the work has come.
func (m *meter) at(now, total int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now, m.total = now, total
}

// clear takes the line away, so that something else can be written; the next one comes
// when it is due again.
func (m *meter) clear() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shown {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.shown = false
	}
}

// end stops the meter and takes its line away. It may be called again.
func (m *meter) end() {
	if m == nil {
		return
	}
	m.once.Do(func() { close(m.stop) })
	<-m.done
	m.clear()
}
