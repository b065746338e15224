// SPDX-License-Identifier: Apache-2.0

package acp_test

import (
	"bytes"
	"encoding/json"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/skillgraft/skillgraft/acp"
)

// sameJSON compares two texts of JSON, the order of members apart. Numbers are
// compared as they are written.
func sameJSON(t testing.TB, got, want string) {
	t.Helper()
	a, b := sorted(t, got), sorted(t, want)
	if a != b {
		t.Fatalf("got  %s\nwant %s", a, b)
	}
}

func sorted(t testing.TB, text string) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Every example is the whole of what its variant can have, and something that
// we do not know.
var updateExamples = []string{
	`{"sessionUpdate":"user_message","messageId":"m","content":[{"type":"skill","name":"pdf","_meta":{"a":1},"x":2},{"type":"text","text":"go"}],"_meta":{"k":1},"future":[1e400]}`,
	`{"sessionUpdate":"user_message","messageId":"m"}`,
	`{"sessionUpdate":"user_message","messageId":"m","content":null,"_meta":null}`,
	`{"sessionUpdate":"user_message","messageId":"m","content":[]}`,
	`{"sessionUpdate":"user_message_chunk","messageId":"m","content":{"type":"text","text":"\u2028"}}`,
	`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"video","src":12345678901234567890}]}`,
	`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"image","data":"AA==","mimeType":"image/png","uri":"file:///a","annotations":{"priority":0.5}}}`,
	`{"sessionUpdate":"agent_thought","messageId":"m","content":[{"type":"audio","data":"AA==","mimeType":"audio/wav"}]}`,
	`{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":{"type":"resource_link","name":"n","uri":"u","title":"t","description":"d","mimeType":"m","size":3,"icons":[]}}`,
	`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"resource","resource":{"uri":"u","text":"","mimeType":"m","z":0}}}`,
	`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"resource","resource":{"uri":"u","blob":"AA=="}}}`,
	`{"sessionUpdate":"state_update","state":"running","background":[{"type":"terminal","terminalId":"t"},{"type":"dream","x":1}]}`,
	`{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32603,"message":"m","data":{"a":1},"more":true},"usage":{"totalTokens":3,"inputTokens":1,"outputTokens":2}}`,
	`{"sessionUpdate":"state_update","state":"dreaming","depth":2}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"c","name":"n","title":"t","kind":"edit","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"x"}},{"type":"diff","changes":[{"operation":"move","path":"/a","oldPath":"/b","fileType":"file"}],"patch":{"format":"git","text":"p"}},{"type":"terminal","terminalId":"t"},{"type":"chart","points":[]}],"locations":[{"path":"/a","line":3}],"rawInput":{"n":1.0},"rawOutput":null,"capabilities":{"cancel":{}},"_meta":{"a":{}}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":null,"kind":null,"status":null,"content":null,"locations":null}`,
	`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"content","content":{"type":"text","text":"x"}}}`,
	`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"c","priority":"high","status":"pending","due":1}]}}`,
	`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# x"}}`,
	`{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"a","description":"d","input":{"type":"text","hint":"h"}},{"type":"skill","name":"s","description":"d","path":"/p","_meta":{},"source":"x"},{"type":"macro","steps":[]}]}`,
	`{"sessionUpdate":"config_option_update","configOptions":[{"configId":"model","name":"Model","type":"select","currentValue":"a","options":[]}]}`,
	`{"sessionUpdate":"session_info_update","title":"t","updatedAt":null}`,
	`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":0.045,"currency":"USD"}}`,
	`{"sessionUpdate":"notice","severity":"warning","title":"t","description":"d"}`,
	`{"sessionUpdate":"mood_update","mood":"x","deep":{"a":[1.50]}}`,
}

func TestUpdatesSurvive_PXY1(t *testing.T) {
	for _, in := range updateExamples {
		u, err := acp.ReadSessionUpdate([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		out, err := jsonv2.Marshal(u)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		sameJSON(t, string(out), in)
		if std, err := json.Marshal(u); err != nil {
			t.Error(err)
		} else {
			sameJSON(t, string(std), in)
		}
	}
}

func TestMessagesSurvive_PXY1(t *testing.T) {
	for _, tt := range []struct {
		v  json.Unmarshaler
		in string
	}{
		{&acp.InitializeRequest{}, `{"protocolVersion":2,"info":{"name":"n","title":"t","version":"1","x":1},"capabilities":{"session":{"commands":{"skill":{}}}},"_meta":{"a":1},"y":2}`},
		{&acp.InitializeResponse{}, `{"protocolVersion":2,"info":{"name":"n","version":"1"},"capabilities":{"session":{}},"authMethods":[{"type":"agent","methodId":"m","name":"n"}]}`},
		{&acp.NewSessionRequest{}, `{"cwd":"/w","additionalDirectories":["/a"],"mcpServers":[{"type":"http","name":"n","url":"u"}],"systemPrompt":{"mode":"append","content":[]},"z":[]}`},
		{&acp.NewSessionResponse{}, `{"sessionId":"s","configOptions":[],"availableCommands":[]}`},
		{&acp.ResumeSessionRequest{}, `{"sessionId":"s","cwd":"/w","replayFrom":{"type":"start"}}`},
		{&acp.ResumeSessionResponse{}, `{"availableCommands":[{"type":"skill","name":"s","description":"d"}]}`},
		{&acp.ForkSessionRequest{}, `{"sessionId":"s","cwd":"/w","mcpServers":[]}`},
		{&acp.ListSessionsRequest{}, `{"cwd":"/w","cursor":"c","archived":"all"}`},
		{&acp.ListSessionsResponse{}, `{"sessions":[{"sessionId":"s","cwd":"/w","title":"t","updatedAt":"2026-11-30T00:00:00Z","archived":true}],"nextCursor":"n"}`},
		{&acp.SessionRef{}, `{"sessionId":"s","_meta":{}}`},
		{&acp.Empty{}, `{"x":1}`},
		{&acp.SetConfigOptionRequest{}, `{"sessionId":"s","configId":"c","type":"boolean","value":false}`},
		{&acp.SetConfigOptionResponse{}, `{"configOptions":[{"type":"boolean","configId":"c","name":"n","currentValue":false},{"type":"dial","x":1}]}`},
		{&acp.PromptRequest{}, `{"sessionId":"s","prompt":[{"type":"skill","name":"a"},{"type":"new","x":1}],"_meta":{"t":1},"xFuture":12345678901234567890}`},
		{&acp.PromptResponse{}, `{"messageId":"m"}`},
		{&acp.UpdateNotification{}, `{"sessionId":"s","update":{"sessionUpdate":"x"},"_meta":{}}`},
		{&acp.RequestPermissionRequest{}, `{"sessionId":"s","title":"t","description":"d","subject":{"type":"tool_call","toolCall":{"toolCallId":"c","title":"x"}},"options":[{"optionId":"o","name":"n","kind":"allow_once"}]}`},
		{&acp.RequestPermissionRequest{}, `{"sessionId":"s","title":"t","subject":{"type":"command","command":"ls","cwd":"/w","toolCallId":"c"},"options":[]}`},
		{&acp.RequestPermissionRequest{}, `{"sessionId":"s","title":"t","subject":{"type":"door","key":1},"options":[]}`},
		{&acp.RequestPermissionResponse{}, `{"outcome":{"outcome":"selected","optionId":"o"}}`},
		{&acp.RequestPermissionResponse{}, `{"outcome":{"outcome":"postponed","until":1}}`},
	} {
		if err := tt.v.UnmarshalJSON([]byte(tt.in)); err != nil {
			t.Errorf("%T: %v", tt.v, err)
			continue
		}
		out, err := jsonv2.Marshal(tt.v)
		if err != nil {
			t.Errorf("%T: %v", tt.v, err)
			continue
		}
		sameJSON(t, string(out), tt.in)
	}
}

// A known variant that is malformed is an error, and never an unknown one.
func TestMalformedKnownVariants(t *testing.T) {
	for _, in := range []string{
		`{"type":"text"}`, `{"type":"text","text":7}`, `{"type":"text","text":null}`, `{"type":"skill"}`, `{"type":"skill","name":7}`,
		`{"type":"image","data":"AA=="}`, `{"type":"audio","mimeType":"x"}`, `{"type":"resource_link","name":"n"}`, `{"type":"resource"}`,
		`{"type":"resource","resource":{"uri":"u"}}`, `{"type":"resource","resource":7}`, `{"type":7}`, `{}`, `null`, `[]`, `"text"`, `{"type":"text","text":"a","text":"b"}`,
	} {
		if b, err := acp.ReadContentBlock([]byte(in)); err == nil {
			t.Errorf("%s was read as %#v", in, b)
		}
	}
	for _, in := range []string{
		`{"sessionUpdate":"user_message"}`, `{"sessionUpdate":"agent_message_chunk","messageId":"m"}`, `{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text"}}`,
		`{"sessionUpdate":"state_update"}`, `{"sessionUpdate":"tool_call_update"}`, `{"sessionUpdate":"plan_update"}`, `{"sessionUpdate":"usage_update","used":"1","size":2}`, `{"sessionUpdate":7}`, `{}`,
	} {
		if u, err := acp.ReadSessionUpdate([]byte(in)); err == nil {
			t.Errorf("%s was read as %#v", in, u)
		}
	}
}

// What the schema forgives is forgiven, field by field.
func TestForgivingFields(t *testing.T) {
	for in, want := range map[string]string{
		`{"sessionUpdate":"user_message","messageId":"m","content":[{"type":"text"},{"type":"text","text":"b"}]}`: `{"sessionUpdate":"user_message","messageId":"m","content":[{"type":"text","text":"b"}]}`,
		`{"sessionUpdate":"user_message","messageId":"m","content":7,"_meta":7}`:                                  `{"sessionUpdate":"user_message","messageId":"m"}`,
		`{"sessionUpdate":"state_update","state":"idle","stopReason":7,"error":[]}`:                               `{"sessionUpdate":"state_update","state":"idle"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":{},"locations":[{"line":1},{"path":"/a"}]}`: `{"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"/a"}]}`,
		`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":"1"}}`:                                `{"sessionUpdate":"usage_update","used":1,"size":2}`,
	} {
		u, err := acp.ReadSessionUpdate([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		out, _ := jsonv2.Marshal(u)
		sameJSON(t, string(out), want)
	}
	// Directories and servers are strict: leaving one out is not harmless.
	var r acp.NewSessionRequest
	for _, bad := range []string{`{"cwd":"/w","additionalDirectories":["/a",7]}`, `{"cwd":"/w","mcpServers":{}}`, `{"additionalDirectories":[]}`} {
		if err := r.UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	if err := r.UnmarshalJSON([]byte(`{"cwd":"/w","additionalDirectories":null,"mcpServers":null}`)); err != nil {
		t.Error(err)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	var r acp.PromptRequest
	err := r.UnmarshalJSON([]byte(`{"sessionId":"s","prompt":[{"type":"text","text":"a"},{"type":"resource","resource":{"uri":7}}]}`))
	if err == nil || err.Error() != "prompt[1].resource.uri: expected a string" {
		t.Errorf("got %v", err)
	}
}

func TestPatch(t *testing.T) {
	if got := acp.Set("b").Apply("a") + acp.Clear[string]().Apply("a") + (acp.Patch[string]{}).Apply("a"); got != "ba" {
		t.Errorf("got %q", got)
	}
	if v, ok := acp.Clear[int]().Get(); ok || v != 0 || !acp.Clear[int]().Clears() || !(acp.Patch[int]{}).IsZero() {
		t.Error("Clear or the zero Patch is wrong")
	}
}

func TestPermissionAllows(t *testing.T) {
	req := &acp.RequestPermissionRequest{Options: []acp.PermissionOption{
		{OptionID: "a", Kind: acp.AllowOnce}, {OptionID: "b", Kind: acp.AllowAlways}, {OptionID: "c", Kind: acp.RejectOnce}, {OptionID: "d", Kind: "allow_until_noon"},
	}}
	for _, tt := range []struct {
		resp *acp.RequestPermissionResponse
		want bool
	}{
		{acp.Selected("a"), true}, {acp.Selected("b"), true}, {acp.Selected("c"), false}, {acp.Selected("d"), false}, {acp.Selected("e"), false},
		{acp.Cancelled(), false}, {nil, false}, {&acp.RequestPermissionResponse{Outcome: &acp.UnknownOutcome{Outcome: "approved"}}, false},
	} {
		if got := tt.resp.Allows(req); got != tt.want {
			t.Errorf("%+v: got %v", tt.resp, got)
		}
	}
}

func TestMetaValue(t *testing.T) {
	var n int
	if !acp.MetaValue([]byte(`{"a":7}`), "a", &n) || n != 7 {
		t.Errorf("got %d", n)
	}
	for _, meta := range []string{``, `null`, `{}`, `{"a":"7"}`, `[]`} {
		if acp.MetaValue([]byte(meta), "a", &n) {
			t.Errorf("%s has a number at a", meta)
		}
	}
}

func FuzzUpdateRoundTrip(f *testing.F) {
	for _, e := range updateExamples {
		f.Add([]byte(e))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		u, err := acp.ReadSessionUpdate(in)
		if err != nil {
			return
		}
		out, err := jsonv2.Marshal(u, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
		if err != nil {
			t.Fatalf("%q was read and cannot be written: %v", in, err)
		}
		if bytes.ContainsAny(out, "\n\r") {
			t.Fatalf("%q is more than one line", out)
		}
		again, err := acp.ReadSessionUpdate(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", in, out, err)
		}
		twice, err := jsonv2.Marshal(again, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
		if err != nil || !bytes.Equal(out, twice) {
			t.Fatalf("%q, then %q, %v", out, twice, err)
		}
	})
}

func FuzzCommandsRoundTrip(f *testing.F) {
	f.Add([]byte(`[{"type":"command","name":"a","description":"d","input":{"type":"text","hint":"h"}},{"type":"skill","name":"s","description":"d","path":"/p"},{"type":"x"},7]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		list, _, err := acp.ReadCommands(in)
		if err != nil {
			return
		}
		out, err := acp.EncodeCommands(list)
		if err != nil {
			t.Fatalf("%q was read and cannot be written: %v", in, err)
		}
		again, dropped, err := acp.ReadCommands(out)
		if err != nil || len(dropped) > 0 {
			t.Fatalf("%q became %q: %v, %v", in, out, dropped, err)
		}
		if len(again) != len(list) {
			t.Fatalf("%q became %q", in, out)
		}
		for i := range list {
			if list[i].EntryName() != again[i].EntryName() && bytes.Equal(bytes.ToValidUTF8(in, nil), in) {
				t.Fatal(cmp.Diff(list[i], again[i]))
			}
		}
	})
}
