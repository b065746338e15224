// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sdkRig is a workspace with a home, for tests of the official SDK.
type sdkRig struct {
	t      *testing.T
	ws     workspace
	env    []string
	record string // what the SDK's agent was handed
}

func newSDKRig(t *testing.T) sdkRig {
	r := sdkRig{t, newWorkspace(t), baseEnv(t.TempDir()), filepath.Join(t.TempDir(), "handed.jsonl")}
	native := filepath.Join(r.ws.dir, "native", "SKILL.md") // outside every root: only the agent knows it
	if err := os.MkdirAll(filepath.Dir(native), 0o755); err != nil {
		t.Fatal(err)
	}
	body := "---\nname: native\ndescription: The agent's own. Use when asked.\n---\nBODY-native\n"
	if err := os.WriteFile(native, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
	return r
}

func sdkFile(t *testing.T, name string) string {
	t.Helper()
	modules(t) // the scripts import the SDK from beside them
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(wd, "sdk", name)
}

// agent is the SDK's agent behind skillgraft.
func (r sdkRig) agent(mode ...string) []string {
	argv := []string{skillgraft(r.t), "run", "--", node(r.t), sdkFile(r.t, "agent.mjs"), r.record}
	return append(argv, mode...)
}

// handed returns the prompts that the SDK's agent was handed.
func (r sdkRig) handed() [][]map[string]any {
	r.t.Helper()
	data, err := os.ReadFile(r.record)
	if err != nil {
		r.t.Fatal(err)
	}
	var all [][]map[string]any
	for line := range bytes.Lines(data) {
		var v struct {
			Prompt []map[string]any `json:"prompt"`
		}
		if err := json.Unmarshal(line, &v); err != nil {
			r.t.Fatal(err)
		}
		all = append(all, v.Prompt)
	}
	return all
}

// told is what the SDK's client was told, see sdk/client.mjs.
type told struct {
	Typed struct {
		Session struct {
			SessionID string    `json:"sessionId"`
			Commands  []command `json:"availableCommands"`
		} `json:"session"`
		Prompt struct {
			MessageID string `json:"messageId"`
		} `json:"prompt"`
		Live    []json.RawMessage `json:"live"`
		Refused *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"refused"`
		Replay []json.RawMessage `json:"replay"`
	} `json:"typed"`
	Raw []string `json:"raw"`
}

// client runs the SDK's client against an agent with one prompt.
func (r sdkRig) client(prompt []any, agent ...string) told {
	r.t.Helper()
	argv := append([]string{sdkFile(r.t, "client.mjs"), r.ws.dir, string(raw(r.t, prompt)), "--"}, agent...)
	cmd := exec.CommandContext(r.t.Context(), node(r.t), argv...)
	cmd.Env, cmd.WaitDelay = r.env, deadline
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("the SDK's client: %v\n%s", err, &stderr)
	}
	var v told
	if err := json.Unmarshal(out, &v); err != nil {
		r.t.Fatalf("the SDK's client printed %.300s: %v", out, err)
	}
	return v
}

// check looks at what holds for every agent with skills, seen through the SDK.
func (r sdkRig) check(v told, sent []any, skills ...string) {
	r.t.Helper()
	list := byName(r.t, v.Typed.Session.Commands)
	for _, name := range skills {
		if list[name].Type != "skill" {
			r.t.Errorf("the SDK's client sees %s as %+v", name, list[name])
		}
	}
	if !strings.Contains(v.Raw[0], `"inline":{`) {
		r.t.Errorf("inline is not advertised: %s", v.Raw[0])
	}
	if f := v.Typed.Refused; f == nil || f.Code != -32602 {
		r.t.Errorf("an unknown name was not refused through the SDK: %+v", f)
	}
	for name, updates := range map[string][]json.RawMessage{"live": v.Typed.Live, "replay": v.Typed.Replay} {
		var frames []frame
		for _, u := range updates {
			params := raw(r.t, map[string]any{"sessionId": "s", "update": u})
			frames = append(frames, frame{FromAgent: true, Method: "session/update", Params: params, Raw: string(u)})
		}
		ms := userMessages(r.t, frames, "s")
		if len(ms) != 1 {
			r.t.Errorf("%s: %d user messages, want 1", name, len(ms))
			continue
		}
		shows(r.t, frames, "s", v.Typed.Prompt.MessageID, sent...)
	}
}

// The SDK's client with our agent behind our proxy, which has nothing to add.
func TestSDKClientWithBuiltInAgent(t *testing.T) {
	r := newSDKRig(t)
	sent := []any{text("first "), skill("ag-one"), text(" then "), skill("cl-two")}
	v := r.client(sent, skillgraft(t), "run", "--", skillgraft(t), "agent")
	r.check(v, sent, "ag-one", "ag-two", "cl-one", "cl-two")
}

// The SDK on both sides. The agent knows nothing of skills and is handed text.
func TestSDKOnBothSides(t *testing.T) {
	r := newSDKRig(t)
	sent := []any{text("first "), skill("ag-one"), text(" then "), skill("cl-two"), image()}
	v := r.client(sent, r.agent()...)
	r.check(v, sent, "ag-one", "ag-two", "cl-one", "cl-two")
	for _, u := range append(v.Typed.Live, v.Typed.Replay...) {
		if strings.Contains(string(u), "BODY-") {
			t.Errorf("a skill's text came back: %.300s", u)
		}
	}
	handed := r.handed()
	if len(handed) != 1 {
		t.Fatalf("the agent was handed %d prompts, want 1", len(handed))
	}
	all := string(raw(t, handed[0]))
	for marker, want := range map[string]int{
		"BODY-ag-one-agents": 1, "BODY-cl-two-claude": 1, `"type":"skill"`: 0, `"type":"image"`: 1,
		filepath.Dir(skillFile(r.ws.dir, ".agents", "ag-one")): -1, // the absolute directory, at least once (ACT-3)
	} {
		if got := strings.Count(all, marker); got != want && (want >= 0 || got == 0) {
			t.Errorf("%q was handed over %d times, want %d", marker, got, want)
		}
	}
}

// An agent that speaks the RFD: with inline it gets the blocks as they are, without
// it one block in front and what else there is as text.
func TestSDKAgentWithSkills(t *testing.T) {
	tests := []struct {
		mode   string
		sent   []any
		blocks []int // where skill blocks stand in what the agent is handed
		bodies map[string]int
	}{
		{"inline", []any{text("a "), skill("native"), text(" b "), skill("native")}, []int{1, 3}, map[string]int{"BODY-native": 0}},
		{"first", []any{skill("native"), text(" b")}, []int{0}, map[string]int{"BODY-native": 0}},
		{"first", []any{text("a "), skill("native"), text(" b")}, []int{0}, nil},
		{"first", []any{skill("native"), text(" b "), skill("ag-one")}, []int{0}, map[string]int{"BODY-native": 0, "BODY-ag-one-agents": 1}},
		{"first", []any{text("a "), skill("ag-one"), skill("native")}, []int{0}, map[string]int{"BODY-native": 0, "BODY-ag-one-agents": 1}},
		{"first", []any{skill("native"), text(" b "), skill("native")}, []int{0}, nil},
		{"inline", []any{text("a "), skill("ag-one"), skill("native")}, nil, map[string]int{"BODY-ag-one-agents": 1, "BODY-native": 0}},
	}
	for _, tt := range tests {
		t.Run(tt.mode+" "+string(raw(t, tt.sent)), func(t *testing.T) {
			r := newSDKRig(t)
			r.check(r.client(tt.sent, r.agent(tt.mode)...), tt.sent, "native", "ag-one")
			handed := r.handed()
			if len(handed) != 1 {
				t.Fatalf("the agent was handed %d prompts, want 1", len(handed))
			}
			if tt.blocks != nil {
				var at []int
				for i, b := range handed[0] {
					if b["type"] == "skill" {
						at = append(at, i)
					}
				}
				if string(raw(t, at)) != string(raw(t, tt.blocks)) {
					t.Errorf("skill blocks stand at %v, want %v: %s", at, tt.blocks, raw(t, handed[0]))
				}
			}
			for marker, want := range tt.bodies {
				if got := strings.Count(string(raw(t, handed[0])), marker); got != want {
					t.Errorf("%q was handed over %d times, want %d: %s", marker, got, want, raw(t, handed[0]))
				}
			}
		})
	}
}
