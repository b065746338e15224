// SPDX-License-Identifier: Apache-2.0

// Package examples holds what users copy. Its tests see to it that a copy works.
package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/skill"
)

// FMT-1..11: a strict reader has nothing to say about the example skills.
func TestSkillsAreValid(t *testing.T) {
	names := []string{"bisect-regression", "cut-release", "error-message-review", "repo-weight"}
	entries, err := os.ReadDir("skills")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	if !slices.Equal(found, names) {
		t.Fatalf("skills has %v; this test and README.md know %v", found, names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("skills", name, "SKILL.md")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc := skill.Parse(text, &skill.ParseOptions{File: file, Dir: name})
			for _, f := range doc.Findings {
				if f.Severity != skill.Info {
					t.Errorf("%v", f)
				}
			}
			if !strings.Contains(doc.Body, "\n## ") {
				t.Error("the body has no sections")
			}
			if !strings.Contains(string(text), " Use when ") {
				t.Error("the description does not say when to use the skill")
			}
		})
	}
}

// What each example is there to show, through the loader that agents use.
func TestSkillsShowTheirPoint(t *testing.T) {
	load := func(name string) *skill.Skill {
		t.Helper()
		s, err := skill.Load(filepath.Join("skills", name), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Findings) > 0 {
			t.Errorf("%s is loaded with %v", name, s.Findings)
		}
		return s
	}
	if s := load("cut-release"); s.ModelInvocable() || !s.UserInvocable() {
		t.Error("ACT-10: cut-release must be for the user alone")
	}
	if s := load("bisect-regression"); s.DisplayDescription() != "Find the commit that broke it" {
		t.Errorf("ACP-A5: bisect-regression is shown as %q", s.DisplayDescription())
	}
	for _, name := range []string{"repo-weight", "error-message-review"} {
		if s := load(name); !s.ModelInvocable() || !s.UserInvocable() {
			t.Errorf("%s must be for both", name)
		}
	}
}

// The links of a skill lead to files beside it, and every reference is linked.
func TestReferencesAreLinked(t *testing.T) {
	references, err := filepath.Glob("skills/*/references/*")
	if err != nil || len(references) == 0 {
		t.Fatalf("no references: %v", err)
	}
	for _, ref := range references {
		dir := filepath.Dir(filepath.Dir(ref))
		text, err := os.ReadFile(filepath.Join(dir, "SKILL.md"))
		if err != nil {
			t.Fatal(err)
		}
		if link := "(references/" + filepath.Base(ref) + ")"; !strings.Contains(string(text), link) {
			t.Errorf("%s/SKILL.md does not link %s", dir, link)
		}
	}
}

func TestEditorSettingsAreJSON(t *testing.T) {
	files, err := filepath.Glob("editors/*.json")
	if err != nil || len(files) != 2 {
		t.Fatalf("expected the settings of Zed and JetBrains, found %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var settings struct {
			Servers map[string]struct {
				Command string   `json:"command"`
				Args    []string `json:"args"`
			} `json:"agent_servers"`
		}
		if err := json.Unmarshal(text, &settings); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if len(settings.Servers) == 0 {
			t.Errorf("%s sets up no agent", file)
		}
		for name, s := range settings.Servers {
			if !strings.HasSuffix(s.Command, "/skillgraft") || len(s.Args) < 3 || s.Args[0] != "run" || s.Args[1] != "--" {
				t.Errorf("%s: %s does not start an agent through skillgraft run: %+v", file, name, s)
			}
		}
	}
}

// repo-weight's script does what its SKILL.md says, on a small repository.
func TestHeaviestScript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is for a POSIX shell, which its compatibility field says")
	}
	for _, tool := range []string{"git", "sh"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed, and the script needs it", tool)
		}
	}
	script, err := filepath.Abs("skills/repo-weight/scripts/heaviest.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir),
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	git := func(args ...string) {
		t.Helper()
		if out, err := run("git", args...); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name string, size int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat(name[:1], size)), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	if out, err := run(script); err == nil || !strings.Contains(out, "in no git repository") {
		t.Errorf("outside a repository: %v, %s", err, out)
	}
	git("init", "-q")
	if out, err := run(script); err == nil || !strings.Contains(out, "no commit yet") {
		t.Errorf("without a commit: %v, %s", err, out)
	}
	write("small", 10)
	write("two  blanks.bin", 5000)
	write("removed.iso", 9000)
	git("add", ".")
	git("commit", "-qm", "one")
	git("rm", "-q", "removed.iso")
	git("commit", "-qm", "two")

	out, err := run(script, "2")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 || lines[0] != "9000 gone removed.iso" || lines[1] != "5000 now two  blanks.bin" || !strings.HasPrefix(lines[2], "packed store: ") {
		t.Errorf("printed\n%s", out)
	}
	for _, count := range []string{"0", "x", "-1"} {
		if out, err := run(script, count); err == nil || !strings.Contains(out, "COUNT is a whole number") {
			t.Errorf("COUNT %s: %v, %s", count, err, out)
		}
	}
}
