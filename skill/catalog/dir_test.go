// SPDX-License-Identifier: Apache-2.0

package catalog

import "testing"

// TestCollectorFMT1: SKILL.md wins over skill.md in whatever order the disk has them.
func TestCollectorFMT1(t *testing.T) {
	for _, tt := range []struct {
		skill bool
		names []string
		want  string
		rest  int
	}{
		{true, []string{"skill.md", "a", "SKILL.md", "b"}, "SKILL.md", 1},
		{true, []string{"SKILL.md", "skill.md"}, "SKILL.md", 0},
		{true, []string{"b", "skill.md", "a"}, "skill.md", 2},
		{true, []string{"Skill.md", "SKILL.MD"}, "", 2},
		{false, []string{"SKILL.md", "a"}, "", 2},
	} {
		c := collector{skill: tt.skill}
		for _, n := range tt.names {
			if !c.add(n, 0) {
				break
			}
		}
		l, err := c.done(nil)
		if err != nil || l.file.name != tt.want || len(l.entries) != tt.rest {
			t.Errorf("%v: %+v %v", tt.names, l, err)
		}
	}
}

func TestCollectorBound(t *testing.T) {
	c := collector{skill: true}
	for range maxEntries + 5 {
		c.add("x", 0)
	}
	if l, err := c.done(nil); err == nil || len(l.entries) != maxEntries {
		t.Errorf("%d entries, %v", len(l.entries), err)
	}
	c.add("SKILL.md", 0)
	if l, err := c.done(nil); err != nil || l.file.name != "SKILL.md" {
		t.Errorf("a skill with many files: %v", err)
	}
}
