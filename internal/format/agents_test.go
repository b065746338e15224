// SPDX-License-Identifier: Apache-2.0

package format

import (
	"path/filepath"
	"testing"

	"github.com/skillgraft/skillgraft/skill"
)

// What an agent gets follows from its profile alone: the folders that it reads, and its form.
func TestUsesOf(t *testing.T) {
	dir := real(t)
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("USERPROFILE", filepath.Join(dir, "home"))
	uses := func(text string, path ...string) map[string]AgentUse {
		file := put(t, text, append([]string{dir}, path...)...)
		s, err := skill.Load(filepath.Dir(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]AgentUse{}
		for _, u := range usesOf(s, []string{file}) {
			out[u.Profile] = u
		}
		return out
	}
	claude := uses(valid("tea"), "work", ".claude", "skills", "tea", "SKILL.md")
	if u := claude["claude"]; !u.Reads || u.Folder != ".claude/skills" || u.Front != "/tea ..." || u.Inside != "" {
		t.Errorf("claude in its folder: %+v", u)
	}
	if u := claude["codex"]; u.Reads || u.Front != "" || u.Inside != "" {
		t.Errorf("codex in claude's folder: %+v", u)
	}
	agents := uses(valid("tea"), "work", ".agents", "skills", "tea", "SKILL.md")
	file := filepath.Join(dir, "work", ".agents", "skills", "tea", "SKILL.md")
	if u := agents["codex"]; !u.Reads || u.Front != "[$tea]("+file+") ..." || u.Inside != "... [$tea]("+file+") ..." {
		t.Errorf("codex in the shared folder: %+v", u)
	}
	if u := agents["generic"]; u.Reads || u.Front != "" {
		t.Errorf("an agent of which nothing is known: %+v", u)
	}
	if u := uses("---\nname: tea\ndescription: x\nuser-invocable: false\n---\n", "work2", ".claude", "skills", "tea", "SKILL.md")["claude"]; !u.Reads || u.Front != "" {
		t.Errorf("one that the user cannot choose: %+v", u)
	}
	if u := uses(valid("tea"), "home", ".codex", "skills", "tea", "SKILL.md")["codex"]; !u.Reads || u.Folder != ".codex/skills" {
		t.Errorf("codex in the home directory: %+v", u)
	}
}
