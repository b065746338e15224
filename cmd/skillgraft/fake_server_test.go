// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// modelServer starts a server of Chat Completions for the rest of the script, which the
// environment names. Its model activates the skill tea when it is offered one, runs a
// command when the prompt says so, and says what it was told last. It fails when the
// prompt says "fail".
func modelServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: model-server")
	}
	s := httptest.NewServer(http.HandlerFunc(serveModel))
	ts.Defer(s.Close)
	ts.Setenv("OPENAI_BASE_URL", s.URL)
}

func serveModel(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct {
			Role    string
			Content any
		}
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	last := body.Messages[len(body.Messages)-1]
	text := fmt.Sprint(last.Content)
	delta := map[string]any{"content": "told: " + text}
	call := func(name, arguments string) {
		delta = map[string]any{"tool_calls": []any{map[string]any{"id": "c", "function": map[string]any{"name": name, "arguments": arguments}}}}
	}
	offered := false
	for _, t := range body.Tools {
		offered = offered || t.Function.Name == "activate_skill"
	}
	switch {
	case strings.Contains(text, "fail"):
		http.Error(w, `{"error":{"message":"no such thing"}}`, http.StatusNotFound)
		return
	case last.Role == "user" && strings.Contains(text, "command"):
		call("run_command", `{"command":"echo from the shell"}`)
	case last.Role == "user" && offered && !strings.Contains(text, "skill_content"):
		call("activate_skill", `{"name":"tea"}`)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	raw, _ := json.Marshal(map[string]any{"object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": "stop"}}})
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", raw)
}
