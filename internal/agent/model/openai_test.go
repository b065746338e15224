// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	chatHello = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}]}`
	chatLo    = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":null}]}`
	chatStop  = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	chatUsage = `data: {"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}`
	chatDone  = `data: [DONE]`
)

func TestChatStream(t *testing.T) {
	var auth string
	reply, deltas, err := ask(t, "openai:m", func(_ int, w http.ResponseWriter, r *http.Request) {
		auth = r.Header.Get("Authorization") + " " + r.URL.Path
		stream(w, ": a comment", chatHello, chatLo, chatStop, chatUsage, chatDone)
	})
	if err != nil {
		t.Fatal(err)
	}
	if auth != "Bearer "+testKey+" /v1/chat/completions" {
		t.Errorf("asked with %s", auth)
	}
	want := &Reply{Message: Message{Role: Assistant, Parts: []Part{TextPart("Hello")}}, Stop: StopEnd, Usage: Usage{Input: 7, Output: 2, CachedRead: 3}}
	if diff := cmp.Diff(want, reply); diff != "" {
		t.Error(diff)
	}
	if got := texts(deltas, DeltaText); got != "Hello" {
		t.Errorf("emitted %q", got)
	}
}

// Servers put calls together in different ways.
func TestChatCalls(t *testing.T) {
	piece := func(s string) string {
		return `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[` + s + `]},"finish_reason":null}]}`
	}
	for name, tt := range map[string]struct {
		events []string
		want   []Part
	}{
		"in pieces": {
			[]string{piece(`{"index":0,"id":"a","function":{"name":"read","arguments":""}}`), piece(`{"index":0,"function":{"arguments":"{\"path\":"}}`),
				piece(`{"index":1,"id":"b","function":{"name":"list","arguments":"{}"}}`), piece(`{"index":0,"function":{"arguments":"\"x\"}"}}`)},
			[]Part{{Type: Call, ID: "a", Name: "read", Input: json.RawMessage(`{"path":"x"}`)}, {Type: Call, ID: "b", Name: "list", Input: json.RawMessage(`{}`)}},
		},
		"all with index 0": {
			[]string{piece(`{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}`), piece(`{"index":0,"id":"b","function":{"name":"list","arguments":"{}"}}`)},
			[]Part{{Type: Call, ID: "a", Name: "read", Input: json.RawMessage(`{}`)}, {Type: Call, ID: "b", Name: "list", Input: json.RawMessage(`{}`)}},
		},
		"without an id": {
			[]string{piece(`{"function":{"name":"read","arguments":""}}`)},
			[]Part{{Type: Call, ID: "call_0", Name: "read", Input: json.RawMessage(`{}`)}},
		},
		"arguments that are no JSON": {
			[]string{piece(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":"}}`)},
			[]Part{{Type: Call, ID: "a", Name: "read", Input: json.RawMessage(`"{\"path\":"`)}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			reply, _, err := ask(t, "openai:m", func(_ int, w http.ResponseWriter, _ *http.Request) {
				stream(w, append(tt.events, strings.Replace(chatStop, "stop", "tool_calls", 1), chatDone)...)
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, reply.Message.Parts); diff != "" || reply.Stop != StopCalls {
				t.Errorf("stop %s: %s", reply.Stop, diff)
			}
		})
	}
}

func TestChatOddServers(t *testing.T) {
	for name, f := range map[string]func(n int, w http.ResponseWriter, r *http.Request){
		"does not stream": func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`)
		},
		"leaves the end out": func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, chatHello, chatLo, chatStop) },
		"knows no options": func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 1 {
				http.Error(w, `{"error":{"message":"unknown field stream_options"}}`, http.StatusBadRequest)
				return
			}
			stream(w, chatHello, chatLo, chatStop, chatDone)
		},
		"has too much to do at first": func(n int, w http.ResponseWriter, _ *http.Request) {
			switch n {
			case 1:
				http.Error(w, `{"error":"busy"}`, http.StatusTooManyRequests)
			case 2:
				http.Error(w, "oops", http.StatusBadGateway)
			default:
				stream(w, chatHello, chatLo, chatStop, chatDone)
			}
		},
		"drops before it says anything": func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 1 {
				drop()
			}
			stream(w, chatHello, chatLo, chatStop, chatDone)
		},
	} {
		t.Run(name, func(t *testing.T) {
			reply, deltas, err := ask(t, "openai:m", f)
			if err != nil || len(reply.Message.Parts) != 1 || reply.Message.Parts[0].Text != "Hello" || reply.Stop != StopEnd {
				t.Errorf("got %+v, %v", reply, err)
			}
			if strings.HasPrefix(name, "has too") && strings.Count(texts(deltas, DeltaWait), "follows in") != 2 {
				t.Errorf("the user is not told of the waiting: %v", deltas)
			}
		})
	}
}

func TestChatFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		f      func(n int, w http.ResponseWriter, r *http.Request)
		reason Reason
		words  []string
		text   string // that came before
	}{
		"stalls at once":    {func(_ int, _ http.ResponseWriter, r *http.Request) { stall(r) }, Silent, []string{"Send the prompt again"}, ""},
		"stalls in between": {func(_ int, w http.ResponseWriter, r *http.Request) { stream(w, chatHello); stall(r) }, Silent, nil, "Hel"},
		"drops in between":  {func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, chatHello); drop() }, Lost, []string{"go on"}, "Hel"},
		"ends in between":   {func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, chatHello) }, Lost, []string{"go on"}, "Hel"},
		"garbage":           {func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, "data: \x01{[garbage \x1b[2J") }, Garbled, []string{"OPENAI_BASE_URL"}, ""},
		"garbage in between": {func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, chatHello, "data: }") }, Garbled,
			[]string{"OPENAI_BASE_URL"}, "Hel"},
		"another protocol": {func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, `data: {"type":"message_start"}`) }, Garbled, nil, ""},
		"a page": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
		}, Garbled, nil, ""},
		"nothing at all": {func(_ int, w http.ResponseWriter, _ *http.Request) { stream(w, chatDone) }, Garbled, nil, ""},
		"429": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
		}, Overloaded, []string{"429", "slow down", "Wait a little"}, ""},
		"500": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "oops", http.StatusInternalServerError)
		}, Broken, []string{"500", "oops"}, ""},
		"401": {func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"error":{"message":"Incorrect key: `+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+`"}}`, http.StatusUnauthorized)
		}, NoKey, []string{"OPENAI_API_KEY", "[key]"}, ""},
		"404": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"model \"m\" not found"}}`, http.StatusNotFound)
		}, NotFound, []string{"OPENAI_BASE_URL", "not found"}, ""},
		"a redirect": {func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
		}, NotFound, nil, ""},
		"too long": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"This model's maximum context length is 10"}}`, http.StatusBadRequest)
		}, TooLong, []string{"new session"}, ""},
		"400": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"no images"}}`, http.StatusBadRequest)
		}, Refused, []string{"no images"}, ""},
		"an error in the stream": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			stream(w, chatHello, `data: {"error":{"message":"the GPU is gone"}}`)
		}, Broken,
			[]string{"the GPU is gone"}, "Hel"},
	} {
		t.Run(name, func(t *testing.T) {
			reply, deltas, err := ask(t, "openai:m", tt.f)
			fails(t, err, tt.reason, tt.words...)
			if got := texts(deltas, DeltaText); got != tt.text {
				t.Errorf("emitted %q, want %q", got, tt.text)
			}
			if tt.text != "" && (reply == nil || len(reply.Message.Parts) != 1 || reply.Message.Parts[0].Text != tt.text) {
				t.Errorf("what came is lost: %+v", reply)
			}
			if strings.ContainsAny(err.Error(), "\x01\x1b\n") {
				t.Errorf("%q would control a terminal", err.Error())
			}
		})
	}
}

func TestNobodyIsThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	_ = l.Close()
	for _, spec := range []string{"openai:m", "anthropic:m"} {
		m, err := Open(spec, &Options{Env: env(url), FirstWait: 1, Attempts: 2})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Generate(t.Context(), request(), nil)
		fails(t, err, Unreachable, url, "runs")
		m.Close()
	}
}

// The request is what servers understand.
func TestChatRequest(t *testing.T) {
	raw, err := json.Marshal(chatBody("m", request()))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"model":"m","messages":[{"role":"system","content":"Be short."},` +
		`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]},` +
		`{"role":"assistant","content":"ok","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"x\"}"}}]},` +
		`{"role":"tool","content":"content","tool_call_id":"c1"}],` +
		`"tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}}],` +
		`"stream":true,"stream_options":{"include_usage":true}}`
	if string(raw) != want {
		t.Errorf("got %s", raw)
	}
}

func FuzzChatStream(f *testing.F) {
	f.Add([]byte(chatHello + "\n\n" + chatStop + "\n\n" + chatDone + "\n\n"))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1}]}}]}\r\n\r\n"))
	m := &openAI{}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &chatReply{emit: func(Delta) {}}
		err := m.stream(strings.NewReader(string(data)), c)
		if r := c.reply(); err == nil && c.stop == "" && len(r.Message.Parts) == 0 {
			t.Errorf("a reply with nothing in it")
		}
		for _, p := range c.reply().Message.Calls() {
			if !json.Valid(p.Input) {
				t.Errorf("%q is no JSON", p.Input)
			}
		}
	})
}
