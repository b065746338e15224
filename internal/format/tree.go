// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

// Bounds of the search below a path. They are wider than a catalog's (DSC-2): there
// somebody waits for a list, here somebody asked for all that is in a repository.
const (
	maxTreeDirs  = 100_000
	maxTreeDepth = 64
)

// tree searches below arguments.
type tree struct {
	out  Targets
	seen map[string]bool // real paths of directories and files
	dirs int
	full bool // maxTreeDirs was met, and said

	bound string // of the argument
}

// argument finds what one argument means.
func (w *tree) argument(ctx context.Context, arg string) error {
	abs, err := filepath.Abs(arg)
	if err != nil {
		return err
	}
	st, err := os.Stat(abs)
	if err != nil {
		return &cli.ExitError{Status: cli.ExitUsage, Err: err}
	}
	if !st.IsDir() {
		return w.file(arg, abs)
	}
	w.bound = resolved(abs)
	before, notes := len(w.out.Skills), len(w.out.Notes)
	if err := w.dir(ctx, filepath.Clean(arg), abs, 0); err != nil {
		return err
	}
	if len(w.out.Skills) != before+1 || w.out.Skills[before].Dir != abs {
		w.out.direct = false
	}
	if len(w.out.Skills) == before && len(w.out.Notes) == notes && !w.met(abs) {
		w.out.note("FMT-1", skill.Error, filepath.Clean(arg), "no SKILL.md in this directory or below it; a skill is a directory with a file of that name: make one with skillgraft new")
	}
	return nil
}

// met reports whether something below a directory was found by an argument before.
func (w *tree) met(abs string) bool {
	dir := resolved(abs)
	for _, t := range w.out.Skills {
		if rel, err := filepath.Rel(dir, resolved(t.Dir)); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// file takes an argument that is a file, whose directory is then the skill.
func (w *tree) file(arg, abs string) error {
	dir, name := filepath.Split(abs)
	dir = filepath.Clean(dir)
	if real := onDisk(dir, name); real != "" {
		name, arg = real, filepath.Join(filepath.Dir(arg), real)
	}
	switch {
	case isSkillFile(name):
		w.bound = resolved(dir)
		w.add(filepath.Clean(arg), dir, name)
	case strings.EqualFold(name, "SKILL.md"):
		w.near(filepath.Clean(arg))
	default:
		return cli.Usagef("%q is no SKILL.md: name such a file, a skill's directory, or a directory of skills", arg)
	}
	return nil
}

// onDisk is a file's name as its directory spells it, where the disk ignores case.
func onDisk(dir, name string) string {
	entries, _ := readDir(dir) // a directory that cannot be listed may still be passed through
	found := ""
	for _, e := range entries {
		switch {
		case e.Name() == name:
			return name
		case strings.EqualFold(e.Name(), name):
			found = e.Name()
		}
	}
	return found
}

func (w *tree) near(path string) {
	w.out.note("FMT-1", skill.Error, path, "the file must be called SKILL.md, in exactly these letters; rename it, agents do not find it")
}

func (w *tree) add(path, dir, name string) {
	key := resolved(filepath.Join(dir, name))
	if w.seen[key] {
		return
	}
	w.seen[key] = true
	w.out.Skills = append(w.out.Skills, Target{Path: path, Dir: dir, Name: name, Bound: w.bound})
}

// dir searches a directory: a skill, or a place where skills are. What lies in a skill is
// its own and not searched (DSC-2).
func (w *tree) dir(ctx context.Context, shown, abs string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.dirs++; w.dirs > maxTreeDirs {
		if !w.full {
			w.full = true
			w.out.note("DSC-2", skill.Error, shown, "more than %d directories; those from here on were not searched, name smaller trees", maxTreeDirs)
		}
		return nil
	}
	entries, err := readDir(abs)
	if err != nil {
		w.out.note("DSC-6", skill.Warning, shown, "cannot be searched: %s", cause(err))
	}
	exact, near := skillEntry(entries)
	if exact != nil {
		w.add(filepath.Join(shown, exact.Name()), abs, exact.Name())
		return nil
	}
	if near != nil {
		w.near(filepath.Join(shown, near.Name()))
	}
	if depth == maxTreeDepth {
		w.out.note("DSC-2", skill.Error, shown, "more than %d directories deep; what lies below was not searched", maxTreeDepth)
		return nil
	}
	for _, e := range entries {
		sub, subAbs := filepath.Join(shown, e.Name()), filepath.Join(abs, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			w.link(sub, subAbs)
		case !e.IsDir(), e.Name() == ".git", e.Name() == "node_modules":
		default:
			if err := w.dir(ctx, sub, subAbs, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// link notes links that are not followed. What they lead to inside of the argument is
// found by its own name, which also ends cycles; what lies outside may be anybody's file,
// whose lines a report would show (DSC-5).
func (w *tree) link(shown, abs string) {
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		w.out.note("DSC-5", skill.Info, shown, "a link that leads nowhere: %s", cause(err))
		return
	}
	st, err := os.Stat(real)
	if err != nil || !st.IsDir() {
		return
	}
	if rel, err := filepath.Rel(w.bound, real); err == nil && filepath.IsLocal(rel) {
		return
	}
	if rel, err := filepath.Rel(real, w.bound); err == nil && filepath.IsLocal(rel) {
		return // the way back up
	}
	w.out.note("DSC-5", skill.Warning, shown, "a link to %s, outside of the path that was given, which was not followed; name it, too, to have it checked", skill.Sanitize(real))
}
