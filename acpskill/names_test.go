// SPDX-License-Identifier: Apache-2.0

package acpskill_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

func entry(name, qualifier, file string) *catalog.Entry {
	return &catalog.Entry{Skill: &skill.Skill{Name: name, File: file, Description: "About it."}, ID: name, Qualifier: qualifier}
}

func names(listed []acpskill.Listed) (out []string) {
	for _, l := range listed {
		out = append(out, l.Name)
	}
	return out
}

func TestACPA4Qualifiers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		entries []*catalog.Entry
		taken   string
		want    string
	}{
		{"free", []*catalog.Entry{entry("tdd", "ws", "/1")}, "", "tdd"},
		{"a command has it", []*catalog.Entry{entry("tdd", "ws", "/1")}, "tdd", "ws:tdd"},
		{"the other one first in order", []*catalog.Entry{entry("tdd", "ws", "/1"), entry("tdd", "user", "/2")}, "", "tdd user:tdd"},
		{"of one qualifier", []*catalog.Entry{entry("tdd", "ws", "/1"), entry("tdd", "ws", "/2"), entry("tdd", "ws", "/3")}, "", "tdd ws:tdd ws-2:tdd"},
		{"the qualified one is a command, too", []*catalog.Entry{entry("tdd", "ws", "/1")}, "tdd ws:tdd", "ws-2:tdd"},
		{"white space", []*catalog.Entry{entry("my \t skill", "a b", "/1"), entry("my-skill", "a b", "/2")}, "", "my-skill a-b:my-skill"},
		{"hidden characters", []*catalog.Entry{entry("a\u202eb\x1b", "ws", "/1"), entry("\u200b", "ws", "/2")}, "", "ab unnamed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n acpskill.Names
			taken := strings.Fields(tt.taken)
			got := n.Assign(tt.entries, func(name string) bool {
				for _, c := range taken {
					if c == name {
						return true
					}
				}
				return false
			})
			if s := strings.Join(names(got), " "); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
		})
	}
}

// A skill that comes back after another one took its name is named anew, and the
// other one keeps it; Holds knows of names also when their skill is gone.
func TestACPA4NamesAreKept(t *testing.T) {
	var n acpskill.Names
	first, second := entry("tdd", "ws", "/1"), entry("tdd", "user", "/2")
	n.Assign([]*catalog.Entry{first}, nil)
	if got := names(n.Assign([]*catalog.Entry{second, first}, nil)); got[0] != "user:tdd" || got[1] != "tdd" {
		t.Errorf("a later one of more precedence takes the name: %q", got)
	}
	if got := names(n.Assign([]*catalog.Entry{second}, nil)); got[0] != "user:tdd" {
		t.Errorf("a name changes: %q", got)
	}
	third := entry("tdd", "x", "/3")
	if got := names(n.Assign([]*catalog.Entry{third}, nil)); got[0] != "tdd" {
		t.Errorf("the name of one that is gone is not free: %q", got)
	}
	if got := names(n.Assign([]*catalog.Entry{first, third}, nil)); got[0] != "ws:tdd" || got[1] != "tdd" {
		t.Errorf("one that comes back takes its name again: %q", got)
	}
	if !n.Holds("user:tdd") || n.Holds("other") {
		t.Error("Holds")
	}
	c := n.Clone()
	c.Assign([]*catalog.Entry{entry("new", "ws", "/4")}, nil)
	if n.Holds("new") {
		t.Error("a clone shares what it learns")
	}
}

// The model of Names: whatever comes and goes, names are unique, without white
// space and no command's unless a skill had them first, and no skill that is
// there loses its name.
func TestACPA4AnyNames(t *testing.T) {
	all := make([]*catalog.Entry, 12)
	for i := range all {
		all[i] = entry([]string{"a", "b b", "b-b", "c"}[i%4], []string{"ws", "user"}[i%2], fmt.Sprintf("/%d", i))
	}
	rapid.Check(t, func(t *rapid.T) {
		var n acpskill.Names
		before := map[string]string{} // of those that were there: key to name
		ever := map[string]string{}   // likewise, of all that ever were
		commands := map[string]bool{}
		for range rapid.IntRange(1, 12).Draw(t, "rounds") {
			if rapid.Bool().Draw(t, "command") {
				commands[rapid.SampledFrom([]string{"a", "b-b", "ws:a", "user:a"}).Draw(t, "name")] = true
			}
			entries := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, len(all), acpskill.Key).Draw(t, "entries")
			listed := n.Assign(entries, func(s string) bool { return commands[s] })
			if len(listed) != len(entries) {
				t.Fatalf("%d of %d are listed", len(listed), len(entries))
			}
			now, seen := map[string]string{}, map[string]bool{}
			for _, l := range listed {
				key := acpskill.Key(l.Entry)
				old, had := before[key]
				switch {
				case seen[l.Name]:
					t.Fatalf("%q comes twice", l.Name)
				case strings.ContainsFunc(l.Name, unicode.IsSpace):
					t.Fatalf("%q has white space", l.Name)
				case had && old != l.Name:
					t.Fatalf("%s was %q and is %q", key, old, l.Name)
				case !had && commands[l.Name] && ever[key] != l.Name:
					t.Fatalf("%q is a command", l.Name)
				}
				seen[l.Name], now[key], ever[key] = true, l.Name, l.Name
			}
			before = now
		}
	})
}
