// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"errors"
	"io"
	"sync"
)

// ErrWriterClosed is what a [Writer] says after Close.
var ErrWriterClosed = errors.New("the writer is closed")

const keepBuffer = 256 << 10 // a larger buffer is not kept for reuse

// WriterOptions set up a [Writer]. The zero value, and nil, mean the defaults.
type WriterOptions struct{}

// A Writer queues lines for a stream and writes them in the order in which they
// were queued. Queueing and writing are apart, so that a place in the order can
// be taken under a lock, and many lines leave in one write. It is safe for
// concurrent use.
//
// Whoever has nothing more to queue calls Flush, or FlushAsync when it must not
// wait for the peer to read.
type Writer struct {
	dst io.Writer

	mu      sync.Mutex
	work    sync.Cond // for the pump: it was asked, or is to end
	drained sync.Cond // for those who wait: something was written, or the writer ended
	waiting int       // how many wait
	queue   [][]byte  // in order; the last one grows while it is small
	open    bool      // the last one is ours to grow
	size    int       // bytes in queue and in the write that is under way
	written int64     // bytes that the stream has taken
	writing bool
	asked   bool // FlushAsync was called
	closed  bool
	err     error
	spare   []byte
	done    chan struct{}
}

// NewWriter makes a Writer on dst. It owns a goroutine; Close ends it.
func NewWriter(dst io.Writer, _ *WriterOptions) *Writer {
	w := &Writer{dst: dst, done: make(chan struct{})}
	w.work.L, w.drained.L = &w.mu, &w.mu
	go w.pump()
	return w
}

// Enqueue queues a copy of the line and its line end. It never waits. After an
// error or Close the line is dropped: Flush says why.
func (w *Writer) Enqueue(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := w.last(); last != nil {
		*last = append(append(*last, line...), '\n')
		w.size += len(line) + 1
	}
}

// EnqueueLines is Enqueue for many lines, which have their line ends.
func (w *Writer) EnqueueLines(lines []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := w.last(); last != nil {
		*last = append(*last, lines...)
		w.size += len(lines)
	}
}

// last is the end of the queue that may grow, nil when nothing is taken any more.
func (w *Writer) last() *[]byte {
	if w.err != nil || w.closed {
		return nil
	}
	if !w.open {
		w.queue = append(w.queue, w.spare[:0])
		w.spare, w.open = nil, true
	}
	return &w.queue[len(w.queue)-1]
}

// EnqueueMessage queues the line of m. A long line is not copied when its
// memory belongs to the message.
func (w *Writer) EnqueueMessage(m Message) {
	if !m.owned || len(m.Raw) < readSize {
		w.Enqueue(m.Raw)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.closed {
		return
	}
	w.queue = append(w.queue, m.Raw, []byte{'\n'})
	w.open = false
	w.size += len(m.Raw) + 1
}

// Flush writes what is queued. When another goroutine is writing already, that
// one takes it along and Flush returns at once.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush()
}

// flush is Flush with the lock held, which it gives up while writing.
func (w *Writer) flush() error {
	for !w.writing && len(w.queue) > 0 && w.err == nil {
		batch := w.queue
		w.queue, w.open, w.writing = nil, false, true
		w.mu.Unlock()
		written, err := writeAll(w.dst, batch)
		w.mu.Lock()
		w.writing = false
		w.size -= written
		w.written += int64(written)
		if b := batch[0]; len(batch) == 1 && cap(b) <= keepBuffer {
			w.spare = b[:0]
		}
		if err != nil {
			w.err, w.queue, w.size = err, nil, 0
		}
		if w.waiting > 0 {
			w.drained.Broadcast()
		}
	}
	return w.err
}

func writeAll(dst io.Writer, batch [][]byte) (n int, err error) {
	for i, b := range batch {
		n += len(b)
		if err == nil {
			_, err = dst.Write(b)
		}
		if i > 0 {
			batch[i] = nil
		}
	}
	return n, err
}

// FlushAsync has the writer's own goroutine write what is queued.
func (w *Writer) FlushAsync() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) > 0 && !w.writing {
		w.asked = true
		w.work.Signal()
	}
}

// Written is how many bytes the stream has taken so far. While something is
// queued and this does not grow, the peer does not read.
func (w *Writer) Written() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.written
}

// Wait returns when no more than max bytes are queued, or the writer has ended.
// It keeps a producer from running ahead of a peer that reads slowly.
func (w *Writer) Wait(max int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.size > max && w.err == nil && !w.closed {
		w.asked = true
		w.work.Signal()
		w.wait()
	}
}

// Drain returns when what is queued now is written, or the writer has ended.
func (w *Writer) Drain() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for end := w.written + int64(w.size); w.written < end && w.err == nil && !w.closed; {
		if !w.writing {
			w.asked = true
			w.work.Signal()
		}
		w.wait()
	}
}

func (w *Writer) wait() {
	w.waiting++
	w.drained.Wait()
	w.waiting--
}

func (w *Writer) pump() {
	defer close(w.done)
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.closed {
		if w.asked && !w.writing {
			w.asked = false
			_ = w.flush() // kept in w.err, and Flush says it
			continue
		}
		w.work.Wait()
	}
}

// Close writes what is queued, ends the writer's goroutine and returns the
// first error there was. It does not close the stream.
func (w *Writer) Close() error {
	w.mu.Lock()
	for w.writing {
		w.wait()
	}
	err := w.flush()
	w.closed = true
	if w.err == nil {
		w.err = ErrWriterClosed
	}
	w.work.Signal()
	w.drained.Broadcast()
	w.mu.Unlock()
	<-w.done
	return err
}
