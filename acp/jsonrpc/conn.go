// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// A Handler takes what the peer sends to a [Conn] of its own accord. Its methods
// are called one at a time, in the order of the wire, and nothing behind a
// message is looked at before they return: they must not wait for the peer.
type Handler interface {
	// HandleRequest takes a request. What needs time goes to r.Go; what is
	// known at once goes to r.Reply. The order of requests matters only up
	// to the point where this method returns.
	HandleRequest(r *IncomingRequest)

	// HandleNotification takes a notification. m is valid until the method
	// returns.
	HandleNotification(ctx context.Context, m *Message)
}

// ConnOptions set up a [Conn]. The zero value, and nil, mean the defaults.
type ConnOptions struct {
	// Reader sets up the reading side.
	Reader *ReaderOptions

	// MaxRequests is how many requests of the peer may be open at one time,
	// and MaxRequestBytes how long their lines together. What goes over is
	// refused with -32603. 0 means 1,024 requests and 256 MiB.
	MaxRequests     int
	MaxRequestBytes int

	// CancelWait is how long a call whose context has ended waits for the
	// peer's answer to its cancellation. 0 means 10 seconds, less than 0 as
	// long as the peer is there.
	CancelWait time.Duration

	// DrainWait is how long requests that are open when the peer closes its
	// side may take to be answered before their contexts end. 0 means 5
	// seconds.
	DrainWait time.Duration

	// SkipNoise has lines that are no messages reported to Problem only, and
	// not answered. It is for the side that reads a program's output.
	SkipNoise bool

	// Problem, if not nil, is told what was wrong with a line, and of
	// responses that nobody waits for. It is called as a Handler is.
	Problem func(error)
}

// maxQueued is how many bytes may wait for the peer to read them before whoever
// sends more has to wait.
const maxQueued = 4 << 20

// A Conn is one end of a connection that speaks for itself, other than a relay:
// it calls the peer and answers it.
//
// Order is kept in both directions. What a handler sends before it replies is
// read before the reply, and a notification that the peer sent before a response
// has been handled when the call returns.
//
// Its methods are safe for concurrent use.
type Conn struct {
	stream  io.ReadWriteCloser
	reader  *Reader
	writer  *Writer
	handler Handler
	opts    ConnOptions

	calls    calls
	incoming incoming

	work sync.WaitGroup // the functions given to IncomingRequest.Go
	done chan struct{}

	ending sync.Mutex
	closed bool  // by Close
	cause  error // why Serve ended, or what broke the writing side
}

// NewConn makes a connection of a stream whose Close ends its pending reads and
// writes. Nothing is read before Serve, which also has to be called for the
// connection to be released.
func NewConn(stream io.ReadWriteCloser, h Handler, opts *ConnOptions) *Conn {
	c := &Conn{stream: stream, handler: h, done: make(chan struct{})}
	if opts != nil {
		c.opts = *opts
	}
	orDefault(&c.opts.MaxRequests, 1024)
	orDefault(&c.opts.MaxRequestBytes, 256<<20)
	orDefault(&c.opts.CancelWait, 10*time.Second)
	orDefault(&c.opts.DrainWait, 5*time.Second)
	c.reader = NewReader(stream, c.opts.Reader)
	c.writer = NewWriter(stream, nil)
	return c
}

func orDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// Serve reads and handles messages until the peer goes, Close is called or ctx
// ends. Then every open call has ended with [ErrClosed], every request of the
// peer is answered as far as that is possible, no goroutine of the connection is
// left and the stream is closed. The error is nil when the stream ended in
// order. Serve is called once.
func (c *Conn) Serve(ctx context.Context) error {
	work, cancelWork := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelWork(nil)
	stop := context.AfterFunc(ctx, func() {
		cancelWork(context.Cause(ctx))
		_ = c.stream.Close() // ends the pending read, which says what there is to say
	})
	defer stop()

	err := c.read(work)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	c.end(err)

	// The peer may have closed its side only, and read on for its answers.
	drain := time.AfterFunc(c.opts.DrainWait, func() { cancelWork(ErrClosed) })
	if c.isClosed() {
		cancelWork(ErrClosed)
	}
	c.work.Wait()
	drain.Stop()

	force := time.AfterFunc(c.opts.DrainWait, func() { _ = c.stream.Close() })
	_ = c.writer.Close() // the peer is gone, or has its answers
	force.Stop()
	_ = c.stream.Close()
	close(c.done)
	if c.isClosed() || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Done is closed when Serve has returned.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Close sends what is queued and closes the stream, which makes Serve return.
// It does not wait for that.
func (c *Conn) Close() error {
	c.ending.Lock()
	c.closed = true
	c.ending.Unlock()
	force := time.AfterFunc(time.Second, func() { _ = c.stream.Close() })
	defer force.Stop()
	_ = c.writer.Flush() // a peer that does not read is not waited for for long
	c.writer.Wait(0)
	return c.stream.Close()
}

func (c *Conn) isClosed() bool {
	c.ending.Lock()
	defer c.ending.Unlock()
	return c.closed
}

// end fails what waits for the peer.
func (c *Conn) end(err error) {
	c.ending.Lock()
	if c.cause == nil && !c.closed {
		c.cause = err
	}
	err = &ClosedError{Cause: c.cause}
	c.ending.Unlock()
	c.calls.end(err)
}

// read is the loop in which all that the peer sends takes its turn.
func (c *Conn) read(ctx context.Context) error {
	ctx = context.WithValue(ctx, inTurn{}, true)
	for {
		m, err := c.reader.Next()
		var long *LineTooLongError
		switch {
		case errors.As(err, &long):
			c.tooLong(long)
		case err != nil:
			return err
		default:
			c.take(ctx, &m)
		}
		if !c.reader.Buffered() {
			c.writer.FlushAsync()
		}
	}
}

func (c *Conn) take(ctx context.Context, m *Message) {
	switch m.Kind {
	case Request:
		c.request(ctx, m.Clone())
	case Notification:
		if m.Method == MethodCancelRequest {
			c.incoming.cancel(m.Params())
			return
		}
		c.handler.HandleNotification(ctx, m)
	case Response:
		if !c.calls.answer(ctx, m) {
			c.problem(fmt.Errorf("a response came to no open request (id %.40q)", string(m.ID)))
		}
	default:
		c.problem(fmt.Errorf("a line is not a message: %w", m.Problem))
		if !c.opts.SkipNoise {
			c.writer.Enqueue(EncodeError(m.ID, m.Problem))
		}
	}
}

// tooLong answers for a line that was dropped, or ends the call it answered.
func (c *Conn) tooLong(e *LineTooLongError) {
	c.problem(e)
	refusal := &Error{Code: CodeInvalidRequest, Message: e.Error()}
	switch {
	case e.Method != "" && e.ID != "":
		c.writer.Enqueue(EncodeError(e.ID, refusal))
	case e.ID != "":
		c.calls.fail(e.ID, e)
	case e.Method == "" && !c.opts.SkipNoise:
		c.writer.Enqueue(EncodeError(NullID, refusal))
	}
}

func (c *Conn) problem(err error) {
	if c.opts.Problem != nil {
		c.opts.Problem(err)
	}
}

// inTurn marks the context of what runs inside the loop: it must not wait for
// the peer, whose messages nobody reads meanwhile.
type inTurn struct{}

func isInTurn(ctx context.Context) bool { return ctx.Value(inTurn{}) != nil }

// flush sends what is queued. Outside the loop it waits while much is queued,
// so that a producer does not run ahead of a peer that reads slowly.
func (c *Conn) flush(ctx context.Context) error {
	if isInTurn(ctx) {
		c.writer.FlushAsync()
		return nil
	}
	if err := c.writer.Flush(); err != nil {
		_ = c.stream.Close() // half a connection is none: the reading side ends too
		return &ClosedError{Cause: err}
	}
	c.writer.Wait(maxQueued)
	return nil
}

// Notify sends a notification. params is raw JSON as []byte or
// json.RawMessage, a value to be encoded, or nil. It waits only while the peer
// reads too slowly, and not at all in a [Handler].
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	if err := c.Post(method, params); err != nil {
		return err
	}
	return c.flush(ctx)
}

// Post queues a notification and never waits, so that it can be called under a
// lock that decides the order. A call of Flush, or of any other method that
// sends, has to follow.
func (c *Conn) Post(method string, params any) error {
	raw, err := encodeValue(params)
	if err != nil {
		return fmt.Errorf("%s: the parameters cannot be encoded: %w", method, err)
	}
	if err := c.ended(); err != nil {
		return err
	}
	c.writer.Enqueue(EncodeNotification(method, raw))
	return nil
}

// Flush sends what Post has queued. It waits as Notify does.
func (c *Conn) Flush(ctx context.Context) error { return c.flush(ctx) }

// Drain returns when all that was queued so far has left this process, or never will.
// Flush can return a little earlier, when another goroutine is writing already. It
// must not be called in a [Handler].
func (c *Conn) Drain() { c.writer.Drain() }

// ended is the error for those who come too late to send.
func (c *Conn) ended() error {
	c.ending.Lock()
	defer c.ending.Unlock()
	if c.cause != nil || c.closed {
		return &ClosedError{Cause: c.cause}
	}
	return nil
}
