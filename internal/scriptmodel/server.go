// SPDX-License-Identifier: Apache-2.0

// Package scriptmodel is a language model for tests: an HTTP server on loopback
// that speaks the protocols of Anthropic Messages, OpenAI Responses, OpenAI Chat
// Completions and Gemini, streams answers and tool calls that the test scripted,
// and keeps every request it was sent.
//
//	agent under test  --POST /v1/messages, ...-->  Server  --Script(Request)-->  Answer
//	                                                 |
//	test              <--Requests, Wait--------------+
//
// What a real agent does with a skill can only be judged from what its model was
// given. [Request] therefore finds the texts and the images in a request and
// tells the turns of a conversation from an agent's side requests (titles, token
// counts, probes).
package scriptmodel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
)

// maxBody bounds one request. Agents send whole conversations with images in
// base64, so the bound is generous; it exists so that a runaway agent ends a
// test with an error and not with the machine's memory.
const maxBody = 256 << 20

// Script decides what the model answers. It runs on the request's own goroutine
// and may be called from several at once.
type Script func(Request) Answer

// Answer is what the model says to one request.
type Answer struct {
	// Text is streamed as the assistant's message. Empty means "ok", unless there
	// are calls.
	Text string

	// Calls are the tools that the model calls, behind the text. The agent runs
	// them and asks again with their results.
	Calls []Call

	// Hold, when not nil, keeps the answer back until the channel is closed (or
	// sends). The stream is open and its first events are out while it is held:
	// the agent sees a model that is thinking. A client that leaves ends the hold.
	Hold <-chan struct{}

	// Status, when not 0, is sent as an HTTP error with Text as its message.
	Status int
}

// Call is one call of a tool.
type Call struct {
	Name string // as the agent offered it, see [Request.Tool]
	// Arguments is a JSON object; empty means {}.
	Arguments string
}

// Options adjust a [Server]. A nil *Options means the defaults.
type Options struct {
	// Script answers the requests for text. Nil answers "ok" to each.
	Script Script
}

// Server is the scripted model. All methods are safe for concurrent use.
type Server struct {
	script Script
	url    string
	http   *http.Server
	served chan struct{} // closed when Serve has returned
	stop   context.CancelFunc

	mu      sync.Mutex
	seen    []Request
	changed chan struct{} // closed and replaced with every recorded request
	closed  bool          // no handler starts any more
	active  sync.WaitGroup
}

// Start listens on a free loopback port and serves until [Server.Close].
func Start(opts *Options) (*Server, error) {
	if opts == nil {
		opts = &Options{}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("scriptmodel: no loopback port: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{
		script:  opts.Script,
		url:     "http://" + ln.Addr().String(),
		served:  make(chan struct{}),
		stop:    stop,
		changed: make(chan struct{}),
	}
	if s.script == nil {
		s.script = func(Request) Answer { return Answer{} }
	}
	s.http = &http.Server{
		Handler: s,
		// Held answers end with the server, not only with their clients.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(ln) // always an error; Close is the only way to one
	}()
	return s, nil
}

// URL is the base URL, without a trailing slash: http://127.0.0.1:PORT.
func (s *Server) URL() string { return s.url }

// Close releases every held answer, closes all connections and returns when no
// goroutine of the server is left.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	err := s.http.Close()
	<-s.served
	s.active.Wait()
	return err
}

// Requests returns a copy of what was recorded so far, in the order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Turns returns the recorded requests of kind [Turn].
func (s *Server) Turns() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Kind != Turn })
}

// Wait returns the first request for which match is true, waiting for it if need
// be. It returns the context's error when that comes first.
func (s *Server) Wait(ctx context.Context, match func(Request) bool) (Request, error) {
	for next := 0; ; {
		s.mu.Lock()
		fresh, changed := s.seen[next:], s.changed
		next = len(s.seen)
		s.mu.Unlock()
		for _, r := range fresh {
			if match(r) {
				return r, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("scriptmodel: waiting for a request (%d did not match): %w", next, ctx.Err())
		}
	}
}

// enter counts a handler in, unless the server is closing: http.Server.Close does
// not wait for handlers, Close does.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.active.Add(1)
	return true
}

// record keeps r and numbers it.
func (s *Server) record(r Request) Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Seq = len(s.seen)
	s.seen = append(s.seen, r)
	close(s.changed)
	s.changed = make(chan struct{})
	return r
}

// ServeHTTP records the request and answers it. It is exported by the handler
// interface only; tests use the URL.
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	if !s.enter() {
		return
	}
	defer s.active.Done()
	body, err := io.ReadAll(http.MaxBytesReader(w, hr.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	r := s.record(newRequest(hr, body))
	switch r.Kind {
	case Turn, Side:
		s.answer(hr.Context(), w, r)
	case Count:
		writeJSON(w, http.StatusOK, map[string]any{"input_tokens": 10})
	case Models:
		writeModels(w)
	default:
		// Probes (HEAD of the base URL) and telemetry: an agent must live without.
		w.WriteHeader(http.StatusNotFound)
	}
}

// answer runs the script and speaks the request's dialect.
func (s *Server) answer(ctx context.Context, w http.ResponseWriter, r Request) {
	a := s.script(r).filled()
	d := r.Dialect.speaker()
	if a.Status != 0 {
		writeJSON(w, a.Status, d.failure(a))
		return
	}
	if !r.Stream {
		if hold(ctx, a.Hold) == nil {
			writeJSON(w, http.StatusOK, d.whole(r, a))
		}
		return
	}
	out := newEventWriter(w)
	for _, e := range d.opening(r) {
		out.event(e)
	}
	if hold(ctx, a.Hold) != nil {
		return // the stream just ends: nobody reads it
	}
	for _, e := range d.rest(r, a) {
		out.event(e)
	}
}

// filled is the answer with its defaults.
func (a Answer) filled() Answer {
	if a.Text == "" && len(a.Calls) == 0 {
		a.Text = "ok"
	}
	calls := slices.Clone(a.Calls)
	for i := range calls {
		if calls[i].Arguments == "" {
			calls[i].Arguments = "{}"
		}
	}
	a.Calls = calls
	return a
}

// errGone says that the client or the server ended before the hold did.
var errGone = errors.New("scriptmodel: the request ended while held")

func hold(ctx context.Context, until <-chan struct{}) error {
	if until == nil {
		return nil
	}
	select {
	case <-until:
		return nil
	case <-ctx.Done():
		return errGone
	}
}
