// SPDX-License-Identifier: Apache-2.0

package client

import (
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/acp"
)

func chunk(id, text string) acp.SessionUpdate {
	return &acp.AgentMessageChunk{MessageID: id, Content: acp.TextBlock(text)}
}

func whole(id string, texts ...string) acp.SessionUpdate {
	content := []acp.ContentBlock{}
	for _, text := range texts {
		content = append(content, acp.TextBlock(text))
	}
	return &acp.AgentMessage{MessageID: id, Content: acp.Set(content)}
}

func TestPrinterShowsEachMessageOnce(t *testing.T) {
	for _, tc := range []struct {
		name    string
		updates []acp.SessionUpdate
		want    string
	}{
		{"chunks", []acp.SessionUpdate{chunk("m", "a"), chunk("m", "b")}, "ab\n"},
		{"whole", []acp.SessionUpdate{whole("m", "a", "b")}, "ab\n"},
		{"whole after its chunks", []acp.SessionUpdate{chunk("m", "a"), chunk("m", "b"), whole("m", "ab")}, "ab\n"},
		{"whole that goes on", []acp.SessionUpdate{chunk("m", "a"), whole("m", "ab")}, "ab\n"},
		{"chunk behind a whole", []acp.SessionUpdate{whole("m", "a"), chunk("m", "b")}, "ab\n"},
		{"whole without content", []acp.SessionUpdate{chunk("m", "a"), &acp.AgentMessage{MessageID: "m"}}, "a\n"},
		{"changed", []acp.SessionUpdate{chunk("m", "a"), whole("m", "b")}, "a\nb\n"},
		{"two messages", []acp.SessionUpdate{chunk("m", "a"), chunk("n", "b")}, "a\nb\n"},
		{"ends its own line", []acp.SessionUpdate{chunk("m", "a\n"), chunk("n", "b\n")}, "a\nb\n"},
		{"nothing", nil, ""},
		{"not the user's and not thoughts", []acp.SessionUpdate{
			&acp.UserMessageChunk{MessageID: "u", Content: acp.TextBlock("u")},
			&acp.AgentThoughtChunk{MessageID: "t", Content: acp.TextBlock("t")},
		}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out, notes strings.Builder
			p := NewPrinter(PrinterOptions{Out: &out, Err: &notes})
			for _, u := range tc.updates {
				p.Update(u)
			}
			p.End()
			if out.String() != tc.want || notes.String() != "" {
				t.Errorf("got %q and %q, not %q", out.String(), notes.String(), tc.want)
			}
		})
	}
}

func TestPrinterToolCalls(t *testing.T) {
	var out, notes strings.Builder
	p := NewPrinter(PrinterOptions{Out: &out, Err: &notes})
	p.Update(chunk("m", "a"))
	p.Update(&acp.ToolCallUpdate{ToolCallID: "t", Title: acp.Set("Run\x1b[2J it"), Kind: acp.Set("execute")})
	p.Update(&acp.ToolCallUpdate{ToolCallID: "t", Status: acp.Set("in_progress")})
	p.Update(&acp.ToolCallUpdate{ToolCallID: "t", Status: acp.Set("failed")})
	p.Update(&acp.ToolCallUpdate{ToolCallID: "t", Status: acp.Set("failed")})
	p.Update(chunk("m", "b"))
	p.End()
	if got := out.String(); got != "a\nb\n" {
		t.Errorf("the answer: %q", got)
	}
	if got, want := notes.String(), "tool: Run[2J it [execute]\ntool: Run[2J it [execute]: failed\n"; got != want {
		t.Errorf("got %q, not %q", got, want)
	}
}

func TestCleanKeepsLinesAndTakesControl(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb\nc":                     "a\tb\nc",
		"\x1b[31mred\x1b[0m\r":        "[31mred[0m",
		"x\u009b2Jy\u007fz":           "x2Jyz",
		"\u202eevil\u2069":            "evil",
		"grüße 👩‍💻 日本":                "grüße 👩‍💻 日本",
		"tag\U000E0041ged\u200eleft":  "taggedleft",
		"\x00\x07\x08bell and back":   "bell and back",
		"\x1b]8;;http://x\x1b\\link":  "]8;;http://x\\link",
		"   indented\n\n\tand spaced": "   indented\n\n\tand spaced",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) is %q, not %q", in, got, want)
		}
	}
	var out strings.Builder
	p := NewPrinter(PrinterOptions{Out: &out, Err: &out, Clean: true})
	p.Update(chunk("m", "\x1b[2Ja"))
	p.Update(chunk("m", "b"))
	p.End()
	if got := out.String(); got != "[2Jab\n" {
		t.Errorf("a terminal gets %q", got)
	}
}
