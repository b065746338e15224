// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// A Peer is a program that was started, and the stream to it.
type Peer struct {
	// Stream leads to the peer. Closing it is the checker's leaving.
	Stream io.ReadWriteCloser
	// End ends the peer, waits for it, and says how it ended, in one line. It is
	// called once, after Stream was closed; it may be nil.
	End func() string
}

// A Frame is one message of a conversation. Its memory is its own.
type Frame struct {
	jsonrpc.Message
	Sent bool // by the checker

	wire *Wire
	n    int   // its place in the conversation
	seq  int64 // and among all conversations of the check
}

// A Wire is a conversation with a peer, frame by frame, as they were written.
// Frames are kept in the order in which they were sent and received.
type Wire struct {
	kind string        // agent, client, front or back
	name string        // the same, with a number from the second one on
	seq  *atomic.Int64 // of the last frame of the check
	peer *Peer
	out  *jsonrpc.Writer
	// answer is called for each frame that the peer sends, in their order, by the
	// goroutine that reads.
	answer func(Frame)

	mu      sync.Mutex
	frames  []Frame
	changed chan struct{} // closed and replaced with every frame, and at the end
	ended   bool
	gone    bool // the peer left before we did
	left    bool // we have closed our side
	closed  bool

	done chan struct{}
	how  string // how the peer ended
}

func newWire(name string, seq *atomic.Int64, peer *Peer, answer func(*Wire, Frame)) *Wire {
	w := &Wire{name: name, seq: seq, peer: peer, out: jsonrpc.NewWriter(peer.Stream, nil), changed: make(chan struct{}), done: make(chan struct{})}
	w.answer = func(f Frame) {
		if answer != nil {
			answer(w, f)
		}
	}
	go w.read()
	return w
}

func (w *Wire) read() {
	defer close(w.done)
	r := jsonrpc.NewReader(w.peer.Stream, nil)
	for {
		m, err := r.Next()
		var long *jsonrpc.LineTooLongError
		switch {
		case errors.As(err, &long):
			m = jsonrpc.Message{Problem: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%v", long)}
		case err != nil:
			w.mu.Lock()
			w.ended, w.gone = true, !w.left
			w.wake()
			w.mu.Unlock()
			return
		}
		w.answer(w.add(m.Clone(), false))
	}
}

// add keeps a frame. What the checker sends is queued under the same lock, so
// that the order on record is the order on the wire.
func (w *Wire) add(m jsonrpc.Message, sent bool) Frame {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := Frame{Message: m, Sent: sent, wire: w, n: len(w.frames), seq: w.seq.Add(1)}
	w.frames = append(w.frames, f)
	if sent {
		w.out.Enqueue(m.Raw)
	}
	w.wake()
	return f
}

func (w *Wire) wake() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// send sends a line as it is. It does not wait for the peer to read.
func (w *Wire) send(line string) Frame {
	f := w.add(jsonrpc.Scan([]byte(line)), true)
	w.out.FlushAsync()
	return f
}

// mark is the place behind the last frame.
func (w *Wire) mark() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.frames)
}

// since are the frames from a place on.
func (w *Wire) since(from int) []Frame {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.frames[from:len(w.frames):len(w.frames)]
}

// find waits for a frame of the peer from a place on. ok is false when none came
// in time or the peer has ended.
func (w *Wire) find(from int, patience time.Duration, match func(Frame) bool) (f Frame, ok bool) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		w.mu.Lock()
		for ; from < len(w.frames); from++ {
			if f := w.frames[from]; !f.Sent && match(f) {
				w.mu.Unlock()
				return f, true
			}
		}
		ended, changed := w.ended, w.changed
		w.mu.Unlock()
		if ended {
			return Frame{}, false
		}
		select {
		case <-changed:
		case <-timer.C:
			return Frame{}, false
		}
	}
}

// over reports whether the peer has closed its side.
func (w *Wire) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// leave ends our side of the conversation, and nothing else.
func (w *Wire) leave() {
	w.mu.Lock()
	w.left = true
	w.mu.Unlock()
	_ = w.peer.Stream.Close()
}

// close leaves, ends the peer and waits for all of that.
func (w *Wire) close() {
	w.mu.Lock()
	again := w.closed
	w.left, w.closed = true, true
	w.mu.Unlock()
	if again {
		return
	}
	_ = w.peer.Stream.Close() // a peer that does not read must not keep us
	if w.peer.End != nil {
		w.how = w.peer.End()
	}
	_ = w.out.Close()
	<-w.done
}

const maxShown = 400 // bytes of a message that are shown

func (f Frame) line() Line {
	text := string(f.Raw)
	if len(text) > maxShown {
		text = text[:maxShown] + "..."
	}
	return Line{Wire: f.wire.name, Sent: f.Sent, Text: text}
}
