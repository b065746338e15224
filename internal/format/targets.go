// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// A Target is a SKILL.md to look at.
type Target struct {
	// Path is the file as it is shown: the argument and what follows in it.
	Path string
	// Dir is the skill's directory, absolute, links not resolved: its last element is
	// the name that the skill's has to equal. Name is the file's name in it.
	Dir, Name string
	// Bound is the directory, free of links, outside of which nothing is changed for
	// this target. Empty: nothing is changed at all.
	Bound string
	// Entry is the skill's in the catalog, when that is how it was found. A Copy is a file
	// of the same content as an entry's, which has none of its own.
	Entry *catalog.Entry
	Copy  bool
}

// File is the absolute path of the file.
func (t Target) File() string { return filepath.Join(t.Dir, t.Name) }

// given is the path by which package skill is to look: the directory, so that whatever
// is called SKILL.md in there is judged, be it a link to nothing or a directory.
func (t Target) given() string {
	if t.Name == "SKILL.md" {
		return filepath.Dir(t.Path)
	}
	return t.Path
}

// Targets is what paths lead to.
type Targets struct {
	Skills []Target
	// Notes are about the way: folders that could not be searched, links that were not
	// followed, files that are almost called right.
	Notes []skill.Finding
	// direct is set when each argument was itself a skill.
	direct bool
}

// Find finds the SKILL.md files that arguments mean: each is such a file, the directory
// of a skill, or a directory with skills anywhere below. Without arguments it is
// the catalog of where. A path that does not exist is a usage error, before anything else
// is done; one without skills is a finding (FMT-1), since somebody expected one there.
func Find(ctx context.Context, args []string, where catalog.Options) (*Targets, error) {
	if len(args) == 0 {
		return fromCatalog(ctx, where)
	}
	for _, arg := range args {
		switch _, err := os.Stat(arg); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, cli.Usagef("there is no file or directory %q: check the spelling, or leave the path out to mean the skills of the working directory", arg)
		case err != nil:
			return nil, &cli.ExitError{Status: cli.ExitUsage, Err: err}
		}
	}
	w := &tree{seen: map[string]bool{}, out: Targets{direct: true}}
	for _, arg := range args {
		if err := w.argument(ctx, arg); err != nil {
			return nil, err
		}
	}
	return &w.out, nil
}

func (t *Targets) note(rule string, sev skill.Severity, path, format string, args ...any) {
	t.Notes = append(t.Notes, skill.Finding{Rule: rule, Severity: sev, File: path, Message: fmt.Sprintf(format, args...)})
}

// Where says where the catalog of the working directory looks.
func Where(c cli.Choices) (catalog.Options, error) {
	o, err := c.Catalog()
	if err != nil {
		return o, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return o, err
	}
	o.Workspace = []string{cwd}
	return o, nil
}

// fromCatalog finds every SKILL.md that a catalog met, also those that it had to leave out
// and those that another one shadows.
func fromCatalog(ctx context.Context, where catalog.Options) (*Targets, error) {
	snapshot, err := catalog.Scan(ctx, where)
	if err != nil {
		return nil, err
	}
	out := new(Targets)
	seen := map[string]bool{}
	add := func(path, bound string, e *catalog.Entry) {
		if path == "" || seen[path] {
			return
		}
		seen[path] = true
		dir, name := filepath.Split(path)
		out.Skills = append(out.Skills, Target{Path: short(path), Dir: filepath.Clean(dir), Name: name, Bound: bound, Entry: e})
	}
	for _, e := range snapshot.All() {
		bound := ""
		if e.Scope == catalog.Workspace {
			// What the user did not name is changed only in the project that they work on.
			bound = resolved(e.Root)
		}
		add(e.Path, bound, e)
		for _, path := range e.Copies {
			if seen[path] {
				continue
			}
			add(path, "", nil)
			out.Skills[len(out.Skills)-1].Copy = true
		}
	}
	for _, f := range snapshot.Findings() {
		switch {
		case seen[f.File]:
			// The validator says it anew; shadowing is nothing that a file is to blame for.
		case f.Skip && isSkillFile(filepath.Base(f.File)):
			add(f.File, boundOf(f.File, where), nil)
		case f.Rule != "DSC-4" && strings.HasPrefix(f.Rule, "DSC-"):
			f.File = short(f.File)
			out.Notes = append(out.Notes, f)
		}
	}
	return out, nil
}

// boundOf is the workspace directory that a file lies in, or "".
func boundOf(file string, where catalog.Options) string {
	for _, dir := range where.Workspace {
		dir = resolved(dir)
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			return dir
		}
	}
	return ""
}

// short is a path relative to the working directory, if it lies in there.
func short(path string) string {
	if cwd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(resolved(cwd), path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}

// resolved is a path with links resolved, or as it is when that fails.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// isSkillFile reports whether a file of this name defines a skill (FMT-1).
func isSkillFile(name string) bool { return name == "SKILL.md" || name == "skill.md" }

// skillEntry picks the entry that makes a directory a skill, or that was meant to.
func skillEntry(entries []fs.DirEntry) (exact, near fs.DirEntry) {
	for _, e := range entries {
		switch name := e.Name(); {
		case name == "SKILL.md", name == "skill.md" && exact == nil:
			exact = e
		case strings.EqualFold(name, "SKILL.md") && !e.IsDir():
			near = e
		}
	}
	return exact, near
}

func byName(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) }

// readDir lists a directory in the order of names, with what was read before an error.
func readDir(dir string) ([]fs.DirEntry, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, byName)
	return entries, err
}

// cause is the reason in an error of the file system, without the path.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return skill.Sanitize(err.Error())
}
