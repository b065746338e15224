// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

func paths(dir string, t *Targets) (skills, notes []string) {
	rel := func(path string) string {
		if r, err := filepath.Rel(dir, path); err == nil {
			path = r
		}
		return filepath.ToSlash(path)
	}
	for _, s := range t.Skills {
		skills = append(skills, rel(s.Path))
	}
	for _, n := range t.Notes {
		notes = append(notes, n.Rule+" "+rel(n.File))
	}
	return skills, notes
}

func find(t *testing.T, args ...string) *Targets {
	t.Helper()
	found, err := Find(context.Background(), args, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Any directory of a repository may hold skills, also those with a dot; what lies inside
// of a skill is its own (DSC-2), and what is nearly called right is said (FMT-1).
func TestFindInATree(t *testing.T) {
	dir := real(t)
	for _, p := range []string{
		"b/SKILL.md", "b/nested/SKILL.md", ".claude/skills/a/SKILL.md", "x/y/z/skill.md", "both/SKILL.md", "both/skill.md",
		"near/Skill.md", "node_modules/m/SKILL.md", ".git/hooks/SKILL.md", "none/README.md",
	} {
		put(t, valid("x"), dir, filepath.FromSlash(p))
	}
	skills, notes := paths(dir, find(t, dir))
	if diff := cmp.Diff([]string{".claude/skills/a/SKILL.md", "b/SKILL.md", "both/SKILL.md", "x/y/z/skill.md"}, skills); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"FMT-1 near/Skill.md"}, notes); diff != "" {
		t.Error(diff)
	}
}

// The same file by several arguments is one (DSC-3), named as it was first.
func TestFindOnce(t *testing.T) {
	dir := real(t)
	put(t, valid("a"), dir, "s", "a", "SKILL.md")
	put(t, valid("b"), dir, "s", "b", "SKILL.md")
	link(t, "s", filepath.Join(dir, "l"))
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	found := find(t, at("s/b"), at("s"), at("l"), at("s/a/SKILL.md"))
	skills, notes := paths(dir, found)
	if diff := cmp.Diff([]string{"s/b/SKILL.md", "s/a/SKILL.md"}, skills); diff != "" {
		t.Error(diff)
	}
	if len(notes) > 0 {
		t.Error(notes)
	}
}

// DSC-5: links are not followed out of the path that was given, and cycles end. A link
// that was given itself is followed: somebody meant it.
func TestFindAndLinks(t *testing.T) {
	dir := real(t)
	put(t, valid("a"), dir, "given", "a", "SKILL.md")
	put(t, valid("b"), dir, "outside", "b", "SKILL.md")
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	link(t, at("outside"), at("given/out"))
	link(t, at("given"), at("given/x/cycle"))
	link(t, dir, at("given/x/up"))
	link(t, "a", at("given/again"))
	link(t, "nowhere", at("given/dangling"))
	link(t, at("outside/b/SKILL.md"), at("given/file"))

	skills, notes := paths(dir, find(t, at("given")))
	if diff := cmp.Diff([]string{"given/a/SKILL.md"}, skills); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"DSC-5 given/dangling", "DSC-5 given/out"}, notes); diff != "" {
		t.Error(diff)
	}
	found := find(t, at("given/out"))
	if skills, _ := paths(dir, found); !slices.Equal(skills, []string{"given/out/b/SKILL.md"}) {
		t.Errorf("through a link that was given: %v", skills)
	}
	if found.Skills[0].Bound != at("outside") {
		t.Errorf("the bound is %s", found.Skills[0].Bound)
	}
}

func TestFindRefuses(t *testing.T) {
	dir := real(t)
	readme := put(t, "x", dir, "README.md")
	for arg, want := range map[string]string{
		filepath.Join(dir, "missing"): "there is no file or directory",
		readme:                        "is no SKILL.md",
	} {
		_, err := Find(context.Background(), []string{dir, arg}, catalog.Options{})
		var exit *cli.ExitError
		if !errors.As(err, &exit) || exit.Status != cli.ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", arg, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Find(ctx, []string{dir}, catalog.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end the error is %v", err)
	}
	// A directory without a skill is a finding, since somebody expected one there.
	if skills, notes := paths(dir, find(t, dir)); len(skills) > 0 || !slices.Equal(notes, []string{"FMT-1 ."}) {
		t.Errorf("%v %v", skills, notes)
	}
}

// Without arguments: every file that the catalog met, also those that it left out, and
// only the project's may be changed.
func TestFindInTheCatalog(t *testing.T) {
	dir := real(t)
	put(t, valid("tea"), dir, "work", ".agents", "skills", "tea", "SKILL.md")
	put(t, "no frontmatter", dir, "work", ".agents", "skills", "broken", "SKILL.md")
	put(t, valid("tea")+"Other.", dir, "home", ".claude", "skills", "tea", "SKILL.md")
	put(t, valid("mine"), dir, "home", ".claude", "skills", "mine", "SKILL.md")
	put(t, "x", dir, "work", ".agents", "skills", "near", "Skill.md")
	if err := os.Mkdir(filepath.Join(dir, "work", ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	found, err := Find(context.Background(), nil, catalog.Options{Workspace: []string{filepath.Join(dir, "work")}, Home: filepath.Join(dir, "home")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range found.Skills {
		rel, _ := filepath.Rel(dir, s.File())
		line := filepath.ToSlash(rel)
		if s.Bound != "" {
			line += " may be changed"
		}
		got = append(got, line)
	}
	slices.Sort(got)
	want := []string{
		"home/.claude/skills/mine/SKILL.md",
		"home/.claude/skills/tea/SKILL.md",
		"work/.agents/skills/broken/SKILL.md may be changed",
		"work/.agents/skills/tea/SKILL.md may be changed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, notes := paths(dir, found); len(notes) != 1 || !strings.HasSuffix(notes[0], "near/Skill.md") {
		t.Errorf("noted: %v", notes)
	}
}

func TestFindStopsAtABound(t *testing.T) {
	dir := real(t)
	deep := dir
	for range maxTreeDepth + 2 {
		deep = filepath.Join(deep, "d")
	}
	put(t, valid("x"), deep, "SKILL.md")
	skills, notes := paths(dir, find(t, dir))
	if len(skills) > 0 || len(notes) != 1 || !strings.HasPrefix(notes[0], "DSC-2 ") {
		t.Errorf("%v %v", skills, notes)
	}
	w := tree{seen: map[string]bool{}, dirs: maxTreeDirs - 2}
	if err := w.argument(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	if _, notes := paths(dir, &w.out); !slices.Equal(notes, []string{"DSC-2 d/d"}) {
		t.Errorf("at the bound of directories: %v", notes)
	}
}
