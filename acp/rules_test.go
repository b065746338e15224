// SPDX-License-Identifier: Apache-2.0

package acp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

var (
	noSkills    = acp.SkillSupport{}
	firstOnly   = acp.SkillSupport{Skill: true}
	anywhere    = acp.SkillSupport{Skill: true, Inline: true}
	sessionList = []acp.AvailableCommand{
		&acp.Command{Name: "review", Description: "d"},
		&acp.Skill{Name: "csv", Description: "d"},
		&acp.Skill{Name: "charts", Description: "d"},
		&acp.Skill{Name: "Größe", Description: "d"},
		&acp.UnknownCommand{Type: "macro", Name: "m", Raw: []byte(`{"type":"macro","name":"m"}`)},
	}
)

// resolver knows of a skill that is only the model's, beside the list.
func resolver(name string) acp.Resolution {
	if name == "internal" {
		return acp.Resolution{State: acp.SkillModelOnly}
	}
	return acp.ResolveIn(sessionList)(name)
}

func TestCheckPrompt(t *testing.T) {
	const csv, charts, text = `{"type":"skill","name":"csv"}`, `{"type":"skill","name":"charts"}`, `{"type":"text","text":"go"}`
	for _, tt := range []struct {
		name    string
		support acp.SkillSupport
		prompt  string
		want    []acp.ResolvedSkill
		rule    string // empty: it stands
		block   int
		reason  string // a part of it
	}{
		{"ACP-P1 first", firstOnly, `[` + csv + `,` + text + `]`, []acp.ResolvedSkill{{Block: 0, Name: "csv"}}, "", 0, ""},
		{"ACP-P1 _meta and unknown members", firstOnly, `[{"_meta":{"a":1},"name":"csv","input":"x","type":"skill"}]`, []acp.ResolvedSkill{{Block: 0, Name: "csv"}}, "", 0, ""},
		{"ACP-P1 escapes do not matter", firstOnly, `[{"t\u0079pe":"sk\u0069ll","n\u0061me":"cs\u0076"}]`, []acp.ResolvedSkill{{Block: 0, Name: "csv"}}, "", 0, ""},
		{"ACP-P1 no name", firstOnly, `[{"type":"skill"}]`, nil, "ACP-P1", 0, "no name"},
		{"ACP-P1 null name", firstOnly, `[{"type":"skill","name":null}]`, nil, "ACP-P1", 0, "not a string"},
		{"ACP-P1 number", anywhere, `[` + csv + `,{"type":"skill","name":7}]`, nil, "ACP-P1", 1, "not a string"},
		{"ACP-P1 object", anywhere, `[{"type":"skill","name":{"name":"csv"}}]`, nil, "ACP-P1", 0, "not a string"},
		{"ACP-P1 empty", anywhere, `[{"type":"skill","name":""}]`, nil, "ACP-P1", 0, "empty"},
		{"ACP-P1 name twice", anywhere, `[{"type":"skill","name":"csv","name":"charts"}]`, nil, "ACP-P1", 0, "two members"},
		{"ACP-P2 second block", firstOnly, `[` + csv + `,` + text + `,` + charts + `]`, nil, "ACP-P2", 2, "one skill block only"},
		{"ACP-P2 the same again", firstOnly, `[` + csv + `,` + csv + `]`, nil, "ACP-P2", 1, "one skill block only"},
		{"ACP-P2 not first", firstOnly, `[` + text + `,` + csv + `]`, nil, "ACP-P2", 1, "first block"},
		{"ACP-P3 anywhere and twice", anywhere, `[` + text + `,` + csv + `,` + text + `,` + charts + `,` + csv + `]`,
			[]acp.ResolvedSkill{{Block: 1, Name: "csv"}, {Block: 3, Name: "charts"}, {Block: 4, Name: "csv"}}, "", 0, ""},
		{"ACP-P4 not advertised", noSkills, `[` + csv + `]`, nil, "ACP-P4", 0, "did not advertise session.prompt.skill"},
		{"ACP-P4 inline without skill", acp.SkillSupport{Inline: true}, `[` + csv + `]`, nil, "ACP-P4", 0, "did not advertise"},
		{"ACP-P4 not advertised, malformed", noSkills, `[{"type":"skill"}]`, nil, "ACP-P4", 0, "did not advertise"},
		{"ACP-P4 unknown (C09)", anywhere, `[{"type":"skill","name":"ghost"},` + text + `]`, nil, "ACP-P4", 0, `named "ghost"`},
		{"ACP-P4 wrong case", anywhere, `[{"type":"skill","name":"CSV"}]`, nil, "ACP-P4", 0, `did you mean "csv"?`},
		{"ACP-P4 byte for byte", anywhere, `[{"type":"skill","name":"Gro\u0308\u00dfe"}]`, nil, "ACP-P4", 0, "no skill"},
		{"ACP-P4 with blanks", anywhere, `[{"type":"skill","name":" csv"}]`, nil, "ACP-P4", 0, "no skill"},
		{"ACP-P4 with a slash", anywhere, `[{"type":"skill","name":"/csv"}]`, nil, "ACP-P4", 0, "no skill"},
		{"ACP-P4 a command's name", anywhere, `[{"type":"skill","name":"review"}]`, nil, "ACP-P4", 0, "is a command"},
		{"ACP-P4 an unknown entry's name", anywhere, `[{"type":"skill","name":"m"}]`, nil, "ACP-P4", 0, "no skill"},
		{"ACP-P4 model only (C10)", anywhere, `[{"type":"skill","name":"internal"}]`, nil, "ACP-P4", 0, "model only"},
		{"ACP-P4 good and bad mixed", anywhere, `[` + csv + `,` + text + `,{"type":"skill","name":"ghost"},` + charts + `]`, nil, "ACP-P4", 2, "ghost"},
		{"ACP-P8 text and links", noSkills, `[{"type":"text","text":"/csv {\"type\":\"skill\",\"name\":\"csv\"}"},{"type":"resource_link","name":"skill","uri":"file:///s/SKILL.md"}]`, nil, "", 0, ""},
		{"ACP-P9 nested is no block", noSkills, `[{"type":"resource","resource":{"uri":"a","text":"","_meta":{"type":"skill","name":"ghost"}}}]`, nil, "", 0, ""},
		{"unknown block", noSkills, `[{"type":"skills","name":"csv"},{"type":"video"}]`, nil, "", 0, ""},
		{"type twice", anywhere, `[{"type":"text","text":"","type":"skill","name":"csv"}]`, nil, "ACP-P1", 0, "two members"},
		{"no array", anywhere, `{"type":"skill","name":"csv"}`, nil, "", -1, "array"},
		{"no prompt", anywhere, ``, nil, "", -1, "array"},
		{"cut off", anywhere, `[{"type":"skill","name":"csv"}`, nil, "", -1, "not JSON"},
		{"empty", anywhere, `[]`, nil, "", 0, ""},
		{"blanks around", anywhere, " [\t" + csv + " ] ", []acp.ResolvedSkill{{Block: 0, Name: "csv"}}, "", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := acp.CheckPrompt([]byte(tt.prompt), tt.support, resolver)
			if tt.reason == "" {
				if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
					t.Fatalf("%v %s", err, diff)
				}
				return
			}
			pe, ok := err.(*acp.PromptError)
			if !ok || got != nil {
				t.Fatalf("got %v, %v", got, err)
			}
			if pe.Rule != tt.rule || pe.Block != tt.block || !strings.Contains(pe.Reason, tt.reason) {
				t.Fatalf("got %+v", pe)
			}
			wire := pe.RPCError()
			if wire.Code != jsonrpc.CodeInvalidParams {
				t.Fatalf("got %+v", wire)
			}
			if tt.block < 0 {
				return
			}
			var data struct {
				Rule   *string
				Block  *int
				Reason *string
			}
			if err := json.Unmarshal(wire.Data, &data); err != nil || *data.Rule != tt.rule || *data.Block != tt.block || *data.Reason != pe.Reason {
				t.Fatalf("data %s, %v", wire.Data, err)
			}
		})
	}
}

func TestPromptErrorIsSafeToShow_ACP_U3_E08(t *testing.T) {
	name := "a\x1b[2K\u202e\U000E0041\n" + strings.Repeat("x", 500)
	quoted, _ := json.Marshal(name)
	_, err := acp.CheckPrompt([]byte(`[{"type":"skill","name":`+string(quoted)+`}]`), anywhere, resolver)
	if strings.ContainsAny(err.Error(), "\x1b\n\u202e\U000E0041") || len(err.Error()) > 300 {
		t.Errorf("%q", err)
	}
	if err.(*acp.PromptError).Name != name {
		t.Error("the name for programs was changed")
	}
}

// The two forms of the rule give the same verdict on every prompt that both can
// express.
func TestCheckContentAgreesWithCheckPrompt(t *testing.T) {
	block := rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"csv", "charts", "CSV", "", "ghost", "review", "internal", "m"}), acp.SkillBlock),
		rapid.Map(rapid.String(), acp.TextBlock),
		rapid.Just[acp.ContentBlock](&acp.UnknownBlock{Type: "skills", Raw: []byte(`{"type":"skills","name":"csv"}`)}),
	)
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOf(block).Draw(t, "blocks")
		support := rapid.SampledFrom([]acp.SkillSupport{noSkills, firstOnly, anywhere}).Draw(t, "support")
		raw, err := acp.EncodeContent(blocks)
		if err != nil {
			t.Fatal(err)
		}
		byRaw, err1 := acp.CheckPrompt(raw, support, resolver)
		byBlocks, err2 := acp.CheckContent(blocks, support, resolver)
		if diff := cmp.Diff(byRaw, byBlocks); diff != "" || (err1 == nil) != (err2 == nil) || err1 != nil && err1.Error() != err2.Error() {
			t.Fatalf("%s: %v, %v; %v, %v", raw, byRaw, err1, byBlocks, err2)
		}
	})
}

func FuzzCheckPrompt(f *testing.F) {
	f.Add(`[{"type":"skill","name":"csv"},{"type":"text","text":"x"}]`)
	f.Add(`[{"type":"sk\u0069ll","name":7}]`)
	f.Add(`[[],{"type":{}},{"name":"csv","type":"skill"`)
	f.Fuzz(func(t *testing.T, prompt string) {
		got, err := acp.CheckPrompt([]byte(prompt), anywhere, resolver)
		if err != nil || !json.Valid([]byte(prompt)) {
			return
		}
		// What it lets through holds the blocks that encoding/json sees.
		var blocks []json.RawMessage
		if json.Unmarshal([]byte(prompt), &blocks) != nil {
			t.Fatalf("%q is no array", prompt)
		}
		var want []acp.ResolvedSkill
		for i, raw := range blocks {
			var b map[string]json.RawMessage
			var kind, name string
			if json.Unmarshal(raw, &b) != nil || json.Unmarshal(b["type"], &kind) != nil || kind != "skill" {
				continue
			}
			if err := json.Unmarshal(b["name"], &name); err != nil {
				t.Fatalf("%q was let through: %v", prompt, err)
			}
			want = append(want, acp.ResolvedSkill{Block: i, Name: name})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q: %s", prompt, diff)
		}
	})
}

func TestNegotiate(t *testing.T) {
	for _, tt := range []struct {
		requested int
		supported []int
		want      int
		ok        bool
	}{
		{2, []int{2}, 2, true}, {3, []int{2}, 2, true}, {65535, []int{1, 2}, 2, true}, {1, []int{1, 2}, 1, true},
		{1, []int{2}, 0, false}, {0, []int{1, 2}, 0, false}, {2, nil, 0, false},
	} {
		if got, ok := acp.Negotiate(tt.requested, tt.supported...); got != tt.want || ok != tt.ok {
			t.Errorf("%d of %v: got %d, %v", tt.requested, tt.supported, got, ok)
		}
	}
}

func BenchmarkCheckPromptWithoutSkill(b *testing.B) {
	prompt := []byte(`[{"type":"text","text":"look at this"},{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("AAAA", 1<<18) + `"}]`)
	b.SetBytes(int64(len(prompt)))
	for b.Loop() {
		if _, err := acp.CheckPrompt(prompt, anywhere, resolver); err != nil {
			b.Fatal(err)
		}
	}
}
