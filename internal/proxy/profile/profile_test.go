// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

func TestFor(t *testing.T) {
	for _, tt := range []struct {
		info    string
		command []string
		want    string
	}{
		{"@agentclientprotocol/claude-agent-acp", nil, "claude"},
		{"@agentclientprotocol/codex-acp", []string{"claude-agent-acp"}, "codex"}, // what it says of itself counts
		{"", []string{"claude-agent-acp"}, "claude"},
		{"", []string{"npx", "@agentclientprotocol/claude-agent-acp@0.101.0"}, "claude"},
		{"", []string{"node", "/x/claude-agent-acp/dist/index.js"}, "claude"},
		{"", []string{"node", `C:\x\codex-acp\dist\index.js`}, windowsOnly("codex")},
		{"", []string{"/usr/local/bin/codex-acp", "--flag"}, "codex"},
		{"", []string{"codex-acp.exe"}, "codex"},
		{"Other Agent", []string{"codex-acp"}, "codex"}, // an unknown name says nothing
		{"", []string{"codex-acp-fork"}, "generic"},
		{"", []string{"my-claude-agent-acp"}, "generic"},
		{"codex", []string{"codex"}, "generic"},
		{"", nil, "generic"},
	} {
		if got := profile.For(profile.Known(), tt.info, tt.command); got == nil || got.Name != tt.want {
			t.Errorf("For(%q, %q) = %v, want %s", tt.info, tt.command, got, tt.want)
		}
	}
}

// windowsOnly is the profile where a backslash parts directories.
func windowsOnly(name string) string {
	if filepath.Separator == '\\' {
		return name
	}
	return "generic"
}

func TestByName(t *testing.T) {
	for _, p := range profile.Known() {
		if got := profile.ByName(profile.Known(), p.Name); got == nil || got.Name != p.Name || p.Title == "" {
			t.Errorf("ByName(%q) = %v", p.Name, got)
		}
	}
	if profile.ByName(profile.Known(), "nobody") != nil || profile.ByName(profile.Known(), "") != nil {
		t.Error("a profile of a name that none has")
	}
}

func block(s string) []byte { return profile.TextBlock(s) }

func TestSlash(t *testing.T) {
	skill := []byte(`{"type":"skill","name":"n"}`)
	use := profile.Use{Block: 0, Name: "n"}
	for _, tt := range []struct {
		name   string
		blocks [][]byte
		uses   []profile.Use
		others int
		want   string // empty: it does not hold
	}{
		{"alone", [][]byte{skill}, []profile.Use{use}, 0, `{"type":"text","text":"/n"}`},
		{"with text", [][]byte{skill, block("go")}, []profile.Use{use}, 0, `{"type":"text","text":"/n go"}`},
		{"with a space of its own", [][]byte{skill, block(" go")}, []profile.Use{use}, 0, `{"type":"text","text":"/n go"}`},
		{"with a line break", [][]byte{skill, block("\ngo")}, []profile.Use{use}, 0, `{"type":"text","text":"/n\ngo"}`},
		{"with an empty text", [][]byte{skill, block("")}, []profile.Use{use}, 0, `{"type":"text","text":"/n"}`},
		{"null is nothing", [][]byte{skill, []byte(`{"text":"go","annotations":null,"type":"text"}`)}, []profile.Use{use}, 0, `{"type":"text","text":"/n go"}`},
		{"annotations would be lost", [][]byte{skill, []byte(`{"type":"text","text":"go","annotations":{}}`)}, []profile.Use{use}, 0, ""},
		{"an image", [][]byte{skill, []byte(`{"type":"image","data":"AA==","mimeType":"x/y"}`)}, []profile.Use{use}, 0, ""},
		{"an embedded resource", [][]byte{skill, []byte(`{"type":"resource","resource":{"uri":"a","text":"t"}}`)}, []profile.Use{use}, 0, ""},
		{"three blocks", [][]byte{skill, block("a"), block("b")}, []profile.Use{use}, 0, ""},
		{"not first", [][]byte{block("a"), skill}, []profile.Use{{Block: 1, Name: "n"}}, 0, ""},
		{"two of its own", [][]byte{skill, skill}, []profile.Use{use, {Block: 1, Name: "n"}}, 0, ""},
		{"another one's beside it", [][]byte{skill, skill}, []profile.Use{use}, 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, written := profile.Slash{Prefix: "/"}.Apply(tt.blocks, tt.uses, tt.others)
			if len(written) != len(tt.uses) || len(out) != len(tt.blocks) {
				t.Fatalf("got %d blocks and %v", len(out), written)
			}
			if tt.want == "" {
				if slices.Contains(written, true) || !slices.EqualFunc(out, tt.blocks, bytes.Equal) {
					t.Errorf("got %q", out)
				}
				return
			}
			if !written[0] || string(out[0]) != tt.want || len(out) == 2 && out[1] != nil {
				t.Errorf("got %q, want %s", out, tt.want)
			}
		})
	}
}

func TestSlashTriggers(t *testing.T) {
	for text, want := range map[string]bool{
		"/n": true, "/n go": true, " \n/n\tgo": true, "/n\ngo": true,
		"/no": false, "n": false, "see /n": false, "/usr/bin/n": false, "//n": false, "/": false, "": false,
	} {
		if got := (profile.Slash{Prefix: "/"}).Triggers(text, []string{"other", "n"}); got != want {
			t.Errorf("Triggers(%q) = %v", text, got)
		}
	}
}

func TestMention(t *testing.T) {
	f := profile.Mention{Sigil: "$"}
	blocks := [][]byte{block("a"), []byte(`1`), []byte(`2`), []byte(`3`)}
	out, written := f.Apply(blocks, []profile.Use{{Block: 1, Name: "n", Path: "/s/n/SKILL.md"}, {Block: 2, Name: "m"}, {Block: 3, Name: "p", Path: "/s (x)/SKILL.md"}}, 0)
	want := `[{"type":"text","text":"a"},{"type":"text","text":"[$n](/s/n/SKILL.md)"},{"type":"text","text":"$m"},3]`
	if got := string(rawjson.Array(out)); got != want || !slices.Equal(written, []bool{true, true, false}) {
		t.Errorf("got %s, %v", got, written)
	}
	if string(blocks[1]) != "1" {
		t.Error("the caller's blocks were changed")
	}
	for text, want := range map[string]bool{"use $n": true, "x$n,": true, "$nn": true, "$": false, "n": false, "$m": false} {
		if got := f.Triggers(text, []string{"n"}); got != want {
			t.Errorf("Triggers(%q) = %v", text, got)
		}
	}
}

func TestTextBlockIsJSONForAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		b := profile.TextBlock(s)
		if got, ok := rawjson.GetString(b, "text"); !ok || got != s || !rawjson.Valid(b) {
			t.Fatalf("TextBlock(%q) = %s", s, b)
		}
	})
}

func TestFoldersAllComeOnce(t *testing.T) {
	f := profile.Folders{Workspace: []string{"a", "b"}, Additional: []string{"a"}, User: []string{"c", "b"}}
	if got := f.All(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %q", got)
	}
}
