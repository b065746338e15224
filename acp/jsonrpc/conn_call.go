// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// MethodCancelRequest is the notification that cancels an open request.
const MethodCancelRequest = "$/cancel_request"

// ErrCallInTurn says that a call was made with the context of a [Handler]
// method. It could never return: the response would have to be read first.
var ErrCallInTurn = errors.New("a call was made while a message is being handled; make it from IncomingRequest.Go or another goroutine")

// CallOptions are for one call.
type CallOptions struct {
	// Answered, if not nil, is called with the raw result when the response
	// takes its turn: messages behind the response are handled after it has
	// returned, and the call returns then too. It must not wait for the peer.
	// It is not called for an error.
	Answered func(ctx context.Context, result []byte)
}

// Call sends a request and waits for the response. params is as in Notify;
// result is nil, a *[]byte or a pointer to a value to be decoded into.
//
// When ctx ends the request is cancelled at the peer. The call still waits for
// the answer, since it says whether the request took effect, for as long as
// CancelWait says. A result that comes then is a result.
//
// The error is an *[Error] when the peer answered with one, and also is ctx's
// error when that is why. It is [ErrClosed] when the peer went.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	return c.CallWith(ctx, method, params, result, nil)
}

// CallWith is Call with options.
func (c *Conn) CallWith(ctx context.Context, method string, params, result any, opts *CallOptions) error {
	if isInTurn(ctx) {
		return fmt.Errorf("%s: %w", method, ErrCallInTurn)
	}
	raw, err := encodeValue(params)
	if err != nil {
		return fmt.Errorf("%s: the parameters cannot be encoded: %w", method, err)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
	p := &call{answered: make(chan struct{})}
	if opts != nil {
		p.then = opts.Answered
	}
	id, err := c.calls.add(p)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	defer c.calls.remove(id)
	c.writer.Enqueue(EncodeRequest(id, method, raw))
	if err := c.flush(ctx); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if err := c.await(ctx, id, p); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if err := decodeValue(p.result, result); err != nil {
		return fmt.Errorf("%s: the result does not have the expected shape: %w", method, err)
	}
	return nil
}

// await waits for the answer, and cancels the request when ctx ends first.
func (c *Conn) await(ctx context.Context, id ID, p *call) error {
	select {
	case <-p.answered:
		return p.err
	case <-ctx.Done():
	}
	c.writer.Enqueue(EncodeNotification(MethodCancelRequest, []byte(`{"requestId":`+string(id)+`}`)))
	c.writer.FlushAsync() // not Flush: whoever gives up does not wait for a slow reader
	var patience <-chan time.Time
	if c.opts.CancelWait > 0 {
		timer := time.NewTimer(c.opts.CancelWait)
		defer timer.Stop()
		patience = timer.C
	}
	select {
	case <-p.answered:
	case <-patience:
		return fmt.Errorf("%w; the peer has not answered its cancellation", context.Cause(ctx))
	}
	var answer *Error
	if errors.As(p.err, &answer) && answer.Code == CodeCancelled {
		return fmt.Errorf("%w: %w", context.Cause(ctx), p.err)
	}
	return p.err
}

// calls are our requests that the peer has not answered.
type calls struct {
	mu    sync.Mutex
	last  int64
	open  map[ID]*call
	ended error
}

// A call is one of them. result and err are set before answered is closed.
type call struct {
	then     func(ctx context.Context, result []byte)
	answered chan struct{}
	result   []byte
	err      error
}

func (cs *calls) add(p *call) (ID, error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.ended != nil {
		return "", cs.ended
	}
	if cs.open == nil {
		cs.open = make(map[ID]*call)
	}
	cs.last++
	id := ID(strconv.FormatInt(cs.last, 10))
	cs.open[id] = p
	return id, nil
}

func (cs *calls) remove(id ID) *call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	p := cs.open[id]
	delete(cs.open, id)
	return p
}

// answer hands a response to whoever waits for it, and reports whether someone
// does.
func (cs *calls) answer(ctx context.Context, m *Message) bool {
	p := cs.remove(m.ID)
	if p == nil {
		return false
	}
	if raw := m.ErrorValue(); raw != nil {
		p.err = readError(raw)
	} else {
		p.result = append([]byte(nil), m.Result()...)
		if p.then != nil {
			p.then(ctx, p.result)
		}
	}
	close(p.answered)
	return true
}

func (cs *calls) fail(id ID, err error) {
	if p := cs.remove(id); p != nil {
		p.err = err
		close(p.answered)
	}
}

func (cs *calls) end(err error) {
	cs.mu.Lock()
	open := cs.open
	cs.open, cs.ended = nil, err
	cs.mu.Unlock()
	for _, p := range open {
		p.err = err
		close(p.answered)
	}
}

// readError reads the error member of a response. What is wrong in it is filled
// in: that the request failed is certain.
func readError(raw []byte) *Error {
	e := &Error{Code: CodeInternal, Message: "the peer answered with an error that is not readable"}
	if code, err := strconv.Atoi(string(rawjson.Get(raw, "code"))); err == nil {
		e.Code = code
	}
	if s, ok := rawjson.GetString(raw, "message"); ok {
		e.Message = s
	}
	if data := rawjson.Get(raw, "data"); data != nil {
		e.Data = append([]byte(nil), data...)
	}
	return e
}
