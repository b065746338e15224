// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/skill/catalog"
)

func roots(tr *tree, s *catalog.Snapshot) string {
	var out []string
	for _, r := range s.Roots() {
		line := fmt.Sprintf("%s %s: %s", r.Scope, tr.rel(r.Path), r.State)
		if r.State == catalog.RootSearched {
			line += fmt.Sprintf(" %d", r.Skills)
		} else if r.Reason == "" {
			line += ", without a reason"
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func TestRoots(t *testing.T) {
	tr := newTree(t)
	tr.mkdir("repo/.git")
	tr.skill("repo/a/.agents/skills/one", "")
	tr.skill("repo/a/.agents/skills/two", "")
	tr.write("repo/a/.agents/skills/bad/SKILL.md", "no frontmatter")
	tr.write("repo/a/.claude/skills", "a file")
	tr.skill("out/skills/evil", "")
	tr.link(tr.at("out/skills"), "repo/.agents/skills")
	tr.link("../a/.agents/skills", "repo/.claude/skills")
	tr.skill("home/.agents/skills/one", "shadowed")
	tr.skill("extra/x", "")
	s := tr.scan(catalog.Options{Workspace: []string{tr.at("repo/a"), "relative", tr.at("gone")}, Home: tr.at("home"),
		Extra: []string{tr.at("extra"), tr.at("extra"), tr.at("nowhere"), "./x"}})
	want := `workspace repo/a/.agents/skills: searched 2
workspace repo/a/.claude/skills: not a directory
workspace repo/.agents/skills: refused
workspace repo/.claude/skills: same
workspace relative: invalid
workspace gone: missing
user home/.agents/skills: searched 1
user home/.claude/skills: missing
extra extra: searched 1
extra extra: same
extra nowhere: missing
extra ./x: invalid`
	if got := roots(tr, s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if r := s.Roots()[0]; r.Skipped != 1 || r.Dirs != 4 || r.Truncated || r.Trusted || r.Real != tr.at("repo/a/.agents/skills") {
		t.Errorf("%+v", r)
	}
	s = tr.scan(catalog.Options{Workspace: []string{tr.at("repo/a")}, Home: "/", MaxDirs: 2})
	if got := roots(tr, s); !strings.Contains(got, "user ") || !strings.Contains(got, ": invalid") || !s.Roots()[0].Truncated || s.Roots()[0].Dirs != 2 {
		t.Errorf("got\n%s", got)
	}
	s = tr.scan(catalog.Options{Workspace: []string{tr.at("repo/a")}, Home: tr.at("home"), NoUser: true})
	if got := roots(tr, s); strings.Contains(got, "user") {
		t.Errorf("NoUser:\n%s", got)
	}
}

// TestScanE10ExtraRoots: additional directories must be absolute, and one that is far too wide is
// searched within bounds, each on its own.
func TestScanE10ExtraRoots(t *testing.T) {
	tr := newTree(t)
	for i := range 40 {
		tr.mkdir(fmt.Sprintf("wide/d%02d/e/f", i))
	}
	tr.skill("wide/d00/.agents/skills/hidden", "a dot-directory below an extra root is not entered")
	tr.skill("next/good", "")
	s := tr.scan(catalog.Options{Workspace: []string{tr.at("next"), "relative"}, Extra: []string{tr.at("wide"), tr.at("next"), "also/relative"}, MaxDirs: 20})
	tr.expect(s, "good=next/good")
	if count(s, "DSC-1") != 2 || count(s, "DSC-2") != 1 {
		t.Errorf("%v", s.Findings())
	}
	// What a repository's own files say about roots is not read.
	tr.write("next/.agents/settings.json", `{"extraRoots": ["/"]}`)
	tr.write("next/.claude/settings.json", `{"additionalDirectories": ["/"]}`)
	if s := tr.scan(catalog.Options{Workspace: []string{tr.at("next")}}); len(s.All()) != 0 || len(s.Roots()) != 2 {
		t.Errorf("%s\n%s", tr.list(s), roots(tr, s))
	}
}
