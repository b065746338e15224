// SPDX-License-Identifier: Apache-2.0

package scriptmodel

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs a server for the test and forgets its idle connections at the end.
func start(t *testing.T, script Script) *Server {
	t.Helper()
	s, err := Start(&Options{Script: script})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

func post(t *testing.T, ctx context.Context, url, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// events reads a stream to its end: the names in order and the data by name.
func events(t *testing.T, r io.Reader) (names []string, data map[string]map[string]any) {
	t.Helper()
	data = map[string]map[string]any{}
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		line := sc.Text()
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			names = append(names, name)
		}
		if raw, ok := strings.CutPrefix(line, "data: "); ok {
			var v map[string]any
			if err := json.Unmarshal([]byte(raw), &v); err != nil {
				t.Fatalf("data is not JSON: %v: %s", err, raw)
			}
			if v["type"] != names[len(names)-1] {
				t.Errorf("event %q has data of type %v", names[len(names)-1], v["type"])
			}
			data[names[len(names)-1]] = v
		}
	}
	if err := sc.Err(); err != nil {
		t.Fatalf("reading the stream: %v", err)
	}
	return names, data
}

func TestStreams(t *testing.T) {
	s := start(t, func(Request) Answer { return Answer{Text: "an answer"} })
	tests := []struct {
		name, path string
		want       []string
		delta      func(map[string]map[string]any) any
	}{
		{"anthropic", "/v1/messages",
			[]string{"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"},
			func(d map[string]map[string]any) any {
				return d["content_block_delta"]["delta"].(map[string]any)["text"]
			}},
		{"responses", "/v1/responses",
			[]string{"response.created", "response.output_item.added", "response.content_part.added", "response.output_text.delta",
				"response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed"},
			func(d map[string]map[string]any) any { return d["response.output_text.delta"]["delta"] }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp := post(t, t.Context(), s.URL()+tt.path, `{"model":"m","stream":true,"tools":[{}],"messages":[],"input":[]}`)
			if ct := resp.Header.Get("Content-Type"); ct != "text/event-stream" {
				t.Errorf("Content-Type = %q", ct)
			}
			names, data := events(t, resp.Body)
			if diff := cmp.Diff(tt.want, names); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if got := tt.delta(data); got != "an answer" {
				t.Errorf("delta = %v, want the scripted text", got)
			}
		})
	}
}

func TestWholeAnswers(t *testing.T) {
	s := start(t, nil)
	tests := []struct {
		path string
		text func(map[string]any) any
	}{
		{"/v1/messages", func(v map[string]any) any { return v["content"].([]any)[0].(map[string]any)["text"] }},
		{"/v1/responses", func(v map[string]any) any {
			return v["output"].([]any)[0].(map[string]any)["content"].([]any)[0].(map[string]any)["text"]
		}},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			resp := post(t, t.Context(), s.URL()+tt.path, `{"model":"m"}`)
			var v map[string]any
			if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
				t.Fatal(err)
			}
			if got := tt.text(v); got != "ok" {
				t.Errorf("text = %v, want the default", got)
			}
		})
	}
}

func TestOtherRequests(t *testing.T) {
	s := start(t, nil)
	tests := []struct {
		method, path string
		status       int
		kind         Kind
		body         string // a part of the answer
	}{
		{http.MethodPost, "/v1/messages/count_tokens", 200, Count, `"input_tokens":10`},
		{http.MethodGet, "/v1/models", 200, Models, `"fake-model"`},
		{http.MethodHead, "/", 404, Other, ""},
		{http.MethodPost, "/v1/elsewhere", 404, Other, ""},
		{http.MethodGet, "/v1/messages", 404, Other, ""},
	}
	for i, tt := range tests {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL()+tt.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tt.status || !strings.Contains(string(body), tt.body) {
			t.Errorf("%s %s = %d %s, want %d with %s", tt.method, tt.path, resp.StatusCode, body, tt.status, tt.body)
		}
		if got := s.Requests()[i]; got.Kind != tt.kind || got.Seq != i || got.Path != tt.path {
			t.Errorf("recorded %s %s as %s, seq %d", got.Method, got.Path, got.Kind, got.Seq)
		}
	}
}

func TestScriptedError(t *testing.T) {
	s := start(t, func(Request) Answer { return Answer{Status: 529, Text: "overloaded"} })
	resp := post(t, t.Context(), s.URL()+"/v1/messages", `{"stream":true}`)
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 529 || !strings.Contains(string(body), "overloaded") {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
}

// A held answer has opened its stream, and ends with the release.
func TestHoldUntilReleased(t *testing.T) {
	release := make(chan struct{})
	s := start(t, func(Request) Answer { return Answer{Hold: release} })
	resp := post(t, t.Context(), s.URL()+"/v1/messages", `{"stream":true,"tools":[{}]}`)
	br := bufio.NewReader(resp.Body)
	if line, err := br.ReadString('\n'); err != nil || line != "event: message_start\n" {
		t.Fatalf("first line %q, %v", line, err)
	}
	if _, err := s.Wait(t.Context(), func(r Request) bool { return r.Kind == Turn }); err != nil {
		t.Fatal(err)
	}
	close(release)
	rest, err := io.ReadAll(br)
	if err != nil || !strings.Contains(string(rest), "message_stop") {
		t.Errorf("after the release: %q, %v", rest, err)
	}
}

// A client that leaves, and the server's end, both end a hold: Close would
// otherwise wait for ever.
func TestHoldEnds(t *testing.T) {
	never := make(chan struct{})
	t.Run("client leaves", func(t *testing.T) {
		s := start(t, func(Request) Answer { return Answer{Hold: never} })
		ctx, cancel := context.WithCancel(t.Context())
		resp := post(t, ctx, s.URL()+"/v1/responses", `{"stream":true,"tools":[{}]}`)
		cancel()
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Error("the cancelled stream ended without an error")
		}
		s.active.Wait()
	})
	t.Run("server closes", func(t *testing.T) {
		s := start(t, func(Request) Answer { return Answer{Hold: never} })
		resp := post(t, t.Context(), s.URL()+"/v1/responses", `{"stream":true,"tools":[{}]}`)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		if strings.Contains(string(body), "response.completed") {
			t.Errorf("the held answer was completed: %s", body)
		}
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	s := start(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if r, err := s.Wait(ctx, func(Request) bool { return true }); err == nil {
		t.Errorf("Wait returned %v without a request", r)
	}
}

func TestConcurrentRequestsAreAllRecorded(t *testing.T) {
	const n = 20
	s := start(t, nil)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			resp, err := http.Post(s.URL()+"/v1/messages", "application/json",
				strings.NewReader(fmt.Sprintf(`{"tools":[{}],"messages":[{"role":"user","content":"m-%d."}]}`, i)))
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		})
	}
	for i := range n {
		marker := fmt.Sprintf("m-%d.", i)
		if _, err := s.Wait(t.Context(), func(r Request) bool { return r.Count(marker) == 1 }); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	for i, r := range s.Turns() {
		if r.Seq != i {
			t.Errorf("request %d has seq %d", i, r.Seq)
		}
	}
}
