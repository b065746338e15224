// SPDX-License-Identifier: Apache-2.0

package scriptmodel

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parsed(path, body string) Request {
	return newRequest(httptest.NewRequest(http.MethodPost, path, nil), []byte(body))
}

func TestTexts(t *testing.T) {
	tests := []struct {
		name, path, body string
		texts            []Text
		fresh            []Text
		images           []string
	}{
		{
			name: "anthropic: system, history, tools, blocks",
			path: "/v1/messages",
			body: `{"model":"m","tools":[{"description":"not given"}],
				"system":[{"type":"text","text":"sys"}],
				"messages":[
					{"role":"user","content":"first"},
					{"role":"assistant","content":[{"type":"text","text":"said"},{"type":"tool_use","id":"1","name":"Skill","input":{"skill":"x"}}]},
					{"role":"user","content":[
						{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"result"}]},
						{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQID"}},
						{"type":"document","title":"doc","source":{"type":"text","media_type":"text/plain","data":"inside"}},
						{"type":"text","text":"last"}]}]}`,
			texts: []Text{{"system", "sys"}, {"user", "first"}, {"assistant", "said"}, {"assistant", `{"skill":"x"}`},
				{"tool", "result"}, {"user", "doc"}, {"user", "inside"}, {"user", "last"}},
			fresh:  []Text{{"tool", "result"}, {"user", "doc"}, {"user", "inside"}, {"user", "last"}},
			images: []string{"\x01\x02\x03"},
		},
		{
			name: "responses: instructions, items, tool output, image",
			path: "/v1/responses",
			body: `{"model":"m","tools":[{}],"instructions":"sys",
				"input":[
					{"type":"message","role":"developer","content":[{"type":"input_text","text":"dev"}]},
					{"type":"message","role":"assistant","content":[{"type":"output_text","text":"said"}]},
					{"type":"reasoning","encrypted_content":"zzz"},
					{"type":"function_call","name":"f","arguments":"{\"a\":1}"},
					{"type":"function_call_output","output":"out"},
					{"type":"function_call_output","output":[{"type":"input_text","text":"part"}]},
					{"type":"message","role":"user","content":[{"type":"input_text","text":"ask"},{"type":"input_image","image_url":"data:image/png;base64,AQID"}]}]}`,
			texts: []Text{{"system", "sys"}, {"developer", "dev"}, {"assistant", "said"}, {"assistant", `"{\"a\":1}"`},
				{"tool", "out"}, {"tool", "part"}, {"user", "ask"}},
			fresh:  []Text{{"tool", "out"}, {"tool", "part"}, {"user", "ask"}},
			images: []string{"\x01\x02\x03"},
		},
		{
			name: "responses: input is a text", path: "/v1/responses", body: `{"input":"just this"}`,
			texts: []Text{{"user", "just this"}}, fresh: []Text{{"user", "just this"}},
		},
		{name: "not JSON", path: "/v1/messages", body: `{"messages":`},
		{
			name: "fields of other types are passed over", path: "/v1/messages",
			body:  `{"messages":[7,null,{"role":"user","content":[{"type":"text","text":5},{"type":"text","text":"kept"}]}]}`,
			texts: []Text{{"user", "kept"}}, fresh: []Text{{"user", "kept"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := parsed(tt.path, tt.body)
			if diff := cmp.Diff(tt.texts, r.Texts()); diff != "" {
				t.Errorf("Texts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.fresh, r.New()); diff != "" {
				t.Errorf("New (-want +got):\n%s", diff)
			}
			var images []string
			for _, b := range r.Images() {
				images = append(images, string(b))
			}
			if diff := cmp.Diff(tt.images, images); diff != "" {
				t.Errorf("Images (-want +got):\n%s", diff)
			}
			if string(r.Body) != tt.body {
				t.Error("the body was not kept as it came")
			}
		})
	}
}

func TestKinds(t *testing.T) {
	turn := `{"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"SAY"}]}`
	tests := []struct {
		name, body string
		want       Kind
	}{
		{"a step offers tools", turn, Turn},
		{"a title is asked for without tools", `{"messages":[{"role":"user","content":"title?"}]}`, Side},
		{"a suggestion offers tools", strings.Replace(turn, "SAY", "[SUGGESTION MODE: what next?]", 1), Side},
		{"a user who writes the same in the middle", strings.Replace(turn, "SAY", "what is [SUGGESTION MODE: ?", 1), Turn},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := parsed("/v1/messages", tt.body).Kind; got != tt.want {
				t.Errorf("Kind = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestCount(t *testing.T) {
	r := parsed("/v1/messages", `{"tools":[{}],"system":"MARK","messages":[
		{"role":"user","content":"MARK"},{"role":"assistant","content":"MARK"},
		{"role":"user","content":[{"type":"text","text":"MARK and MARK"}]}]}`)
	if got := r.Count("MARK"); got != 5 {
		t.Errorf("Count = %d, want 5", got)
	}
	if got := r.CountNew("MARK"); got != 2 {
		t.Errorf("CountNew = %d, want 2", got)
	}
}

func FuzzRequest(f *testing.F) {
	f.Add("/v1/messages", `{"messages":[{"role":"user","content":[{"type":"image","source":{"data":"!"}}]}]}`)
	f.Add("/v1/responses", `{"input":[{"type":"message","content":{"content":{"content":"deep"}}}]}`)
	f.Fuzz(func(t *testing.T, path, body string) {
		r := newRequest(&http.Request{Method: http.MethodPost, URL: &url.URL{Path: path}}, []byte(body))
		if r.CountNew("x") > r.Count("x") {
			t.Error("more new than all")
		}
	})
}
