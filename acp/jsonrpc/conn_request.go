// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"context"
	"errors"
	"sync"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// ErrCancelled is the cause of a request's context when the peer has cancelled
// the request.
var ErrCancelled = errors.New("the request was cancelled by the peer")

// An IncomingRequest is a request of the peer. It is answered once, by Reply or
// by the function that is given to Go.
type IncomingRequest struct {
	Method string
	ID     ID

	conn   *Conn
	params []byte
	size   int
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	replied bool
	after   []func(ok bool)
}

// Params is the raw JSON of the parameters, nil when there are none. The memory
// belongs to the request.
func (r *IncomingRequest) Params() []byte { return r.params }

// Conn is the connection that the request came by.
func (r *IncomingRequest) Conn() *Conn { return r.conn }

// Context ends when the peer cancels the request, with the cause
// [ErrCancelled], when the connection ends, or when the request is answered.
func (r *IncomingRequest) Context() context.Context { return r.ctx }

// Go answers the request with what f returns. It is called in HandleRequest. f
// runs in a goroutine of the connection, which Serve waits for, and has to
// return when its context ends.
//
// result is raw JSON or a value to be encoded. An err is sent as it is when it
// is an *[Error] or has a method RPCError() *Error; as -32800 when the peer has
// cancelled the request; else as -32603.
func (r *IncomingRequest) Go(f func(ctx context.Context) (result any, err error)) {
	r.conn.work.Add(1)
	go func() {
		defer r.conn.work.Done()
		result, err := f(r.ctx)
		r.Reply(result, err)
		_ = r.conn.flush(r.ctx) // an error has ended the connection, and Serve says so
	}()
}

// Reply answers the request, as Go does. Only the first reply counts.
func (r *IncomingRequest) Reply(result any, err error) {
	r.mu.Lock()
	if r.replied {
		r.mu.Unlock()
		return
	}
	r.replied = true
	after := r.after
	r.mu.Unlock()

	var raw []byte
	if err == nil {
		raw, err = encodeValue(result)
	}
	line := EncodeResult(r.ID, raw)
	if err != nil {
		line = EncodeError(r.ID, r.wireError(err))
	}
	r.conn.incoming.remove(r)
	r.conn.writer.Enqueue(line)
	for _, f := range after {
		f(err == nil)
	}
	r.conn.writer.FlushAsync()
	r.cancel(nil)
}

// After has f called when the response is queued, in the goroutine that replies:
// what f sends stands behind the response. ok says that the response is a
// result. f must not wait.
func (r *IncomingRequest) After(f func(ok bool)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.after = append(r.after, f)
}

func (r *IncomingRequest) wireError(err error) *Error {
	var wire *Error
	var own interface{ RPCError() *Error }
	switch {
	case errors.Is(context.Cause(r.ctx), ErrCancelled):
		return &Error{Code: CodeCancelled, Message: "the request was cancelled"}
	case errors.As(err, &wire):
		return wire
	case errors.As(err, &own):
		return own.RPCError()
	case errors.Is(err, context.Canceled):
		return &Error{Code: CodeCancelled, Message: err.Error()}
	}
	return &Error{Code: CodeInternal, Message: err.Error()}
}

// MethodNotFound is the error for a request of a method that is not served.
func MethodNotFound(method string) *Error {
	return Errorf(CodeMethodNotFound, "method %.100q is not known here", method)
}

// request lets a request in and hands it on. m is ours.
func (c *Conn) request(turn context.Context, m Message) {
	r := &IncomingRequest{Method: m.Method, ID: m.ID, conn: c, params: m.Params(), size: len(m.Raw)}
	// The request outlives its turn, so its context does not carry the mark.
	r.ctx, r.cancel = context.WithCancelCause(context.WithValue(turn, inTurn{}, nil))
	if refusal := c.incoming.add(r, c.opts.MaxRequests, c.opts.MaxRequestBytes); refusal != nil {
		r.cancel(nil)
		c.writer.Enqueue(EncodeError(m.ID, refusal))
		return
	}
	c.handler.HandleRequest(r)
}

// incoming are the peer's requests that we have not answered.
type incoming struct {
	mu    sync.Mutex
	open  map[ID]*IncomingRequest
	bytes int
}

func (in *incoming) add(r *IncomingRequest, most, mostBytes int) *Error {
	in.mu.Lock()
	defer in.mu.Unlock()
	id := r.ID.Plain()
	switch {
	case in.open[id] != nil:
		return Errorf(CodeInvalidRequest, "the id %.40s belongs to a request that is still open", id)
	case len(in.open) >= most || len(in.open) > 0 && in.bytes+r.size > mostBytes:
		return Errorf(CodeInternal, "too many requests are open (%d); wait for answers and try again", len(in.open))
	}
	if in.open == nil {
		in.open = make(map[ID]*IncomingRequest)
	}
	in.open[id] = r
	in.bytes += r.size
	return nil
}

func (in *incoming) remove(r *IncomingRequest) {
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.open, r.ID.Plain())
	in.bytes -= r.size
}

// cancel ends the context of the request that params names. One that is not
// open needs no cancelling.
func (in *incoming) cancel(params []byte) {
	id := ID(rawjson.Get(params, "requestId")).Plain()
	in.mu.Lock()
	r := in.open[id]
	in.mu.Unlock()
	if r != nil {
		r.cancel(ErrCancelled)
	}
}
