// SPDX-License-Identifier: Apache-2.0

package acp_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillgraft/skillgraft/acp"
)

func TestReadCommands_ACP_A9(t *testing.T) {
	for _, tt := range []struct {
		name, entry string
		want        acp.AvailableCommand // nil: dropped
	}{
		{"command", `{"type":"command","name":"web","description":"d"}`, &acp.Command{Name: "web", Description: "d"}},
		{"command with input", `{"type":"command","name":"web","description":"d","input":{"type":"text","hint":"q"}}`,
			&acp.Command{Name: "web", Description: "d", Input: &acp.CommandInput{Type: "text", Hint: "q"}}},
		{"input of an unknown type", `{"type":"command","name":"web","description":"d","input":{"type":"form","fields":[1]}}`,
			&acp.Command{Name: "web", Description: "d", Input: &acp.CommandInput{Type: "form", Extra: []acp.Member{{Name: "fields", Value: []byte("[1]")}}}}},
		{"bad input", `{"type":"command","name":"web","description":"d","input":7}`, &acp.Command{Name: "web", Description: "d"}},
		{"null input", `{"type":"command","name":"web","description":"d","input":null}`, &acp.Command{Name: "web", Description: "d"}},
		{"skill", `{"type":"skill","name":"pdf","description":"d","path":"/s/SKILL.md"}`, &acp.Skill{Name: "pdf", Description: "d", Path: "/s/SKILL.md"}},
		{"skill without a path", `{"type":"skill","name":"pdf","description":"d"}`, &acp.Skill{Name: "pdf", Description: "d"}},
		{"null path", `{"type":"skill","name":"pdf","description":"d","path":null}`, &acp.Skill{Name: "pdf", Description: "d"}},
		{"path of a wrong type", `{"type":"skill","name":"pdf","description":"d","path":{"a":1}}`, &acp.Skill{Name: "pdf", Description: "d"}},
		{"relative path", `{"type":"skill","name":"pdf","description":"d","path":"s/SKILL.md"}`, &acp.Skill{Name: "pdf", Description: "d"}},
		{"empty path", `{"type":"skill","name":"pdf","description":"d","path":""}`, &acp.Skill{Name: "pdf", Description: "d"}},
		{"path with NUL", `{"type":"skill","name":"pdf","description":"d","path":"/a\u0000"}`, &acp.Skill{Name: "pdf", Description: "d"}},
		{"path of Windows", `{"type":"skill","name":"pdf","description":"d","path":"C:\\s\\SKILL.md"}`, &acp.Skill{Name: "pdf", Description: "d", Path: `C:\s\SKILL.md`}},
		{"_meta", `{"type":"skill","name":"pdf","description":"d","_meta":{"a":1}}`, &acp.Skill{Name: "pdf", Description: "d", Meta: []byte(`{"a":1}`)}},
		{"_meta of a wrong type", `{"type":"skill","name":"pdf","description":"d","_meta":[1]}`, &acp.Skill{Name: "pdf", Description: "d"}},
		{"null _meta", `{"type":"skill","name":"pdf","description":"d","_meta":null}`, &acp.Skill{Name: "pdf", Description: "d"}},
		{"unknown field", `{"type":"skill","name":"pdf","description":"d","source":"user"}`,
			&acp.Skill{Name: "pdf", Description: "d", Extra: []acp.Member{{Name: "source", Value: []byte(`"user"`)}}}},
		{"unknown type", `{"type":"macro","name":"m","steps":[1,2]}`, &acp.UnknownCommand{Type: "macro", Name: "m", Raw: []byte(`{"type":"macro","name":"m","steps":[1,2]}`)}},
		{"unknown type without a name", `{"type":"macro"}`, &acp.UnknownCommand{Type: "macro", Raw: []byte(`{"type":"macro"}`)}},
		{"type in another case", `{"type":"Skill","name":"m"}`, &acp.UnknownCommand{Type: "Skill", Name: "m", Raw: []byte(`{"type":"Skill","name":"m"}`)}},
		{"skill without a name", `{"type":"skill","description":"d"}`, nil},
		{"skill with an empty name", `{"type":"skill","name":"","description":"d"}`, nil},
		{"name of a wrong type", `{"type":"skill","name":7,"description":"d"}`, nil},
		{"skill without a description", `{"type":"skill","name":"pdf"}`, nil},
		{"null description", `{"type":"skill","name":"pdf","description":null}`, nil},
		{"blank description", `{"type":"skill","name":"pdf","description":" "}`, nil},
		{"command without a description", `{"type":"command","name":"web"}`, nil},
		{"no type", `{"name":"pdf","description":"d"}`, nil},
		{"type of a wrong type", `{"type":1,"name":"pdf","description":"d"}`, nil},
		{"null", `null`, nil},
		{"string", `"skill"`, nil},
		{"name twice", `{"type":"skill","name":"a","name":"b","description":"d"}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// It stands between two good ones, which it must not cost.
			in := `[{"type":"command","name":"before","description":"d"},` + tt.entry + `,{"type":"skill","name":"after","description":"d"}]`
			want := []acp.AvailableCommand{&acp.Command{Name: "before", Description: "d"}}
			dropped := 1
			if tt.want != nil {
				want, dropped = append(want, tt.want), 0
			}
			want = append(want, &acp.Skill{Name: "after", Description: "d"})
			got, bad, err := acp.ReadCommands([]byte(in))
			if err != nil || len(bad) != dropped {
				t.Fatalf("dropped %v, error %v", bad, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
			if dropped == 1 && !strings.HasPrefix(bad[0].Error(), "[1]") {
				t.Errorf("the error does not say which entry: %v", bad[0])
			}
		})
	}
}

func TestReadCommandsWhole_ACP_U4(t *testing.T) {
	for _, bad := range []string{`null`, `{}`, `7`, ``, `[`, `[{"type":"skill"}`} {
		if _, _, err := acp.ReadCommands([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	// In a setup response null, a wrong type and nothing are no list, and []
	// is a list that is empty.
	for in, want := range map[string]string{
		`{"sessionId":"s"}`:                                         "none",
		`{"sessionId":"s","availableCommands":null}`:                "none",
		`{"sessionId":"s","availableCommands":{}}`:                  "none",
		`{"sessionId":"s","availableCommands":[]}`:                  "empty",
		`{"sessionId":"s","availableCommands":[{"type":"skill"}]}`:  "empty",
		`{"sessionId":"s","availableCommands":[{"type":"x"},null]}`: "one",
	} {
		var r acp.NewSessionResponse
		if err := r.UnmarshalJSON([]byte(in)); err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		got := map[int]string{0: "empty", 1: "one"}[len(r.AvailableCommands)]
		if r.AvailableCommands == nil {
			got = "none"
		}
		if got != want {
			t.Errorf("%s: got %s", in, got)
		}
	}
	// In the update the list is required.
	for _, bad := range []string{`{"sessionUpdate":"available_commands_update"}`, `{"sessionUpdate":"available_commands_update","availableCommands":null}`, `{"sessionUpdate":"available_commands_update","availableCommands":{}}`} {
		if _, err := acp.ReadSessionUpdate([]byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func TestCheckCommands(t *testing.T) {
	skills := acp.SkillSupport{Skill: true}
	for _, tt := range []struct {
		name    string
		support acp.SkillSupport
		rule    string // empty: fine
		list    []acp.AvailableCommand
	}{
		{"fine", skills, "", []acp.AvailableCommand{&acp.Skill{Name: "user:tdd", Description: "d", Path: "/a/SKILL.md"}, &acp.Command{Name: "tdd", Description: "d"}}},
		{"nothing", acp.SkillSupport{}, "", nil},
		{"commands only", acp.SkillSupport{}, "", []acp.AvailableCommand{&acp.Command{Name: "a", Description: "d"}}},
		{"not advertised", acp.SkillSupport{}, "ACP-C3", []acp.AvailableCommand{&acp.Skill{Name: "a", Description: "d"}}},
		{"skill and command of one name", skills, "ACP-A4", []acp.AvailableCommand{&acp.Skill{Name: "a", Description: "d"}, &acp.Command{Name: "a", Description: "d"}}},
		{"white space", skills, "ACP-A4", []acp.AvailableCommand{&acp.Skill{Name: "a\u00a0b", Description: "d"}}},
		{"no name", skills, "ACP-A4", []acp.AvailableCommand{&acp.Command{Description: "d"}}},
		{"no description", skills, "ACP-A3", []acp.AvailableCommand{&acp.Skill{Name: "a", Description: "\n"}}},
		{"relative path", skills, "ACP-A3", []acp.AvailableCommand{&acp.Skill{Name: "a", Description: "d", Path: "./SKILL.md"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := acp.CheckCommands(tt.list, tt.support)
			if tt.rule == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if re, ok := err.(*acp.RuleError); !ok || re.Rule != tt.rule {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestForClient_ACP_A1_A2(t *testing.T) {
	list := []acp.AvailableCommand{
		&acp.Command{Name: "web", Description: "w"},
		&acp.Skill{Name: "pdf", Description: "p", Path: "/s/SKILL.md", Meta: []byte(`{"a":1}`)},
		&acp.UnknownCommand{Type: "x", Raw: []byte(`{"type":"x"}`)},
	}
	if diff := cmp.Diff(list, acp.ForClient(list, acp.SkillClient())); diff != "" {
		t.Error(diff)
	}
	for _, c := range []*acp.ClientCapabilities{nil, {}, {Session: &acp.ClientSessionCapabilities{}}} {
		out, err := acp.EncodeCommands(acp.ForClient(list, c))
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, string(out), `[{"type":"command","name":"web","description":"w"},{"type":"command","name":"pdf","description":"p","_meta":{"a":1}},{"type":"x"}]`)
	}
	if _, ok := list[1].(*acp.Skill); !ok {
		t.Error("the agent's own list was changed")
	}
}
