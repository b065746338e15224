// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

func textOf(t *testing.T, b []byte) string {
	t.Helper()
	s, ok := rawjson.GetString(b, "text")
	if !ok {
		t.Fatalf("%s is no text", b)
	}
	return s
}

const least = "name: x\ntitle: X\nrecognise: {program: [x]}\n"

func TestParseLeast(t *testing.T) {
	p, err := profile.Parse("f", []byte(least))
	if err != nil || p.Form != nil || p.Replay != profile.ReplaysSent || p.Notices != profile.NoticesNever {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestParseFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "f: the file is empty"},
		{"a comment alone", "# x\n", "f: the file is empty"},
		{"no YAML", "name: [\n", "f:"},
		{"no YAML, and where", least + "source: a: b\n", "f:4: this is no YAML: mapping values are not allowed"},
		{"a list", "- a\n", "f:1"},
		{"an unknown field", least + "colour: red\n", "f:4: "},
		{"an unknown field says what to do", least + "colour: red\n", "docs/profiles.md"},
		{"a field twice", least + "name: y\n", "name"},
		{"two documents", least + "---\n" + least, "f"},
		{"no name", "title: X\nrecognise: {program: [x]}\n", `name: "" is no name`},
		{"a large name", "name: Xa\ntitle: X\n", `f:1: name: "Xa" is no name`},
		{"no title", "name: x\nrecognise: {program: [x]}\n", "title: say what"},
		{"a title that controls", "name: x\ntitle: \"a\\eb\"\nrecognise: {program: [x]}\n", "f:2: title: control"},
		{"recognised by nothing", "name: x\ntitle: X\n", "recognise: say by what"},
		{"two marks", least + "skills:\n  prefix: a\n  by-name: true\n", "f:4: skills: prefix, field and by-name exclude"},
		{"a field without values", least + "skills: {field: a}\n", "belong together"},
		{"values without a field", least + "skills: {values: [a]}\n", "belong together"},
		{"a path of nothing", least + "skills:\n  path: a\n", "f:5: skills.path: "},
		{"an absolute folder", least + "reads: {workspace: [/etc]}\n", `reads.workspace: "/etc" is no folder`},
		{"a folder upwards", least + "reads:\n  user:\n  - a/../..\n", "f:5: reads.user: "},
		{"a folder of Windows", least + "reads: {additional: ['C:\\x']}\n", "reads.additional"},
		{"a slash at the end", least + "reads: {user: [.a/skills/]}\n", "ends with a slash"},
		{"an empty folder", least + "reads: {user: ['']}\n", "is no folder"},
		{"an unknown form", least + "invoke: {form: shout, prefix: '!'}\n", "say slash or mention"},
		{"a form without a prefix", least + "invoke: {form: slash}\n", "invoke.prefix"},
		{"a slash without one", least + "invoke: {form: slash, prefix: $}\n", "does not begin with a slash"},
		{"a prefix without a form", least + "invoke: {prefix: $}\n", "invoke.form: say slash or mention"},
		{"a mention that looks", least + "invoke: {form: mention, prefix: $, looks-at: last}\n", "of the form slash"},
		{"an unknown end", least + "invoke: {form: slash, prefix: /, looks-at: middle}\n", "say first or last"},
		{"an unknown replay", least + "replay: maybe\n", "f:4: replay: \"maybe\" is not known: say sent or expanded"},
		{"an unknown notice", least + "notices: soon\n", "say never or next-turn or pushed"},
		{"an empty addition", least + "replay-adds: ['']\n", "replay-adds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := profile.Parse("f", []byte(tt.text))
			var fault *profile.FileError
			if p != nil || !errors.As(err, &fault) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, %v; want %q", p, err, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range profile.Known() {
		f.Add("name: " + p.Name + "\ntitle: " + p.Title + "\nrecognise: {info: [a]}\n")
	}
	f.Add("a: &a [*a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := profile.Parse("f", []byte(text))
		if (p == nil) == (err == nil) {
			t.Fatalf("got %v and %v", p, err)
		}
		if p == nil {
			return
		}
		if profile.For([]*profile.Profile{p}, "", []string{"x"}) == nil || p.Title == "" {
			t.Fatal("a profile that cannot be used")
		}
		p.Mark.Read([]byte(`{"name":"skill:a"}`), "skill:a")
		if p.Form != nil {
			p.Form.Apply([][]byte{[]byte(`{"type":"skill"}`)}, []profile.Use{{Name: "a"}}, 0)
		}
	})
}
