// SPDX-License-Identifier: Apache-2.0

package skill_test

import (
	"encoding/json"
	"testing"

	"github.com/skillgraft/skillgraft/skill"
)

func parse(t testing.TB, block string) *skill.Frontmatter {
	t.Helper()
	doc := skill.Parse([]byte("---\nname: a\ndescription: d\n"+block+"---\n"), nil)
	if doc.Frontmatter == nil {
		t.Fatalf("no frontmatter: %q", doc.Findings)
	}
	return doc.Frontmatter
}

// TestFrontmatterJSON is the one mapping from YAML to JSON: the text never changes (FMT-4).
func TestFrontmatterJSON(t *testing.T) {
	for _, tt := range []struct{ id, yaml, want string }{
		{"A16 and D02", "metadata:\n  version: 1.10\n  day: 2026-05-30\n  id: 007\n  on: yes\n  1: a\n",
			`"metadata":{"version":1.10,"day":"2026-05-30","id":"007","on":"yes","1":"a"}`},
		{"null", "a: ~\nb:\nc: null\nd: 'null'\n", `"a":null,"b":null,"c":null,"d":"null"`},
		{"booleans", "a: true\nb: 'true'\nc: False\nd: tRue\n", `"a":true,"b":"true","c":false,"d":"tRue"`},
		{"numbers", "a: -0\nb: 1e400\nc: .5\nd: 0x1f\ne: .inf\nf: 12345678901234567890\ng: +1\nh: 1_0\ni: 1.\n",
			`"a":-0,"b":1e400,"c":".5","d":"0x1f","e":".inf","f":12345678901234567890,"g":"+1","h":"1_0","i":"1."`},
		{"shapes", "a: [1, [], {}]\nb: {c: {d: e}}\n", `"a":[1,[],{}],"b":{"c":{"d":"e"}}`},
		{"escapes", "a: \"q\\\"\\\\\\n\\t\\0\\u2028é\\U0001F600\"\n", `"a":"q\"\\\n\t\u0000\u2028é😀"`},
		{"first of equal keys", "m: {x: 1, x: 2}\n", `"m":{"x":1}`},
		{"aliases stay closed", "a: &x [1]\nb: *x\n", `"a":[1],"b":null`},
	} {
		got := string(parse(t, tt.yaml).JSON())
		if want := `{"name":"a","description":"d",` + tt.want + `}`; got != want {
			t.Errorf("%s:\n got %s\nwant %s", tt.id, got, want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s: not JSON: %s", tt.id, got)
		}
	}
}

func TestFrontmatterAccess(t *testing.T) {
	fm := parse(t, "license: MIT\ncompatibility: Needs git\nmetadata:\n  z: 1\n  short-description: Short\n  a: [x]\nmodel: m\ndescriptoin: typo\n")
	if fm.License != "MIT" || fm.Compatibility != "Needs git" || fm.ShortDescription() != "Short" {
		t.Errorf("fields: %+v", fm)
	}
	if !fm.Has("model") || fm.Has("modle") || fm.Get("descriptoin").Text != "typo" {
		t.Error("A19: unknown fields are not kept")
	}
	var keys []string
	for k := range fm.Metadata() {
		keys = append(keys, k)
	}
	if len(keys) != 3 || keys[0] != "z" || keys[2] != "a" {
		t.Errorf("metadata order: %q", keys)
	}
	var top []string
	for f := range fm.Fields() {
		top = append(top, f.Key)
	}
	if len(top) != 7 || top[0] != "name" || top[6] != "descriptoin" {
		t.Errorf("fields: %q", top)
	}
}

func TestFlagsACT10(t *testing.T) {
	for _, tt := range []struct {
		yaml        string
		user, model bool
	}{
		{"", true, true},
		{"user-invocable: true\n", true, true},
		{"user-invocable: false\n", false, true},
		{"user-invocable: 'false'\n", false, true},
		{"user-invocable: no\n", false, true},
		{"user-invocable: yes\n", false, true},
		{"user-invocable:\n", false, true},
		{"user-invocable: [true]\n", false, true},
		{"user-invocable: \"true\"\n", true, true},
		{"user_invocable: false\n", true, true},
		{"user-invokable: false\n", true, true},
		{"disable-model-invocation: true\n", true, false},
		{"disable-model-invocation: True\n", true, false},
		{"disable-model-invocation: false\n", true, true},
		{"disable-model-invocation: no\n", true, false},
		{"disable-model-invocation: 0\n", true, false},
		{"disable-model-invocation:\n", true, false},
		{"user-invocable: false\ndisable-model-invocation: true\n", false, false},
	} {
		s := &skill.Skill{Name: "a", Description: "d", Frontmatter: parse(t, tt.yaml)}
		if s.UserInvocable() != tt.user || s.ModelInvocable() != tt.model {
			t.Errorf("%q: user %v model %v", tt.yaml, s.UserInvocable(), s.ModelInvocable())
		}
	}
}
