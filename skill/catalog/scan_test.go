// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

func TestScanDSC1Scopes(t *testing.T) {
	tr := newTree(t)
	tr.mkdir("repo/.git")
	tr.skill(".agents/skills/above", "not in the repository")
	tr.skill("repo/a/b/.claude/skills/s2", "")
	tr.skill("repo/a/b/.agents/skills/s1", "")
	tr.skill("repo/a/.agents/skills/s3", "")
	tr.skill("repo/.claude/skills/s5", "")
	tr.skill("repo/.agents/skills/s4", "")
	tr.skill("add2/.agents/skills/s6", "")
	tr.skill("add1/.agents/skills/s7", "")
	tr.skill("home/.agents/skills/s8", "")
	tr.skill("home/.claude/skills/s9", "")
	tr.skill("extra/t1", "")
	tr.skill("self", "")
	built, err := skill.LoadFS(fstest.MapFS{"t2/SKILL.md": {Data: []byte("---\nname: t2\ndescription: d\n---\n")}}, "t2", nil)
	tr.must(err)
	s := tr.scan(catalog.Options{
		Workspace: []string{tr.at("repo/a/b"), tr.at("add2"), tr.at("add1")}, Home: tr.at("home"),
		Extra: []string{tr.at("extra"), tr.at("self")}, BuiltIn: []*skill.Skill{built}})
	got := []string{}
	for _, e := range s.Skills() {
		got = append(got, e.ID+"/"+e.Scope.String())
	}
	want := "s1/workspace s2/workspace s3/workspace s4/workspace s5/workspace s6/workspace s7/workspace s8/user s9/user t1/extra self/extra t2/builtin"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, " "), want)
	}
	if len(s.Findings()) > 0 {
		t.Errorf("findings: %v", s.Findings())
	}
	if s := tr.scan(catalog.Options{Workspace: []string{tr.at("repo/a/b")}, Home: tr.at("home"), NoUser: true, ClientFolders: []string{".claude/skills"}}); len(s.All()) != 2 {
		t.Errorf("NoUser, one folder: %s", tr.list(s))
	}
}

func TestScanDSC1Climb(t *testing.T) {
	tr := newTree(t)
	tr.skill("p/.agents/skills/up", "")
	tr.skill("p/q/.agents/skills/here", "")
	o := catalog.Options{Workspace: []string{tr.at("p/q")}}
	tr.expect(tr.scan(o), "here=p/q/.agents/skills/here") // no git root: no climb
	tr.write("p/.git", "gitdir: /elsewhere\n")            // a worktree's .git is a file
	tr.expect(tr.scan(o), "here=p/q/.agents/skills/here up=p/.agents/skills/up")
	tr.mkdir("p/q/.git")
	tr.expect(tr.scan(o), "here=p/q/.agents/skills/here")
}

func TestScanDSC1HomeIsTheUsers(t *testing.T) {
	tr := newTree(t)
	tr.mkdir("home/.git") // dotfiles
	tr.skill("home/.agents/skills/mine", "")
	tr.skill("home/proj/.agents/skills/proj", "")
	for _, cwd := range []string{"home", "home/proj"} {
		s := tr.scan(catalog.Options{Workspace: []string{tr.at(cwd)}, Home: tr.at("home")})
		e, ok := s.Lookup("mine")
		if !ok || e.Scope != catalog.User || !e.Trusted {
			t.Errorf("%s: %+v", cwd, e)
		}
		if s := tr.scan(catalog.Options{Workspace: []string{tr.at(cwd)}, Home: tr.at("home"), NoUser: true}); strings.Contains(tr.list(s), "mine") {
			t.Errorf("%s: NoUser lists the user's skill as the workspace's", cwd)
		}
	}
}

func TestScanDSC2Bounds(t *testing.T) {
	tr := newTree(t)
	base := "w/.agents/skills/"
	tr.skill(base+"1/2/3/4/5/six", "")
	tr.skill(base+"1/2/3/4/5/6/seven", "")
	tr.skill(base+"design", "")
	tr.skill(base+"design/references/styles/x", "nested") // B05
	tr.skill(base+"node_modules/x", "")                   // B10
	tr.skill(base+".git/x", "")
	tr.skill(base+".hidden/x", "")
	tr.write(base+"SKILL.md", "---\nname: root\ndescription: a file in the root itself is no skill\n---\n")
	o := catalog.Options{Workspace: []string{tr.at("w")}}
	s := tr.scan(o)
	tr.expect(s, "design=w/.agents/skills/design six=w/.agents/skills/1/2/3/4/5/six")
	o.MaxDepth = 1
	tr.expect(tr.scan(o), "design=w/.agents/skills/design")
}

func TestScanDSC2TooManyDirectories(t *testing.T) {
	tr := newTree(t)
	for i := range 30 {
		tr.skill("w/.agents/skills/s"+strconv.Itoa(100+i), "")
	}
	o := catalog.Options{Workspace: []string{tr.at("w")}, MaxDirs: 11}
	s := tr.scan(o)
	if len(s.All()) != 10 || s.All()[9].ID != "s109" || count(s, "DSC-2") != 1 {
		t.Errorf("%s; %v", tr.list(s), s.Findings())
	}
	o.MaxDirs = 31
	if s := tr.scan(o); len(s.All()) != 30 || count(s, "DSC-2") != 0 {
		t.Errorf("exactly at the bound: %d, %v", len(s.All()), s.Findings())
	}
}

func TestScanB02Cycles(t *testing.T) {
	tr := newTree(t)
	s := "w/.agents/skills/"
	tr.skill(s+"demo", "")
	tr.link(tr.at(s+"demo"), s+"demo/demo")
	tr.link("b", s+"a")
	tr.link("a", s+"b")
	tr.link("..", s+"up")
	tr.link(".", s+"self")
	tr.mkdir(s + "group")
	tr.link("../group", s+"group/again")
	tr.skill(s+"group/inner", "")
	tr.skill("w/.agents/other", "not under the root, though a link leads up to it")
	snap := tr.scan(catalog.Options{Workspace: []string{tr.at("w")}, MaxDirs: 4})
	tr.expect(snap, "demo=w/.agents/skills/demo inner=w/.agents/skills/group/inner")
	if count(snap, "DSC-2") != 0 {
		t.Errorf("directories are visited twice: %v", snap.Findings())
	}
}

func TestScanB04SameFileOnce(t *testing.T) {
	tr := newTree(t)
	tr.skill("w/.agents/skills/demo", "")
	tr.link("../.agents/skills", "w/.claude/skills")
	tr.link("demo", "w/.agents/skills/alias")
	s := tr.scan(catalog.Options{
		Workspace: []string{tr.at("w"), tr.at("w")},
		Extra:     []string{tr.at("w/.agents/skills"), tr.at("w/.agents/skills/demo")}})
	tr.expect(s, "demo=w/.agents/skills/demo")
	if len(s.Findings()) > 0 {
		t.Errorf("DSC-3: no collision, but %v", s.Findings())
	}
	if a := s.All()[0].Aliases; len(a) != 1 || tr.rel(a[0]) != "w/.claude/skills/demo/SKILL.md" {
		t.Errorf("the other way to the file: %q", a)
	}
	if c := s.All()[0].Copies; len(c) != 0 {
		t.Errorf("DSC-3: the same file is no copy: %q", c)
	}
	if p := tr.rel(s.All()[0].Path); p != "w/.agents/skills/demo/SKILL.md" {
		t.Errorf("shown path %s", p)
	}
}

func TestScanB07Shadowing(t *testing.T) {
	tr := newTree(t)
	tr.skill("proj/.agents/skills/tdd", "project")
	tr.skill("proj/.claude/skills/tdd", "project, other folder")
	tr.skill("home/.agents/skills/tdd", "user")
	tr.skill("home/.claude/skills/tdd", "user, other folder")
	tr.skill("home/.agents/skills/same", "equal")
	tr.skill("proj/.agents/skills/same", "equal")
	tr.named("extra/x", "user:tdd", "claims a qualified name")
	o := catalog.Options{Workspace: []string{tr.at("proj")}, Home: tr.at("home"), Extra: []string{tr.at("extra")}}
	s := tr.scan(o)
	tr.expect(s, "same=proj/.agents/skills/same tdd=proj/.agents/skills/tdd proj:tdd=proj/.claude/skills/tdd "+
		"user-2:tdd=home/.agents/skills/tdd user-3:tdd=home/.claude/skills/tdd user:tdd=extra/x")
	e, _ := s.Lookup("user-2:tdd")
	if e == nil || e.ShadowedBy == nil || e.ShadowedBy.ID != "tdd" || e.Name != "tdd" {
		t.Fatalf("%+v", e)
	}
	if n := count(s, "DSC-4"); n != 3 {
		t.Errorf("%d shadowing findings", n)
	}
	for _, f := range s.Findings() {
		if f.Rule == "DSC-4" && (!strings.Contains(f.Message, tr.at("proj/.agents/skills/tdd/SKILL.md")) || f.File == "") {
			t.Errorf("both paths are to be named: %v", f)
		}
	}
	// Listed, looked up and activated is one file.
	win, _ := s.Lookup("tdd")
	if a, err := win.Activate(t.Context(), nil); err != nil || a.Body != "project" {
		t.Errorf("%v %v", a, err)
	}
	if same, _ := s.Lookup("same"); len(same.Copies) != 1 || tr.rel(same.Copies[0]) != "home/.agents/skills/same/SKILL.md" {
		t.Errorf("copies: %q", same.Copies)
	}
	if len(s.Skills()) != 3 {
		t.Errorf("bare names: %d", len(s.Skills()))
	}
	if _, ok := s.Lookup("TDD"); ok {
		t.Error("names are compared byte for byte")
	}
	if again := tr.scan(o); !again.Equal(s) {
		t.Error("not deterministic")
	}
}

func TestScanDSC5Links(t *testing.T) {
	tr := newTree(t)
	tr.mkdir("w/.git")
	tr.skill("w/shared/wrap-up", "")
	tr.skill("add/lib/other", "")
	tr.skill("out/evil", "")
	tr.skill("out/skills/root", "")
	tr.write("out/notes.md", "---\nname: notes\ndescription: private\n---\n")
	tr.link("../../shared/wrap-up", "w/.agents/skills/wrap-up") // B01: inside
	tr.link(tr.at("add/lib/other"), "w/.agents/skills/other")   // inside another workspace directory
	tr.link(tr.at("out/evil"), "w/.agents/skills/evil")         // B11
	tr.link(tr.at("out/notes.md"), "w/.agents/skills/notes/SKILL.md")
	tr.link(tr.at("out/skills"), "w/.claude/skills")
	tr.link("nowhere", "w/.agents/skills/dangling")
	tr.skill("home/.agents/skills/own", "")
	tr.link(tr.at("out/evil"), "home/.claude/skills/evil2")
	o := catalog.Options{Workspace: []string{tr.at("w"), tr.at("add")}, Home: tr.at("home")}
	s := tr.scan(o)
	tr.expect(s, "other=add/lib/other wrap-up=w/shared/wrap-up own=home/.agents/skills/own evil=out/evil")
	if n := count(s, "DSC-5"); n != 3 {
		t.Errorf("%d refusals: %v", n, s.Findings())
	}
	if e, _ := s.Lookup("wrap-up"); e.Trusted || e.Path != tr.at("w/.agents/skills/wrap-up/SKILL.md") {
		t.Errorf("%+v", e)
	}
	var asked []string
	o.Trusted = func(dir string) bool { asked = append(asked, tr.rel(dir)); return tr.rel(dir) == "w" }
	s = tr.scan(o)
	tr.expect(s, "notes=out/notes.md evil=out/evil other=add/lib/other wrap-up=w/shared/wrap-up root=out/skills/root own=home/.agents/skills/own")
	if strings.Join(asked, " ") != "w add" {
		t.Errorf("asked about %q", asked)
	}
}

func TestScanB09WrongTypes(t *testing.T) {
	tr := newTree(t)
	tr.skill("w/.agents/skills/good", "")
	tr.write("w/.claude/skills", "a file")
	tr.mkdir("w/.agents/skills/odd/SKILL.md")
	tr.mkdir("w/.agents/skills/empty")
	tr.write("w/.agents/skills/stray.txt", "")
	tr.write("w/.agents/skills/shout/Skill.MD", "")
	s := tr.scan(catalog.Options{Workspace: []string{tr.at("w"), tr.at("missing"), "relative"}, Home: "rel", Extra: []string{tr.at("gone"), "also-relative"}})
	tr.expect(s, "good=w/.agents/skills/good")
	for rule, n := range map[string]int{"DSC-6": 5, "FMT-14": 1, "DSC-1": 2} {
		if got := count(s, rule); got != n {
			t.Errorf("%s: %d findings, want %d: %v", rule, got, n, s.Findings())
		}
	}
}

func TestScanB09Unreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	tr := newTree(t)
	tr.skill("w/.agents/skills/good", "")
	tr.skill("w/.agents/skills/closed", "")
	tr.must(os.Chmod(tr.at("w/.agents/skills/closed"), 0))
	t.Cleanup(func() { _ = os.Chmod(tr.at("w/.agents/skills/closed"), 0o755) })
	s := tr.scan(catalog.Options{Workspace: []string{tr.at("w")}})
	tr.expect(s, "good=w/.agents/skills/good")
	if count(s, "DSC-6") != 1 {
		t.Errorf("%v", s.Findings())
	}
}

// TestScanDSC6NoHome: without a home directory there is no user scope, least of all /.agents.
func TestScanDSC6NoHome(t *testing.T) {
	tr := newTree(t)
	tr.skill("w/.agents/skills/a", "")
	for _, home := range []string{"", string(filepath.Separator), "."} {
		s := tr.scan(catalog.Options{Workspace: []string{tr.at("w")}, Home: home})
		tr.expect(s, "a=w/.agents/skills/a")
	}
}

func TestScanA32OneBadSkill(t *testing.T) {
	tr := newTree(t)
	tr.skill("w/.agents/skills/a", "")
	tr.write("w/.agents/skills/b/SKILL.md", "---\nname: b\n\tdescription: x\n---\n")
	tr.skill("w/.agents/skills/c", "")
	s := tr.scan(catalog.Options{Workspace: []string{tr.at("w")}})
	tr.expect(s, "a=w/.agents/skills/a c=w/.agents/skills/c")
	if len(s.Findings()) == 0 || s.Findings()[0].File != tr.at("w/.agents/skills/b/SKILL.md") || !s.Findings()[0].Skip || s.Findings()[0].Line != 3 {
		t.Errorf("%v", s.Findings())
	}
}

func TestScanC04OwnWorkspaceOnly(t *testing.T) {
	tr := newTree(t)
	tr.skill("p1/.agents/skills/one", "")
	tr.skill("p2/.agents/skills/two", "")
	tr.expect(tr.scan(catalog.Options{Workspace: []string{tr.at("p1")}}), "one=p1/.agents/skills/one")
	tr.expect(tr.scan(catalog.Options{Workspace: []string{tr.at("p2")}}), "two=p2/.agents/skills/two")
	tr.expect(tr.scan(catalog.Options{}), "")
}

func TestScanCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tr := newTree(t)
	tr.skill("w/.agents/skills/a", "")
	if _, err := catalog.Scan(ctx, catalog.Options{Workspace: []string{tr.at("w")}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
