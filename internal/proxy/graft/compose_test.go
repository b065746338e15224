// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// activations are skills on a disk, read.
func activations(t *testing.T, bodies map[string]string) (map[string]*catalog.Entry, map[string]*skill.Activation) {
	t.Helper()
	ws := t.TempDir()
	for name, body := range bodies {
		dir := filepath.Join(ws, ".agents", "skills", name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		data := fmt.Sprintf("---\nname: %s\ndescription: Does it. Use when asked.\nallowed-tools: Read\n---\n%s\n", name, body)
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	snap, err := catalog.Scan(t.Context(), catalog.Options{Workspace: []string{ws}})
	if err != nil {
		t.Fatal(err)
	}
	entries, acts := map[string]*catalog.Entry{}, map[string]*skill.Activation{}
	for _, e := range snap.All() {
		act, err := acpskill.Activate(context.Background(), acpskill.Listed{Entry: e, Name: e.ID})
		if err != nil {
			t.Fatal(err)
		}
		entries[e.ID], acts[e.ID] = e, act
	}
	return entries, acts
}

// Whatever stands in a prompt, for each agent: the result is valid JSON, blocks
// that are no skills keep their order and bytes (but for a text that a native
// command takes up), and each skill reaches the model once: natively as often as
// it is invoked, else by its body (PXY-5, ACT-5, ACP-P5).
func TestPXY5ComposeAnyPrompt(t *testing.T) {
	entries, acts := activations(t, map[string]string{"one": "BODY-ONE", "two": "BODY-TWO", "trap": "BODY-TRAP with $one in it", "slash": "/one BODY-SLASH"})
	names := []string{"one", "two", "trap", "slash"}
	plain := []string{`{"type":"text","text":"hello"}`, `{"type":"text", "text":"/one now"}`, `{"type":"text","text":" /two"}`, `{"type":"text","text":"x","annotations":{}}`, `{"type":"image","data":"AA==", "mimeType":"x/y", "big":1e400}`, `{"type":"_new","a":[1.0]}`}
	rapid.Check(t, func(t *rapid.T) {
		c := composer{profile: rapid.SampledFrom(profile.Known()).Draw(t, "profile"), names: []string{"one", "two", "skill:one", "$two"}}
		c.takes = acp.SkillSupport{Skill: rapid.Bool().Draw(t, "skill")}
		c.takes.Inline = c.takes.Skill && rapid.Bool().Draw(t, "inline")
		how := map[string]binding{}
		for _, n := range names {
			how[n] = expand
			switch {
			case c.takes.Skill:
				how[n] = rapid.SampledFrom([]binding{expand, block}).Draw(t, n)
			case c.profile.Form != nil:
				how[n] = rapid.SampledFrom([]binding{expand, native}).Draw(t, n)
			}
		}
		var list [][]byte
		var uses []use
		var kept []string
		for i, choice := range rapid.SliceOfN(rapid.IntRange(0, len(names)+len(plain)-1), 1, 6).Draw(t, "prompt") {
			if choice >= len(names) {
				list = append(list, []byte(plain[choice-len(names)]))
				kept = append(kept, plain[choice-len(names)])
				continue
			}
			n := names[choice]
			list = append(list, skillBlock(n))
			uses = append(uses, use{block: i, act: acts[n], entry: &entry{name: n, agentName: n, how: how[n], listed: acpskill.Listed{Entry: entries[n], Name: n}}})
		}
		if len(uses) == 0 {
			t.Skip("no skill")
		}
		made, err := c.compose(list, uses)
		if err != nil {
			t.Fatal(err)
		}
		whole := string(rawjson.Array(made.blocks))
		if !rawjson.Valid([]byte(whole)) {
			t.Fatalf("not JSON: %s", whole)
		}
		var rest []string
		merged := len(made.blocks) < len(list)
		for _, b := range made.blocks {
			if slices.Contains(plain, string(b)) {
				rest = append(rest, string(b))
			}
		}
		slash, isSlash := c.profile.Form.(profile.Slash)
		line := `[{"type":"text","text":"` + slash.Prefix
		if merged && (!isSlash || len(list) != 2 || !strings.HasPrefix(whole, line)) {
			t.Fatalf("a block was lost: %s", whole)
		}
		if !merged && !slices.Equal(rest, kept) {
			t.Fatalf("blocks beside the skills: %q, want %q", rest, kept)
		}
		for _, n := range names {
			invoked := 0
			for _, u := range uses {
				if u.entry.name == n {
					invoked++
				}
			}
			body := strings.Count(whole, "BODY-"+strings.ToUpper(n))
			pointer := strings.Count(whole, filepath.Join("skills", n, "SKILL.md")) - strings.Count(whole, "[$"+n+"](")
			natively := strings.Count(whole, "[$"+n+"](") + strings.Count(whole, `{"type":"skill","name":"`+n+`"}`)
			if isSlash && (strings.HasPrefix(whole, line+n) && merged || len(list) == 1 && whole == line+n+`"}]`) {
				natively++
			}
			switch {
			case invoked == 0 && body+natively > 0:
				t.Fatalf("%s comes from nowhere: %s", n, whole)
			case body > 1, pointer > 1 && body == 0, invoked > 0 && body+pointer+natively == 0:
				t.Fatalf("%s is there %d times as a body, %d as a pointer, %d natively: %s", n, body, pointer, natively, whole)
			case natively > 0 && body > 0 && how[n] != expand:
				t.Fatalf("%s is there natively and as a body: %s", n, whole)
			}
		}
		// What would run in place of the skills does not stand where the agent
		// looks for it.
		if c.profile.Form != nil && strings.Contains(whole, "skill_content") {
			for at, end := range map[int]profile.End{0: profile.FirstBlock, len(made.blocks) - 1: profile.LastBlock} {
				text, ok := blockText(made.blocks[at])
				if ok && c.profile.Form.LooksAt() == end && c.profile.Form.Triggers(text, c.names) {
					t.Fatalf("the agent runs %q, and the skill is lost: %s", text, whole)
				}
			}
		}
		for _, n := range made.nonces {
			if !strings.Contains(whole, n.Nonce) || n.Block < 0 || n.Block >= len(list) || !strings.Contains(string(list[n.Block]), `"skill"`) {
				t.Fatalf("the nonce %v is of no block", n)
			}
		}
	})
}

// A skill without a file goes to the agent as its block, at the only place where
// it takes one; a second one is refused by its own index (ACP-P2).
func TestACPP2SkillsWithoutAFile(t *testing.T) {
	fileless := func(n string, at int) use {
		return use{block: at, entry: &entry{name: "c:" + n, agentName: n, how: block}}
	}
	c := composer{profile: profile.ByName(profile.Known(), "generic"), takes: acp.SkillSupport{Skill: true}}
	made, err := c.compose([][]byte{text("x"), []byte(`{"type":"skill","name":"c:a","_meta":{"k":1}}`)}, []use{fileless("a", 1)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(rawjson.Array(made.blocks)), `[{"type":"skill","name":"a","_meta":{"k":1}},{"type":"text","text":"x"},{"type":"text","text":"the skill \"a\""}]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	_, err = c.compose([][]byte{skillBlock("c:a"), skillBlock("c:b")}, []use{fileless("a", 0), fileless("b", 1)})
	var pe *acp.PromptError
	if !errors.As(err, &pe) || pe.Block != 1 || pe.Rule != "ACP-P2" {
		t.Errorf("got %v", err)
	}
	c.takes.Inline = true
	made, err = c.compose([][]byte{skillBlock("c:a"), skillBlock("c:b")}, []use{fileless("a", 0), fileless("b", 1)})
	if err != nil || string(rawjson.Array(made.blocks)) != `[{"type":"skill","name":"a"},{"type":"skill","name":"b"}]` {
		t.Errorf("got %s, %v", made.blocks, err)
	}
}
