// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
)

// aModel is a server of Chat Completions whose first token comes at once. While it is
// held, answers do not end.
type aModel struct {
	url  string
	http *http.Server
	done chan struct{}

	mu   sync.Mutex
	hold chan struct{} // nil: not held
}

func startModel() (*aModel, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &aModel{url: "http://" + ln.Addr().String(), done: make(chan struct{})}
	m.http = &http.Server{Handler: m}
	go func() {
		defer close(m.done)
		_ = m.http.Serve(ln) // close is the only way out
	}()
	return m, nil
}

func (m *aModel) close() {
	_ = m.http.Close()
	<-m.done
}

// held keeps answers from ending until release is called.
func (m *aModel) held() (release func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	hold := make(chan struct{})
	m.hold = hold
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		close(hold)
		m.hold = nil
	}
}

const (
	firstToken = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"first"},"finish_reason":null}]}` + "\n\n"
	lastToken  = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
)

// ServeHTTP implements [http.Handler].
func (m *aModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	m.mu.Lock()
	hold := m.hold
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, firstToken)
	w.(http.Flusher).Flush()
	if hold != nil {
		wait(r.Context(), hold)
	}
	_, _ = io.WriteString(w, lastToken)
}

func wait(ctx context.Context, until <-chan struct{}) {
	select {
	case <-until:
	case <-ctx.Done():
	}
}
