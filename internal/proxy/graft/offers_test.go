// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

func TestSplitFolder(t *testing.T) {
	folders := []string{".claude/skills", ".agents/skills"}
	for _, tt := range []struct{ path, base, folder string }{
		{"/w/.claude/skills/x/SKILL.md", "/w", ".claude/skills"},
		{"/w/.agents/skills/deep/x/SKILL.md", "/w", ".agents/skills"},
		{"/w/skills/x/SKILL.md", "", ""},
		{"/w/my.claude/skills/x/SKILL.md", "", ""},
		{"/w/.claude/skills-old/x/SKILL.md", "", ""},
	} {
		if base, folder := splitFolder(filepath.FromSlash(tt.path), folders); base != filepath.FromSlash(tt.base) || folder != tt.folder {
			t.Errorf("%s: got %q, %q", tt.path, base, folder)
		}
	}
}

// Which skills an agent finds by itself depends on the folder and on where it
// lies; the proxy invokes those the agent's own way and no other (PXY-4).
func TestPXY4WhatAnAgentReads(t *testing.T) {
	for _, tt := range []struct {
		profile, path string
		scope         catalog.Scope
		want          bool
	}{
		{"claude", "/w/.claude/skills/x/SKILL.md", catalog.Workspace, true},
		{"claude", "/w/.agents/skills/x/SKILL.md", catalog.Workspace, false},
		{"claude", "/more/.claude/skills/x/SKILL.md", catalog.Workspace, true},
		{"claude", "/home/.claude/skills/x/SKILL.md", catalog.User, true},
		{"claude", "/extra/.claude/skills/x/SKILL.md", catalog.Extra, false},
		{"codex", "/w/.agents/skills/x/SKILL.md", catalog.Workspace, true},
		{"codex", "/w/.codex/skills/x/SKILL.md", catalog.Workspace, true},
		{"codex", "/w/.claude/skills/x/SKILL.md", catalog.Workspace, false},
		{"codex", "/more/.agents/skills/x/SKILL.md", catalog.Workspace, true},
		{"codex", "/more/.codex/skills/x/SKILL.md", catalog.Workspace, false},
		{"codex", "/home/.codex/skills/x/SKILL.md", catalog.User, true},
		{"generic", "/w/.agents/skills/x/SKILL.md", catalog.Workspace, false},
	} {
		w := &weaver{profile: profile.ByName(profile.Known(), tt.profile), home: filepath.FromSlash("/home"), additional: []string{filepath.FromSlash("/more")}}
		e := &catalog.Entry{Skill: &skill.Skill{Name: "x"}, Path: filepath.FromSlash(tt.path), Scope: tt.scope}
		if got := w.reads(e); got != tt.want {
			t.Errorf("%s reads %s: %v, want %v", tt.profile, tt.path, got, tt.want)
		}
		// The same file reached by a link, or a copy of it, counts as well.
		linked := &catalog.Entry{Skill: e.Skill, Path: filepath.FromSlash("/elsewhere/x/SKILL.md"), Scope: tt.scope, Aliases: []string{e.Path}}
		if got := w.reads(linked); got != tt.want {
			t.Errorf("%s reads what is linked from %s: %v, want %v", tt.profile, tt.path, got, tt.want)
		}
	}
}

func TestRootsAreAbsoluteAndSpelledAsTheCatalogDoes(t *testing.T) {
	abs := func(p string) string { p, _ = filepath.Abs(p); return filepath.ToSlash(p) }
	r := readRoots([]byte(`{"cwd":"` + abs("/w") + `","additionalDirectories":["rel","` + abs("/more") + `/",7,null,"` + abs("/w") + `/","` + abs("/a") + `/../b"]}`))
	want := []string{filepath.FromSlash(abs("/w")), filepath.FromSlash(abs("/more")), filepath.FromSlash(abs("/b"))}
	if got := r.all(); filepath.Clean(got[0]) != want[0] || !slices.Equal(got[1:], want[1:]) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestClientFoldersComeOnce(t *testing.T) {
	got := clientFolders(nil, []string{".claude/skills", ".codex/skills"})
	if !slices.Equal(got, []string{".agents/skills", ".claude/skills", ".codex/skills"}) {
		t.Errorf("got %q", got)
	}
}
