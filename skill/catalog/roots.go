// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
)

// A root is one directory that skills are looked for under.
type root struct {
	scope   Scope
	path    string // as configured: base and client folder
	real    string // links resolved
	label   string // qualifier for shadowed names
	trusted bool
	self    bool // the root itself may be a skill
	place   *Root
}

// plan is what one scan looks at, and what has to be watched to notice that it changed.
type plan struct {
	roots []root
	// places are all that was considered, in order of precedence.
	places []*Root
	// bases are the real workspace directories: where links of an untrusted workspace
	// may lead to (DSC-5).
	bases    []string
	findings []skill.Finding
	watch    watchSet
	skills   []string // directories of skills, to watch too
	// aliases are other paths by which a root, by its real path, was reached.
	aliases  map[string][]string
	homeless *Root // why there is no user scope
	// keys are the directories that Options.Trusted is asked about.
	keys []string
}

// makePlan resolves options against the disk. trusted answers for real paths.
func makePlan(o Options, trusted func(string) bool) *plan {
	p := &plan{watch: watchSet{}, aliases: map[string][]string{}}
	seen := map[string]bool{}
	home := p.home(o)
	// The user's folders are claimed first, so that a workspace at or above the home
	// directory does not take them over and put them under the workspace's rules.
	var user []root
	var userPlaces []*Root
	claimed := map[string]bool{}
	if home != "" {
		for _, f := range o.ClientFolders {
			r, ok := p.folder(User, home, f)
			userPlaces = append(userPlaces, r.place)
			switch {
			case !ok:
			case claimed[r.real]:
				p.alias(r)
			default:
				claimed[r.real] = true
				r.label, r.trusted = "user", true
				r.place.Trusted = true
				user = append(user, r)
			}
		}
	}
	for i, dir := range o.Workspace {
		real, ok := p.workspace(dir)
		if !ok {
			continue
		}
		dirs, top := []string{real}, real
		if i == 0 {
			dirs, top = climb(real)
		}
		p.bases = append(p.bases, top)
		p.keys = append(p.keys, top)
		ok = trusted(top)
		for _, base := range dirs {
			if i == 0 && base == real {
				p.watch.add(base, ".git")
			}
			for _, f := range o.ClientFolders {
				r, found := p.folder(Workspace, base, f)
				p.places = append(p.places, r.place)
				if !found {
					continue
				}
				if seen[r.real] || claimed[r.real] {
					p.alias(r)
					continue
				}
				seen[r.real] = true
				r.label, r.trusted = label(base), ok
				r.place.Trusted = ok
				p.roots = append(p.roots, r)
			}
		}
	}
	// A link out of an untrusted workspace is no root; whether it is out can be told only
	// now that all directories are known.
	kept := p.roots[:0]
	for _, r := range p.roots {
		if r.trusted || p.inside(r.real) != "" {
			kept = append(kept, r)
			continue
		}
		p.report("DSC-5", skill.Warning, r.path, "a link to %s, outside of the workspace; trust the workspace to follow it", skill.Sanitize(r.real))
		r.place.State, r.place.Reason = RootRefused, "a link out of the workspace, which is not trusted"
	}
	p.roots = kept
	if !o.NoUser {
		if p.homeless != nil {
			p.places = append(p.places, p.homeless)
		}
		p.places = append(p.places, userPlaces...)
		for _, r := range user {
			if !seen[r.real] {
				seen[r.real] = true
				p.roots = append(p.roots, r)
			}
		}
	}
	for _, dir := range o.Extra {
		r, ok := p.extra(dir)
		p.places = append(p.places, r.place)
		switch {
		case !ok:
		case seen[r.real]:
			p.alias(r)
		default:
			seen[r.real] = true
			p.roots = append(p.roots, r)
		}
	}
	return p
}

func (p *plan) report(rule string, sev skill.Severity, file, format string, args ...any) {
	p.findings = append(p.findings, skill.Finding{Rule: rule, Severity: sev, File: file, Message: fmt.Sprintf(format, args...)})
}

// alias remembers another way to a root that is in the plan already.
func (p *plan) alias(r root) {
	r.place.State, r.place.Reason = RootSame, "the same directory as another root"
	if !slices.Contains(p.aliases[r.real], r.path) {
		p.aliases[r.real] = append(p.aliases[r.real], r.path)
	}
}

// inside returns the workspace directory that a real path lies in, or "".
func (p *plan) inside(path string) string {
	for _, b := range p.bases {
		if contains(b, path) {
			return b
		}
	}
	return ""
}

func (p *plan) home(o Options) string {
	if o.Home == "" {
		return ""
	}
	if !filepath.IsAbs(o.Home) || filepath.Dir(filepath.Clean(o.Home)) == filepath.Clean(o.Home) {
		p.report("DSC-6", skill.Warning, o.Home, "this home directory is not used; set HOME to an absolute path other than the root")
		p.noHome(o, RootInvalid, "not an absolute path other than the root")
		return ""
	}
	real, err := filepath.EvalSymlinks(o.Home)
	if err != nil {
		p.watchMissing(filepath.Clean(o.Home))
		p.noHome(o, absent(err), cause(err))
		return ""
	}
	return real
}

// noHome remembers that there is no user scope although one was asked for.
func (p *plan) noHome(o Options, state RootState, reason string) {
	if !o.NoUser {
		p.homeless = missed(User, o.Home, state, reason)
	}
}

// absent tells a path that does not exist from one that cannot be reached.
func absent(err error) RootState {
	if errors.Is(err, fs.ErrNotExist) {
		return RootMissing
	}
	return RootUnreadable
}

func (p *plan) workspace(dir string) (string, bool) {
	if !filepath.IsAbs(dir) {
		p.report("DSC-1", skill.Error, dir, "a workspace directory must be an absolute path; give one")
		p.places = append(p.places, missed(Workspace, dir, RootInvalid, "not an absolute path"))
		return "", false
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		p.report("DSC-6", skill.Warning, dir, "this workspace directory cannot be read: %s", cause(err))
		p.places = append(p.places, missed(Workspace, dir, absent(err), cause(err)))
		p.watchMissing(filepath.Clean(dir))
		return "", false
	}
	return real, true
}

// folder finds a client folder in a base directory, and has watched what may make it come,
// go or lead elsewhere.
func (p *plan) folder(scope Scope, base, folder string) (root, bool) {
	path := filepath.Join(base, filepath.FromSlash(folder))
	at := base
	for _, name := range strings.Split(folder, "/") {
		p.watch.add(at, name)
		next, err := filepath.EvalSymlinks(filepath.Join(at, name))
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				p.report("DSC-6", skill.Warning, path, "cannot be read: %s", cause(err))
			}
			return root{place: missed(scope, path, absent(err), cause(err))}, false
		}
		at = next
	}
	return p.directory(scope, path, at)
}

func (p *plan) directory(scope Scope, path, real string) (root, bool) {
	fi, err := os.Stat(real)
	if err != nil {
		p.report("DSC-6", skill.Warning, path, "cannot be read: %s", cause(err))
		return root{place: missed(scope, path, absent(err), cause(err))}, false
	}
	if !fi.IsDir() {
		p.report("DSC-6", skill.Warning, path, "not a directory; skills are directories beneath it")
		return root{place: missed(scope, path, RootNotDir, "not a directory")}, false
	}
	return root{scope: scope, path: path, real: real, place: &Root{Scope: scope, Path: path, Real: real}}, true
}

func (p *plan) extra(dir string) (root, bool) {
	if !filepath.IsAbs(dir) {
		p.report("DSC-1", skill.Error, dir, "an extra root must be an absolute path; give one")
		return root{place: missed(Extra, dir, RootInvalid, "not an absolute path")}, false
	}
	path := filepath.Clean(dir)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		p.report("DSC-6", skill.Warning, dir, "this extra root cannot be read: %s", cause(err))
		p.watchMissing(path)
		return root{place: missed(Extra, path, absent(err), cause(err))}, false
	}
	if up, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		p.watch.add(up, filepath.Base(path))
	}
	r, ok := p.directory(Extra, path, real)
	r.label, r.trusted, r.self = label(path), true, true
	r.place.Trusted = true
	return r, ok
}

// watchMissing watches the nearest ancestor that exists for the next step on the way.
func (p *plan) watchMissing(path string) {
	for range maxClimb {
		dir := filepath.Dir(path)
		if dir == path {
			return
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			p.watch.add(real, filepath.Base(path))
			return
		}
		path = dir
	}
}

// climb returns dir and its ancestors up to and including the git root, and that root. A
// .git that is a file marks a worktree or submodule, which is a root as well. Without a git
// root it returns dir alone. An ancestor that cannot be read ends the climb.
func climb(dir string) (dirs []string, top string) {
	at := dir
	for range maxClimb {
		dirs = append(dirs, at)
		_, err := os.Lstat(filepath.Join(at, ".git"))
		if err == nil {
			return dirs, at
		}
		up := filepath.Dir(at)
		if up == at || !errors.Is(err, fs.ErrNotExist) {
			break
		}
		at = up
	}
	return []string{dir}, dir
}

// label is a directory's name as a qualifier: without what could be taken for a separator.
func label(dir string) string {
	s := skill.Sanitize(filepath.Base(dir))
	s = strings.Map(func(r rune) rune {
		switch r {
		case ' ', ':', '/', '\\':
			return '-'
		}
		return r
	}, s)
	if s == "" || s == "." || s == "-" {
		return "root"
	}
	return s
}

func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return skill.Sanitize(err.Error())
}
