// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	msgStart   = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":10,\"cache_read_input_tokens\":4,\"output_tokens\":1}}}"
	msgThink   = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm.\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"sig\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}"
	msgText    = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}"
	msgCall    = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"read\",\"input\":{}}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"path\\\": \\\"x\\\"}\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}"
	msgDelta   = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":5}}"
	msgStop    = "event: message_stop\ndata: {\"type\":\"message_stop\"}"
	msgOverNow = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}"
)

func TestMessagesStream(t *testing.T) {
	var key string
	reply, deltas, err := ask(t, "anthropic:m", func(_ int, w http.ResponseWriter, r *http.Request) {
		key = r.Header.Get("X-Api-Key") + " " + r.URL.Path
		stream(w, msgStart, msgThink, msgText, msgCall, msgDelta, msgStop)
	})
	if err != nil {
		t.Fatal(err)
	}
	if key != testKey+" /v1/messages" {
		t.Errorf("asked with %s", key)
	}
	want := &Reply{Message: Message{Role: Assistant, Parts: []Part{
		{Type: Thought, Text: "Hm.", Signature: "sig"}, TextPart("Hello"), {Type: Call, ID: "t", Name: "read", Input: json.RawMessage(`{"path": "x"}`)},
	}}, Stop: StopCalls, Usage: Usage{Input: 14, Output: 5, CachedRead: 4}}
	if diff := cmp.Diff(want, reply); diff != "" {
		t.Error(diff)
	}
	if texts(deltas, DeltaText) != "Hello" || texts(deltas, DeltaThought) != "Hm." {
		t.Errorf("emitted %v", deltas)
	}
}

func TestMessagesFailures(t *testing.T) {
	fail := func(status int, kind, message string) func(int, http.ResponseWriter, *http.Request) {
		return func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"}}`))
		}
	}
	for name, tt := range map[string]struct {
		f      func(n int, w http.ResponseWriter, r *http.Request)
		reason Reason
		words  []string
	}{
		"stalls at once":     {func(_ int, _ http.ResponseWriter, r *http.Request) { stall(r) }, Silent, nil},
		"stalls in between":  {func(_ int, w http.ResponseWriter, r *http.Request) { stream(w, msgStart, msgThink, msgText); stall(r) }, Silent, nil},
		"drops in between":   {func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, msgStart, msgThink, msgText); drop() }, Lost, []string{"go on"}},
		"ends in between":    {func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, msgStart, msgThink, msgText) }, Lost, nil},
		"garbage":            {func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, "event: message_start\ndata: {garbage") }, Garbled, []string{"ANTHROPIC_BASE_URL"}},
		"no events":          {func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, "hello") }, Garbled, nil},
		"overloaded":         {fail(529, "overloaded_error", "Overloaded"), Overloaded, []string{"Overloaded", "Wait a little"}},
		"overloaded inside":  {func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, msgStart, msgOverNow) }, Overloaded, nil},
		"429":                {fail(429, "rate_limit_error", "slow down"), Overloaded, []string{"slow down"}},
		"500":                {fail(500, "api_error", "oops"), Broken, []string{"oops"}},
		"401":                {fail(401, "authentication_error", "invalid x-api-key "+testKey), NoKey, []string{"ANTHROPIC_API_KEY", "[key]"}},
		"404":                {fail(404, "not_found_error", "model: m"), NotFound, []string{"model: m"}},
		"too long":           {fail(400, "invalid_request_error", "prompt is too long: 5 tokens"), TooLong, []string{"new session"}},
		"no credit and such": {fail(400, "invalid_request_error", "your credit balance is too low"), Refused, []string{"credit"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := ask(t, "anthropic:m", tt.f)
			fails(t, err, tt.reason, tt.words...)
		})
	}
}

func TestSpecs(t *testing.T) {
	none := func(string) string { return "" }
	for _, spec := range []string{"", "m", "openai", "openai:", "anthropic:", "other:m", "openai:m", "anthropic:m"} {
		var e *SpecError
		if _, err := Open(spec, &Options{Env: none}); !errors.As(err, &e) {
			t.Errorf("%q: got %v", spec, err)
		}
	}
	local := func(name string) string {
		if name == "OPENAI_BASE_URL" {
			return "http://localhost:1/v1"
		}
		return ""
	}
	m, err := Open("openai:m:tag", &Options{Env: local, Window: 9})
	if err != nil || m.Spec() != "openai:m:tag" || m.Window() != 9 {
		t.Errorf("got %v", err)
	}
	bad := func(string) string { return "localhost:11434" }
	for _, spec := range []string{"openai:m", "anthropic:m"} {
		if _, err := Open(spec, &Options{Env: bad}); err == nil {
			t.Errorf("%s: a base without a scheme is taken", spec)
		}
	}
}
