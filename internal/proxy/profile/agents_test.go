// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/internal/proxy/profile"
)

// What each agent was measured to do, one case an agent: how it is recognised, an entry of
// its list that is a skill and one that is none, a prompt in its own form and one in
// which that form does not hold.
func TestAgents(t *testing.T) {
	type entry struct {
		token, plain string
		marked       bool
	}
	for name, tt := range map[string]struct {
		info     []string
		commands [][]string
		entries  []entry
		reads    string
		form     string // of the skill n with the text "go" behind it; empty: there is none
		lines    bool   // also with a text of two lines
		typed    string // a text that the agent would run as the skill, if it has a form
	}{
		"claude": {
			info:     []string{"@agentclientprotocol/claude-agent-acp"},
			commands: [][]string{{"claude-agent-acp"}, {"npx", "-y", "@agentclientprotocol/claude-agent-acp@0.101.0"}, {"node", "/x/claude-agent-acp/dist/index.js"}},
			entries:  []entry{{`{"type":"command","name":"n","description":"d (project)"}`, "n", false}},
			reads:    ".claude/skills", form: "/n go", lines: true, typed: "/n",
		},
		"codex": {
			info:     []string{"@agentclientprotocol/codex-acp"},
			commands: [][]string{{"/usr/local/bin/codex-acp", "--flag"}, {"codex-acp.exe"}},
			entries:  []entry{{`{"name":"$n"}`, "n", true}, {`{"name":"review"}`, "review", false}, {`{"name":"$"}`, "$", false}, {`{"name":"$$x"}`, "$x", true}},
			reads:    ".agents/skills .codex/skills", form: "$n| go", lines: true, typed: "see $n.",
		},
		"gemini": {
			info:     []string{"gemini-cli"},
			commands: [][]string{{"gemini", "--acp"}, {"node", "/x/node_modules/@google/gemini-cli/bundle/gemini.js", "--acp"}, {"npx", "@google/gemini-cli@latest", "--acp"}},
			entries:  []entry{{`{"name":"memory show"}`, "memory show", false}},
			reads:    ".agents/skills .gemini/skills",
		},
		"qwen": {
			info:     []string{"qwen-code"},
			commands: [][]string{{"qwen", "--acp"}, {"npx", "@qwen-code/qwen-code", "--acp"}},
			entries: []entry{{`{"name":"n","input":{"hint":""},"_meta":{"source":"skill-dir-command"}}`, "n", true}, {`{"name":"n","_meta":{"source":"bundled-skill"}}`, "n", true},
				{`{"name":"init","_meta":{"source":"builtin-command"}}`, "init", false}, {`{"name":"n","_meta":null}`, "n", false}},
			reads: ".agents/skills .qwen/skills", form: "/n go", lines: true, typed: "/n",
		},
		"opencode": {
			info:     []string{"OpenCode"},
			commands: [][]string{{"opencode", "acp"}, {"/home/u/.opencode/bin/opencode", "acp"}, {"npx", "opencode-ai@1.18.33", "acp"}},
			entries:  []entry{{`{"name":"n","description":"d"}`, "n", false}},
			reads:    ".agents/skills .claude/skills .opencode/skills", form: "/n go", lines: true, typed: "/n",
		},
		"kimi": {
			info:     []string{"Kimi Code CLI"},
			commands: [][]string{{"kimi", "acp"}, {"node", "/x/@moonshot-ai/kimi-code/dist/main.mjs", "acp"}},
			entries:  []entry{{`{"name":"skill:n"}`, "n", true}, {`{"name":"sub-skill"}`, "sub-skill", false}, {`{"name":"skill:"}`, "skill:", false}},
			reads:    ".agents/skills .kimi-code/skills", form: "/skill:n go", typed: "/skill:n",
		},
		"pi": {
			info:     []string{"pi-acp"},
			commands: [][]string{{"pi-acp"}, {"npx", "pi-acp"}},
			entries:  []entry{{`{"name":"skill:n"}`, "n", true}, {`{"name":"compact"}`, "compact", false}},
			reads:    ".agents/skills .pi/skills", form: "/skill:n go", typed: "/skill:n",
		},
		"copilot": {
			info:     []string{"Copilot"},
			commands: [][]string{{"copilot", "--acp"}, {"node", "/x/@github/copilot/npm-loader.js", "--acp"}},
			entries:  []entry{{`{"name":"n","input":{"hint":"instructions for the skill"}}`, "n", true}, {`{"name":"n","input":{"hint":"a task"}}`, "n", false}},
			reads:    ".agents/skills .claude/skills .github/skills", form: "/n go", lines: true, typed: "/n",
		},
		"goose": {
			info:     []string{"goose"},
			commands: [][]string{{"goose", "acp"}},
			entries:  []entry{{`{"name":"n","_meta":{"commandType":"Skill","sourcePath":"/s/n/SKILL.md"}}`, "n", true}, {`{"name":"n","_meta":{"commandType":"Builtin"}}`, "n", false}},
			reads:    ".agents/skills .goose/skills .claude/skills",
		},
		"vibe": {
			info:     []string{"@mistralai/mistral-vibe"},
			commands: [][]string{{"vibe-acp"}, {"uvx", "--from", "/x/mistral-vibe/src", "y"}},
			entries:  []entry{{`{"name":"n"}`, "n", false}},
			reads:    ".agents/skills .vibe/skills",
		},
		"generic": {
			info: []string{"nobody knows it"},
			commands: [][]string{nil, {"codex-acp-fork"}, {"my-claude-agent-acp"}, {"agent", "--model", "gemini"}, {"node", "x.js"}, {"env", "A=kimi", "other"},
				{"/home/copilot/bin/agent"}, {"/home/goose/vibe/run"}, {"npx", "-y"}},
			entries: []entry{{`{"name":"$n"}`, "$n", false}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := profile.ByName(profile.Known(), name)
			if p == nil {
				t.Fatal("there is no such profile")
			}
			for _, info := range tt.info {
				if got := profile.For(profile.Known(), info, []string{"something-else"}); got != p {
					t.Errorf("%q is taken for %s", info, got.Name)
				}
			}
			for _, command := range tt.commands {
				if got := profile.For(profile.Known(), "", command); got != p {
					t.Errorf("%q is taken for %s", command, got.Name)
				}
			}
			for _, e := range tt.entries {
				_, rest, _ := strings.Cut(e.token, `"name":"`)
				listed, _, _ := strings.Cut(rest, `"`)
				if got := p.Mark.Read([]byte(e.token), listed); got.Plain != e.plain || got.Marked != e.marked {
					t.Errorf("%s is read as %+v", e.token, got)
				}
			}
			if got := strings.Join(p.Reads.Workspace, " "); got != tt.reads {
				t.Errorf("reads %q", got)
			}
			if (p.Form != nil) != (tt.form != "") {
				t.Fatalf("the form is %v", p.Form)
			}
			if p.Form == nil {
				return
			}
			apply := func(text string) string {
				out, written := p.Form.Apply([][]byte{[]byte(`{"type":"skill","name":"n"}`), block(text)}, []profile.Use{{Name: "n"}}, 0)
				if !written[0] {
					return ""
				}
				var texts []string
				for _, b := range out {
					if b != nil {
						texts = append(texts, textOf(t, b))
					}
				}
				return strings.Join(texts, "|")
			}
			if got := apply(" go"); got != tt.form {
				t.Errorf("the form is %q", got)
			}
			if got := apply(" go\non"); (got != "") != tt.lines {
				t.Errorf("two lines are %q", got)
			}
			listed := p.Mark.Prefix + "n"
			if !p.Form.Triggers(tt.typed, []string{listed}) || p.Form.Triggers("say it", []string{listed}) {
				t.Errorf("what triggers is wrong for %q", tt.typed)
			}
		})
	}
	if n := len(profile.Known()); n != 11 || profile.Known()[n-1] != profile.Generic() {
		t.Errorf("%d profiles are known", n)
	}
}

// Goose says where a skill lies.
func TestMarkReadsThePath(t *testing.T) {
	got := profile.ByName(profile.Known(), "goose").Mark.Read([]byte(`{"name":"n","_meta":{"commandType":"Skill","sourcePath":"/s/n/SKILL.md"}}`), "n")
	if got.Path != "/s/n/SKILL.md" {
		t.Errorf("got %+v", got)
	}
}

// Every built-in file is read, and none beside.
func TestEveryFileIsKnown(t *testing.T) {
	files, err := filepath.Glob("agents/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if p := profile.ByName(profile.Known(), name); p == nil || p.Source == "" {
			t.Errorf("%s is not among the known ones, or does not say where it is from", file)
		}
	}
	if len(files) != len(profile.Known()) {
		t.Errorf("%d files", len(files))
	}
}

func TestWith(t *testing.T) {
	mine := &profile.Profile{Name: "kimi", Title: "Mine", Recognise: profile.Recognise{Info: []string{"goose"}}}
	all := profile.With([]*profile.Profile{mine}, profile.Known())
	if len(all) != len(profile.Known()) || profile.ByName(all, "kimi") != mine || profile.For(all, "goose", nil) != mine || profile.For(all, "Copilot", nil).Name != "copilot" {
		t.Error("one of the user's does not come first")
	}
	if slices.Contains(profile.Known(), mine) {
		t.Error("the built-in ones were changed")
	}
}

func TestTheExampleIsRight(t *testing.T) {
	p, err := profile.ReadFile("../../../examples/profiles/my-agent.yaml")
	if err != nil || p.Name != "my-agent" || p.Mark.Prefix != "skill:" || p.Form != (profile.Slash{Prefix: "/skill:"}) {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestReadFileLimits(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte(strings.Repeat("# comment\n", profile.MaxFile/8)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{large, dir, filepath.Join(dir, "none.yaml")} {
		if _, err := profile.ReadFile(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
