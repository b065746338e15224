// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/skillgraft/skillgraft/skill/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What doctor says of places has to be what the catalog does: every root that a
// skill was found under is a place, in the catalog's order, and no skill is
// counted twice or not at all (DSC-1).
func TestPlacesAgreeWithTheCatalog(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{base}, parts...)...) }
	if err := os.WriteFile(at("note"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{
		"repo/.agents/skills/top", "repo/a/b/.claude/skills/deep", "repo/a/b/.agents/skills/deeper", "above/x",
		"add/.agents/skills/added", "home/.claude/skills/mine", "extra/more/extra",
	} {
		write(t, at(filepath.FromSlash(dir)))
	}
	if err := os.Mkdir(at("repo", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, at(".agents", "skills", "outside")) // above the git root
	for name, o := range map[string]catalog.Options{
		"all":         {Workspace: []string{at("repo", "a", "b"), at("add")}, Home: at("home"), Extra: []string{at("extra")}},
		"no git root": {Workspace: []string{at("add")}, Home: at("home")},
		"at home":     {Workspace: []string{at("home")}, Home: at("home")},
		"no user":     {Workspace: []string{at("repo")}, Home: at("home"), NoUser: true},
		"no home":     {Workspace: []string{at("repo")}},
		"own folders": {Workspace: []string{at("repo", "a", "b")}, ClientFolders: []string{".claude/skills"}},
		"twice":       {Workspace: []string{at("repo"), at("repo")}, Extra: []string{at("extra"), at("extra")}},
		"odd":         {Workspace: []string{at("repo")}, Extra: []string{at("nowhere"), at("note")}},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := Look(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			places := found.Places()
			total := 0
			where := map[string]int{}
			for i, p := range places {
				total += p.Skills
				if _, twice := where[p.Dir]; twice {
					t.Errorf("%s is there twice", p.Dir)
				}
				where[p.Dir] = i
				if odd := p.Dir == at("note"); odd != (p.Reason != "") {
					t.Errorf("%s is left out because of %q", p.Dir, p.Reason)
				}
				if p.Skills > 0 && !p.Exists {
					t.Errorf("%s has skills and is not there", p.Dir)
				}
			}
			if total != len(found.Skills) || total == 0 {
				t.Errorf("%d skills in the places, %d found: %+v", total, len(found.Skills), places)
			}
			last := 0
			for _, s := range found.Skills {
				i, ok := where[s.Root]
				if !ok || places[i].Scope != s.Scope {
					t.Errorf("%s was found under %s (%v), which is not among %+v", s.Name, s.Root, s.Scope, places)
				}
				if i < last {
					t.Errorf("%s is out of order", s.Name)
				}
				last = i
			}
		})
	}
}

func write(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: " + filepath.Base(dir) + "\ndescription: d\n---\nbody\n"
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
