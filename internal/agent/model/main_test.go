// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-secret-0123456789"

// silence is how long a server may say nothing: where one stalls, long enough for a slow
// machine to say what comes before, and short enough to wait for.
func silence(t *testing.T) time.Duration {
	if strings.Contains(t.Name(), "stalls") {
		return 3 * time.Second
	}
	return time.Minute
}

// ask asks a model at a server that answers by f, which is told the number of the
// request from 1.
func ask(t *testing.T, spec string, f func(n int, w http.ResponseWriter, r *http.Request)) (*Reply, []Delta, error) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server sees the client go
		mu.Lock()
		n++
		at := n
		mu.Unlock()
		f(at, w, r.WithContext(context.WithValue(r.Context(), doneKey{}, done)))
	}))
	defer s.Close()
	defer close(done)
	m, err := Open(spec, &Options{Env: env(s.URL), FirstWait: time.Millisecond, Attempts: 3, Silence: silence(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var got []Delta
	reply, err := m.Generate(t.Context(), request(), func(d Delta) { got = append(got, d) })
	if err != nil && strings.Contains(err.Error(), testKey) {
		t.Errorf("the error has the key in it: %v", err)
	}
	return reply, got, err
}

type doneKey struct{}

// stall says nothing until the client or the test is gone.
func stall(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-r.Context().Value(doneKey{}).(chan struct{}):
	}
}

func env(url string) func(string) string {
	return func(name string) string {
		switch name {
		case "OPENAI_BASE_URL":
			return url + "/v1/"
		case "ANTHROPIC_BASE_URL":
			return url
		case "OPENAI_API_KEY", "ANTHROPIC_API_KEY":
			return testKey
		}
		return ""
	}
}

func request() *Request {
	return &Request{
		System: "Be short.",
		Messages: []Message{
			{Role: User, Parts: []Part{TextPart("look"), {Type: Image, MimeType: "image/png", Data: "AA=="}}},
			{Role: Assistant, Parts: []Part{TextPart("ok"), {Type: Call, ID: "c1", Name: "read", Input: json.RawMessage(`{"path":"x"}`)}}},
			{Role: User, Parts: []Part{ResultPart("c1", "content", false)}},
		},
		Tools: []Tool{{Name: "read", Description: "Reads.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}},
	}
}

func texts(deltas []Delta, kind int) string {
	var b strings.Builder
	for _, d := range deltas {
		if d.Kind == kind {
			b.WriteString(d.Text)
		}
	}
	return b.String()
}

// fails checks an error's reason and that it says what to do.
func fails(t *testing.T, err error, reason Reason, words ...string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Reason != reason {
		t.Fatalf("got %v, want the reason %d", err, reason)
	}
	if e.Advice == "" {
		t.Errorf("%v does not say what to do", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%v does not say %q", err, w)
		}
	}
}

// stream begins an answer of server-sent events.
func stream(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		_, _ = io.WriteString(w, e+"\n\n")
	}
	w.(http.Flusher).Flush()
}

// drop ends the connection without an end of the answer.
func drop() { panic(http.ErrAbortHandler) }
