// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	yaml "go.yaml.in/yaml/v4"
)

// The hooks that others have pre-commit run name commands and flags that there are, and
// are run for what is a skill's file or was meant to be one.
func TestPreCommitHooks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Name, Entry, Language, Files string
	}
	if err := yaml.Load(text, &hooks); err != nil {
		t.Fatal(err)
	}
	if len(hooks) == 0 {
		t.Fatal("no hooks")
	}
	for _, h := range hooks {
		words := strings.Fields(h.Entry)
		if h.ID == "" || h.Name == "" || h.Language != "golang" || len(words) < 2 || words[0] != "skillgraft" {
			t.Errorf("%+v", h)
			continue
		}
		cmd, rest, err := root().Find(words[1:])
		if err != nil || cmd.Name() != words[1] {
			t.Errorf("%s: %v", h.Entry, err)
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil || cmd.Flags().NArg() > 0 {
			t.Errorf("%s: %v, %q are no flags", h.Entry, err, cmd.Flags().Args())
		}
		files, err := regexp.Compile(h.Files)
		if err != nil {
			t.Errorf("%s: %v", h.ID, err)
			continue
		}
		for path, want := range map[string]bool{
			"SKILL.md": true, "a/b/SKILL.md": true, "a/skill.md": true, "a/Skill.md": true,
			"a/MYSKILL.md": false, "a/SKILL.md.txt": false, "README.md": false,
		} {
			if files.MatchString(path) != want {
				t.Errorf("%s: %s is taken: %v, want %v", h.ID, path, !want, want)
			}
		}
	}
}
