// SPDX-License-Identifier: Apache-2.0

package jsonrpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// handler is a jsonrpc.Handler of two functions.
type handler struct {
	request func(*jsonrpc.IncomingRequest)
	notify  func(context.Context, *jsonrpc.Message)
}

func (h handler) HandleRequest(r *jsonrpc.IncomingRequest) {
	if h.request == nil {
		r.Reply(nil, jsonrpc.MethodNotFound(r.Method))
		return
	}
	h.request(r)
}

func (h handler) HandleNotification(ctx context.Context, m *jsonrpc.Message) {
	if h.notify != nil {
		h.notify(ctx, m)
	}
}

// serve runs a connection until the test ends.
func serve(t *testing.T, stream io.ReadWriteCloser, h jsonrpc.Handler, opts *jsonrpc.ConnOptions) *jsonrpc.Conn {
	t.Helper()
	c := jsonrpc.NewConn(stream, h, opts)
	go func() { _ = c.Serve(context.Background()) }()
	t.Cleanup(func() {
		_ = c.Close()
		<-c.Done()
	})
	return c
}

func pair(t *testing.T, a, b jsonrpc.Handler) (ca, cb *jsonrpc.Conn) {
	t.Helper()
	// net.Pipe holds nothing: a write waits for its reader, so two ends that
	// wait for each other would hang here.
	sa, sb := net.Pipe()
	return serve(t, sa, a, nil), serve(t, sb, b, nil)
}

// peer is the other end by hand.
type peer struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func rawPeer(t *testing.T, h jsonrpc.Handler, opts *jsonrpc.ConnOptions) (*peer, *jsonrpc.Conn) {
	t.Helper()
	ours, theirs := net.Pipe()
	c := serve(t, theirs, h, opts)
	t.Cleanup(func() { _ = ours.Close() })
	return &peer{t, ours, bufio.NewReader(ours)}, c
}

func (p *peer) send(lines ...string) {
	p.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(p.conn, l+"\n"); err != nil {
			p.t.Fatalf("send %s: %v", l, err)
		}
	}
}

func (p *peer) want(lines ...string) {
	p.t.Helper()
	for _, want := range lines {
		got, err := p.in.ReadString('\n')
		if err != nil {
			p.t.Fatalf("want %s, got %v", want, err)
		}
		if got = strings.TrimSuffix(got, "\n"); got != want {
			p.t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

func (p *peer) line() string {
	p.t.Helper()
	got, err := p.in.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSuffix(got, "\n")
}

func TestCallAnswered(t *testing.T) {
	a, _ := pair(t, handler{}, handler{request: func(r *jsonrpc.IncomingRequest) {
		r.Go(func(context.Context) (any, error) { return json.RawMessage(r.Params()), nil })
	}})
	var got map[string]int
	if err := a.Call(context.Background(), "echo", map[string]int{"n": 7}, &got); err != nil || got["n"] != 7 {
		t.Fatalf("got %v, %v", got, err)
	}
}

func TestErrorsKeepTheirCodeAndData(t *testing.T) {
	a, _ := pair(t, handler{}, handler{request: func(r *jsonrpc.IncomingRequest) {
		switch r.Method {
		case "typed":
			r.Reply(nil, fmt.Errorf("wrapped: %w", &jsonrpc.Error{Code: jsonrpc.CodeNotFound, Message: "gone", Data: []byte(`{"sessionId":"s"}`)}))
		case "plain":
			r.Reply(nil, errors.New("disk full"))
		default:
			r.Reply(nil, jsonrpc.MethodNotFound(r.Method))
		}
	}})
	for method, want := range map[string]jsonrpc.Error{
		"typed": {Code: -32002, Message: "gone", Data: []byte(`{"sessionId":"s"}`)},
		"plain": {Code: -32603, Message: "disk full"},
		"other": {Code: -32601, Message: `method "other" is not known here`},
	} {
		var got *jsonrpc.Error
		err := a.Call(context.Background(), method, nil, nil)
		if !errors.As(err, &got) || got.Code != want.Code || got.Message != want.Message || string(got.Data) != string(want.Data) {
			t.Errorf("%s: got %v", method, err)
		}
	}
}

func TestUnknownNotificationIsIgnored(t *testing.T) {
	p, _ := rawPeer(t, handler{}, nil)
	p.send(`{"jsonrpc":"2.0","method":"_nobody/knows","params":{}}`, `{"jsonrpc":"2.0","id":0,"method":"x"}`)
	p.want(`{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"method \"x\" is not known here"}}`)
}

// A line that is no message is answered with its own error, and the next one is
// read as if nothing had been.
func TestBadLines(t *testing.T) {
	for _, tt := range []struct {
		name, line, id string
		code           int
	}{
		{"not JSON", `{"jsonrpc":`, "null", -32700},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":2,"method":"x"}]`, "null", -32600},
		{"primitive", `7`, "null", -32600},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"x"}`, "null", -32600},
		{"fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"x"}`, "null", -32600},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := rawPeer(t, handler{request: func(r *jsonrpc.IncomingRequest) { r.Reply(nil, nil) }}, nil)
			p.send(tt.line)
			if got, want := p.line(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,`, tt.id, tt.code); !strings.HasPrefix(got, want) {
				t.Fatalf("got %s, want %s...", got, want)
			}
			p.send(`{"jsonrpc":"2.0","id":"a","method":"x"}`)
			p.want(`{"jsonrpc":"2.0","id":"a","result":null}`)
		})
	}
}

func TestNoiseIsSkipped_C15(t *testing.T) {
	var mu sync.Mutex
	var problems []string
	p, c := rawPeer(t, handler{}, &jsonrpc.ConnOptions{SkipNoise: true, Problem: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		problems = append(problems, err.Error())
	}})
	done := make(chan error, 1)
	go func() { done <- c.Call(context.Background(), "x", nil, nil) }()
	p.want(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	p.send("Loading...", `"ready"`, `{"level":"info","id":1}`, "", `{"jsonrpc":"2.0","id":1,"result":{}}`)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(problems) != 3 {
		t.Fatalf("got %q, want three", problems)
	}
}

// A notification that came before a response is handled when the call returns.
func TestOrderOfUpdatesAndResponses(t *testing.T) {
	const updates = 100
	seen := 0 // not locked: -race proves the order too
	a, _ := pair(t, handler{notify: func(context.Context, *jsonrpc.Message) { seen++ }}, handler{request: func(r *jsonrpc.IncomingRequest) {
		r.Go(func(ctx context.Context) (any, error) {
			for range updates {
				if err := r.Conn().Notify(ctx, "update", nil); err != nil {
					return nil, err
				}
			}
			return nil, nil
		})
	}})
	for round := 1; round <= 20; round++ {
		if err := a.Call(context.Background(), "x", nil, nil); err != nil {
			t.Fatal(err)
		}
		if seen != round*updates {
			t.Fatalf("round %d: %d updates seen", round, seen)
		}
	}
}

func TestAfterStandsBehindTheResponse_C01(t *testing.T) {
	p, _ := rawPeer(t, handler{request: func(r *jsonrpc.IncomingRequest) {
		r.Go(func(ctx context.Context) (any, error) {
			r.After(func(ok bool) { _ = r.Conn().Post("list", map[string]bool{"ok": ok}) })
			if r.Method == "bad" {
				return nil, errors.New("no")
			}
			return struct{}{}, r.Conn().Notify(ctx, "before", nil)
		})
	}}, nil)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"good"}`)
	p.want(`{"jsonrpc":"2.0","method":"before"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"list","params":{"ok":true}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"bad"}`)
	p.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`, `{"jsonrpc":"2.0","method":"list","params":{"ok":false}}`)
}

// What Answered does is done before the message behind the response is handled.
func TestAnsweredTakesTheTurn(t *testing.T) {
	known := map[string]bool{}
	strangers := 0
	a, _ := pair(t, handler{notify: func(_ context.Context, m *jsonrpc.Message) {
		if !known[m.SessionID] {
			strangers++
		}
	}}, handler{request: func(r *jsonrpc.IncomingRequest) {
		r.After(func(bool) { _ = r.Conn().Post("session/update", json.RawMessage(`{"sessionId":"s1"}`)) })
		r.Reply(json.RawMessage(`{"sessionId":"s1"}`), nil)
	}})
	opts := &jsonrpc.CallOptions{Answered: func(context.Context, []byte) { known["s1"] = true }}
	if err := a.CallWith(context.Background(), "new", nil, nil, opts); err != nil {
		t.Fatal(err)
	}
	if err := a.Call(context.Background(), "new", nil, nil); err != nil { // the update of the first has been handled
		t.Fatal(err)
	}
	if strangers != 0 {
		t.Fatal("an update overtook Answered")
	}
}

func TestCancelledCallWaitsForTheAnswer(t *testing.T) {
	p, c := rawPeer(t, handler{}, nil)
	for _, tt := range []struct {
		name, answer string
		check        func(error) bool
	}{
		{"-32800", `"error":{"code":-32800,"message":"cancelled"}`, func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"result after all", `"result":{}`, func(err error) bool { return err == nil }},
		{"other error", `"error":{"code":-32000,"message":"log in"}`, func(err error) bool {
			var e *jsonrpc.Error
			return errors.As(err, &e) && e.Code == jsonrpc.CodeAuthRequired
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- c.Call(ctx, "slow", nil, nil) }()
			var req struct{ ID int }
			if err := json.Unmarshal([]byte(p.line()), &req); err != nil {
				t.Fatal(err)
			}
			cancel()
			p.want(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%d}}`, req.ID))
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, req.ID, tt.answer))
			if err := <-done; !tt.check(err) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestCancelledCallGivesUp(t *testing.T) {
	p, c := rawPeer(t, handler{}, &jsonrpc.ConnOptions{CancelWait: time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Call(ctx, "deaf", nil, nil) }()
	p.line()
	cancel()
	p.line()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"result":{}}`) // too late, and no trouble
	go func() { done <- c.Call(context.Background(), "next", nil, nil) }()
	p.want(`{"jsonrpc":"2.0","id":2,"method":"next"}`)
	p.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestIncomingCancel(t *testing.T) {
	for _, tt := range []struct{ name, id, cancel string }{
		{"number", `7`, `7`},
		{"string", `"7"`, `"7"`},
		{"string with escapes", `"7a"`, `"\u0037\u0061"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := rawPeer(t, handler{request: func(r *jsonrpc.IncomingRequest) {
				r.Go(func(ctx context.Context) (any, error) {
					<-ctx.Done()
					return nil, context.Cause(ctx)
				})
			}}, nil)
			p.send(`{"jsonrpc":"2.0","id":`+tt.id+`,"method":"wait"}`,
				`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"other"}}`,
				`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":`+tt.cancel+`}}`)
			p.want(`{"jsonrpc":"2.0","id":` + tt.id + `,"error":{"code":-32800,"message":"the request was cancelled"}}`)
		})
	}
}

// 7 and "7" are two requests.
func TestIDsAreEchoed_PXY1(t *testing.T) {
	release := make(chan struct{})
	p, _ := rawPeer(t, handler{request: func(r *jsonrpc.IncomingRequest) {
		r.Go(func(context.Context) (any, error) { <-release; return nil, nil })
	}}, nil)
	p.send(`{"jsonrpc":"2.0","id":7,"method":"x"}`, `{"jsonrpc":"2.0","id":"7","method":"x"}`, `{"jsonrpc":"2.0","id":7,"method":"x"}`)
	p.want(`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"the id 7 belongs to a request that is still open"}}`)
	close(release)
	got := map[string]bool{p.line(): true, p.line(): true}
	if !got[`{"jsonrpc":"2.0","id":7,"result":null}`] || !got[`{"jsonrpc":"2.0","id":"7","result":null}`] {
		t.Fatalf("got %v", got)
	}
}

func TestPendingCallsEndWithThePeer_C20(t *testing.T) {
	p, c := rawPeer(t, handler{}, nil)
	done := make(chan error, 3)
	for range 3 {
		go func() { done <- c.Call(context.Background(), "x", nil, nil) }()
		p.line()
	}
	_ = p.conn.Close()
	for range 3 {
		err := <-done
		var closed *jsonrpc.ClosedError
		if !errors.Is(err, jsonrpc.ErrClosed) || !errors.As(err, &closed) || !errors.Is(err, io.EOF) {
			t.Fatalf("got %v", err)
		}
	}
	<-c.Done()
	if err := c.Call(context.Background(), "x", nil, nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Fatalf("a call after the end: %v", err)
	}
	if err := c.Notify(context.Background(), "x", nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Fatalf("a notification after the end: %v", err)
	}
}

// halves joins a reader and a writer that close apart, as a program's stdin and
// stdout do.
type halves struct {
	io.ReadCloser
	w io.WriteCloser
}

func (h halves) Write(b []byte) (int, error) { return h.w.Write(b) }
func (h halves) Close() error                { return errors.Join(h.ReadCloser.Close(), h.w.Close()) }

// Requests that were accepted before the client closed its side are answered.
func TestAcceptedRequestsAreDrained_C20(t *testing.T) {
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	started, release := make(chan struct{}, 2), make(chan struct{})
	c := jsonrpc.NewConn(halves{in, out}, handler{request: func(r *jsonrpc.IncomingRequest) {
		r.Go(func(context.Context) (any, error) { started <- struct{}{}; <-release; return nil, nil })
	}}, nil)
	served := make(chan error, 1)
	go func() { served <- c.Serve(context.Background()) }()
	_, _ = io.WriteString(toIn, `{"jsonrpc":"2.0","id":1,"method":"x"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"x"}`)
	_ = toIn.Close()
	<-started
	<-started
	close(release)
	all, _ := io.ReadAll(fromOut)
	if got := strings.Count(string(all), `"result":null`); got != 2 {
		t.Fatalf("got %q", all)
	}
	if err := <-served; err != nil {
		t.Fatal(err)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	started := make(chan struct{})
	c := jsonrpc.NewConn(theirs, handler{request: func(r *jsonrpc.IncomingRequest) {
		r.Go(func(ctx context.Context) (any, error) { close(started); <-ctx.Done(); return nil, ctx.Err() })
	}}, nil)
	served := make(chan error, 1)
	go func() { served <- c.Serve(ctx) }()
	_, _ = io.WriteString(ours, `{"jsonrpc":"2.0","id":1,"method":"x"}`+"\n")
	<-started
	why := errors.New("told to stop")
	cancel(why)
	if err := <-served; !errors.Is(err, why) {
		t.Fatalf("got %v", err)
	}
}

func TestTooManyRequests(t *testing.T) {
	p, _ := rawPeer(t, handler{request: func(r *jsonrpc.IncomingRequest) {
		r.Go(func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() })
	}}, &jsonrpc.ConnOptions{MaxRequests: 2})
	for i := range 3 {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x"}`, i))
	}
	if got := p.line(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,`) {
		t.Fatalf("got %s", got)
	}
	p.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}`)
	if got := p.line(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":0,"error":{"code":-32800,`) {
		t.Fatalf("got %s", got)
	}
}

func TestTooLongLines_PXY7(t *testing.T) {
	p, c := rawPeer(t, handler{}, &jsonrpc.ConnOptions{Reader: &jsonrpc.ReaderOptions{MaxLine: 200}})
	long := strings.Repeat("x", 300)
	p.send(`{"jsonrpc":"2.0","id":"big","method":"x","params":{"t":"` + long + `"}}`)
	if got := p.line(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"big","error":{"code":-32600,`) {
		t.Fatalf("got %s", got)
	}
	done := make(chan error, 1)
	go func() { done <- c.Call(context.Background(), "x", nil, nil) }()
	p.line()
	p.send(`{"jsonrpc":"2.0","id":1,"result":"` + long + `"}`)
	var tooLong *jsonrpc.LineTooLongError
	if err := <-done; !errors.As(err, &tooLong) {
		t.Fatalf("got %v", err)
	}
}

func TestCallInATurnIsRefused(t *testing.T) {
	got := make(chan error, 1)
	var a *jsonrpc.Conn
	ready := make(chan struct{})
	a, b := pair(t, handler{notify: func(ctx context.Context, _ *jsonrpc.Message) {
		<-ready
		got <- a.Call(ctx, "x", nil, nil)
	}}, handler{})
	close(ready)
	if err := b.Notify(context.Background(), "n", nil); err != nil {
		t.Fatal(err)
	}
	if err := <-got; !errors.Is(err, jsonrpc.ErrCallInTurn) {
		t.Fatalf("got %v", err)
	}
}

// Both ends send much while both handle much. Whoever waited for the peer inside
// its loop would never come back.
func TestBothEndsTalkAtOnce(t *testing.T) {
	payload := strings.Repeat("x", 8<<10)
	echo := handler{request: func(r *jsonrpc.IncomingRequest) { r.Reply(json.RawMessage(r.Params()), nil) }}
	a, b := pair(t, echo, echo)
	var all sync.WaitGroup
	for _, c := range []*jsonrpc.Conn{a, b} {
		for range 8 {
			all.Go(func() {
				for range 50 {
					var back string
					if err := c.Call(context.Background(), "echo", payload, &back); err != nil || back != payload {
						t.Errorf("got %d bytes, %v", len(back), err)
						return
					}
				}
			})
		}
	}
	all.Wait()
}

func TestRawValuesStayOnOneLine(t *testing.T) {
	p, c := rawPeer(t, handler{}, nil)
	for _, bad := range []string{"{\n}", "{", ""} {
		if err := c.Post("x", json.RawMessage(bad)); err == nil {
			t.Errorf("%q was sent", bad)
		}
	}
	go func() { _ = c.Notify(context.Background(), "x", json.RawMessage(`[]`)) }()
	p.want(`{"jsonrpc":"2.0","method":"x","params":[]}`)
}

// A peer that went deaf is noticed by who sends to it.
func TestBrokenWriterEndsTheConnection(t *testing.T) {
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	defer toIn.Close()
	c := serve(t, halves{in, out}, handler{}, nil)
	_ = fromOut.Close()
	if err := c.Notify(context.Background(), "x", nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Fatalf("got %v", err)
	}
	<-c.Done()
}

// A producer waits for a peer that does not read, and is let go when the
// connection is closed.
func TestSlowReaderHoldsTheProducer(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	c := serve(t, theirs, handler{}, nil)
	payload := strings.Repeat("x", 1<<20)
	sent := make(chan error, 1)
	go func() {
		for {
			if err := c.Notify(context.Background(), "x", payload); err != nil {
				sent <- err
				return
			}
		}
	}()
	if _, err := io.ReadFull(ours, make([]byte, 3<<20)); err != nil {
		t.Fatal(err)
	}
	_ = ours.Close()
	if err := <-sent; !errors.Is(err, jsonrpc.ErrClosed) {
		t.Fatalf("got %v", err)
	}
}
