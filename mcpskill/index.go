// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/skillgraft/skillgraft/skill"
)

// A Problem is why a skill, or a file of one, is not served.
type Problem struct {
	// Path is the skill's, in the server's namespace.
	Path string
	// Rule is the id of the rule that it breaks.
	Rule string
	// Reason is one line.
	Reason string
}

// String is "path: reason (rule)".
func (p Problem) String() string {
	return fmt.Sprintf("%s: %s (%s)", skill.Sanitize(p.Path), skill.Sanitize(p.Reason), p.Rule)
}

// servedFile is one file of a served skill, as it was when it was last looked at.
type servedFile struct {
	rel  string // decoded, with slashes
	uri  string
	mime string
	Resource
	mod  time.Time
	seen time.Time // when it was hashed
	main *served   // the skill whose SKILL.md this is
}

// served is one skill of an index. It is immutable.
type served struct {
	bundle   Bundle
	uri      string // of SKILL.md
	name     string
	about    string // description
	files    []servedFile
	entry    json.RawMessage
	problems []Problem
}

// index is what a server has at one moment. It is immutable.
type index struct {
	skills   []*served // that are listed, by uri
	byURI    map[string]*served
	files    []fileAt // by uri, each once
	byFile   map[string]int
	problems []Problem
}

type fileAt struct {
	*servedFile
	of *served
}

// build looks at every bundle. What prev has of files that have not changed is taken
// over.
func build(ctx context.Context, bundles []Bundle, prefix string, prev *index) (*index, error) {
	if prev == nil {
		prev = &index{}
	}
	type result struct {
		found    []*served
		problems []Problem
	}
	results := make([]result, len(bundles))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, b := range bundles {
		g.Go(func() error {
			if err := gctx.Err(); err != nil {
				return err
			}
			b.Path = path.Join(prefix, b.Path)
			results[i].found, results[i].problems = look(b, prev)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	ix := &index{byURI: map[string]*served{}, byFile: map[string]int{}}
	files := map[string]fileAt{}
	for _, r := range results {
		ix.problems = append(ix.problems, r.problems...)
		for _, s := range r.found {
			ix.problems = append(ix.problems, s.problems...)
			if other := ix.byURI[s.uri]; other != nil {
				ix.problems = append(ix.problems, Problem{s.bundle.Path, "MCP-2", "another skill is served under this path already; move one, or serve it under a prefix"})
				continue
			}
			ix.byURI[s.uri] = s
			if !s.bundle.Unlisted {
				ix.skills = append(ix.skills, s)
			}
			for i := range s.files {
				f := &s.files[i]
				if have, ok := files[f.uri]; !ok || have.main == nil && f.main != nil {
					files[f.uri] = fileAt{f, s}
				}
			}
		}
	}
	slices.SortFunc(ix.skills, func(a, b *served) int { return strings.Compare(a.uri, b.uri) })
	ix.files = make([]fileAt, 0, len(files))
	for _, f := range files {
		ix.files = append(ix.files, f)
	}
	slices.SortFunc(ix.files, func(a, b fileAt) int { return strings.Compare(a.uri, b.uri) })
	for i, f := range ix.files {
		ix.byFile[f.uri] = i
	}
	return ix, nil
}

// settled is how long before it was hashed a file must have changed for its time to
// be trusted: a second change within the clock's grain would not show.
const settled = 2 * time.Second

// same reports whether two file systems are one, so that what is known of a file's
// time holds for the other.
func same(a, b fs.FS) bool {
	if a == nil || b == nil || reflect.TypeOf(a) != reflect.TypeOf(b) || !reflect.TypeOf(a).Comparable() {
		return false
	}
	return a == b
}

// found is a file that a walk came by.
type found struct {
	rel  string
	size int64
	mod  time.Time
}

// look makes a skill of a bundle, and those nested in it.
func look(b Bundle, prev *index) (out []*served, problems []Problem) {
	root := "skill://" + escapePath(b.Path)
	uri := root + "/" + mainFile
	reject := func(rule, format string, args ...any) ([]*served, []Problem) {
		return nil, append(problems, Problem{b.Path, rule, fmt.Sprintf(format, args...)})
	}
	if _, _, err := skillURI(uri); err != nil {
		return reject("MCP-2", "%v", err)
	}
	walked, problems, err := walk(b)
	var over *limitError
	switch {
	case errors.As(err, &over):
		return reject("MCP-2", "%v; it is not served", over)
	case err != nil:
		return reject("MCP-2", "the skill cannot be read: %v", err)
	}
	old := prev.byURI[uri]
	if old != nil && unchanged(old, b, walked) {
		out = append(out, old)
		for _, f := range old.files {
			if dir, ok := strings.CutSuffix(f.rel, "/"+mainFile); ok {
				if s := prev.byURI["skill://"+escapePath(path.Join(b.Path, dir))+"/"+mainFile]; s != nil {
					out = append(out, s)
				} else if n, p := nested(b, dir, prev); len(n) > 0 {
					out, problems = append(out, n...), append(problems, p...)
				}
			}
		}
		return out, nil
	}
	s := &served{bundle: b, uri: uri, problems: problems}
	problems = nil
	known := map[string]servedFile{}
	if old != nil && same(old.bundle.Files, b.Files) {
		for _, f := range old.files {
			known[f.rel] = f
		}
	}
	var total int64
	var main []byte
	var dirs []string
	for _, w := range walked {
		f := servedFile{rel: w.rel, uri: root + "/" + escapePath(w.rel)}
		if k, ok := known[w.rel]; ok && w.rel != mainFile && !b.Dynamic && k.current(w) {
			f = k
		} else {
			now := time.Now()
			content, info, err := readFile(b.Files, w.rel, MaxSize)
			if err != nil {
				return reject("MCP-2", "its file %s cannot be read: %v; it is not served", w.rel, err)
			}
			f.mod, f.seen = info.ModTime(), now
			f.mime = mimeType(w.rel, content)
			f.Resource = Resource{URI: f.uri, Digest: digest(content), Size: int64(len(content))}
			if w.rel == mainFile {
				main = content
			}
		}
		f.main = nil
		if total += f.Size; total > MaxSize {
			return reject("MCP-2", "its files have more than %d bytes; it is not served", MaxSize)
		}
		s.files = append(s.files, f)
		if dir, ok := strings.CutSuffix(w.rel, "/"+mainFile); ok {
			dirs = append(dirs, dir)
		}
	}
	doc := skill.Parse(main, &skill.ParseOptions{File: path.Join(b.Path, mainFile), Dir: path.Base(b.Path)})
	if !doc.Valid() || doc.Repaired {
		for _, f := range doc.Findings {
			if f.Severity == skill.Error {
				return reject(f.Rule, "%s; it is not served", f.Message)
			}
		}
		return reject("FMT-4", "its frontmatter is not valid; it is not served")
	}
	s.name, s.about = doc.Frontmatter.Name, doc.Frontmatter.Description
	e := Skill{URI: uri, Frontmatter: doc.Frontmatter.JSON(), Dynamic: b.Dynamic}
	for i := range s.files {
		if s.files[i].rel == mainFile {
			s.files[i].main = s
		}
		e.Resources = append(e.Resources, s.files[i].Resource)
	}
	if s.entry, err = json.Marshal(e); err != nil {
		return reject("MCP-2", "%v", err)
	}
	out = append(out, s)
	for _, dir := range dirs {
		n, p := nested(b, dir, prev)
		out, s.problems = append(out, n...), append(s.problems, p...)
	}
	return out, problems
}

// nested is a skill in a directory of another one. One that is no valid skill is
// a file of the outer one and nothing else: it is reported as such.
func nested(b Bundle, dir string, prev *index) ([]*served, []Problem) {
	sub, err := fs.Sub(b.Files, dir)
	if d, ok := b.Files.(dirFS); ok {
		sub = subDir{d, dir}
	}
	if err != nil {
		return nil, []Problem{{path.Join(b.Path, dir), "MCP-2", err.Error()}}
	}
	// Only the skill itself is made here: the walk of the outer one has found all.
	inner := Bundle{Path: path.Join(b.Path, dir), Files: sub, Dynamic: b.Dynamic, Unlisted: b.Unlisted}
	out, problems := look(inner, prev)
	if len(out) > 1 {
		out = out[:1] // those below it are found by the outer walk
	}
	for i := range problems {
		problems[i].Reason += " (as a skill of its own; it stays a file of " + b.Path + ")"
	}
	return out, problems
}

// subDir is a directory in a dirFS. It is comparable, unlike what fs.Sub makes.
type subDir struct {
	dir dirFS
	sub string
}

func (s subDir) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return s.dir.Open(path.Join(s.sub, name))
}

func unchanged(old *served, b Bundle, walked []found) bool {
	if b.Dynamic || old.bundle.Dynamic || old.bundle.Unlisted != b.Unlisted || !same(old.bundle.Files, b.Files) || len(old.files) != len(walked) {
		return false
	}
	for i, w := range walked {
		if !old.files[i].current(w) {
			return false
		}
	}
	return true
}

// current reports whether a file looks as it did when it was hashed.
func (f servedFile) current(w found) bool {
	return f.rel == w.rel && f.Size == w.size && !w.mod.IsZero() && f.mod.Equal(w.mod) && f.seen.Sub(f.mod) > settled
}

type limitError struct{}

func (e *limitError) Error() string { return fmt.Sprintf("it has more than %d files", MaxFiles) }

// walk finds the files of a skill, in the order of their paths.
func walk(b Bundle) (out []found, problems []Problem, err error) {
	err = fs.WalkDir(b.Files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", p, err) // a set of files that is not complete is no entry
		}
		if p == "." {
			return nil
		}
		if hiddenName(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		if !utf8.ValidString(p) || strings.ContainsFunc(p, unicode.IsControl) || strings.Contains(p, "\\") {
			problems = append(problems, Problem{b.Path, "MCP-2", fmt.Sprintf("the file %q is not served: its name cannot stand in a uri that all read alike", p)})
			return nil
		}
		info, err := fs.Stat(b.Files, p)
		if err != nil {
			problems = append(problems, Problem{b.Path, "MCP-2", fmt.Sprintf("the file %s is not served: %v", p, err)})
			return nil
		}
		if !info.Mode().IsRegular() {
			problems = append(problems, Problem{b.Path, "MCP-2", fmt.Sprintf("%s is not served: it is not a regular file", p)})
			return nil
		}
		if len(out) == MaxFiles {
			return &limitError{}
		}
		out = append(out, found{p, info.Size(), info.ModTime()})
		return nil
	})
	slices.SortFunc(out, func(a, b found) int { return strings.Compare(a.rel, b.rel) })
	return out, problems, err
}

// Digest is the digest of a file's bytes as entries have it.
func Digest(b []byte) string { return digest(b) }

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// equal reports whether peers would see the same.
func (ix *index) equal(o *index) bool {
	return slices.EqualFunc(ix.skills, o.skills, func(a, b *served) bool { return a == b || a.uri == b.uri && string(a.entry) == string(b.entry) }) &&
		slices.EqualFunc(ix.files, o.files, func(a, b fileAt) bool { return a.Resource == b.Resource })
}

// children are the direct members of a directory, by uri; ok is false when there is
// no such directory.
func (ix *index) children(uri string) (out []child, ok bool) {
	prefix := uri + "/"
	i, _ := slices.BinarySearchFunc(ix.files, prefix, func(f fileAt, p string) int { return strings.Compare(f.uri, p) })
	for ; i < len(ix.files) && strings.HasPrefix(ix.files[i].uri, prefix); i++ {
		seg, _, deeper := strings.Cut(ix.files[i].uri[len(prefix):], "/")
		if deeper {
			if sub := prefix + seg; len(out) == 0 || out[len(out)-1].uri != sub {
				out = append(out, child{uri: sub})
			}
			continue
		}
		out = append(out, child{uri: ix.files[i].uri, file: &ix.files[i]})
	}
	slices.SortFunc(out, func(a, b child) int { return strings.Compare(a.uri, b.uri) })
	return slices.CompactFunc(out, func(a, b child) bool { return a.uri == b.uri }), len(out) > 0
}

type child struct {
	uri  string
	file *fileAt // nil for a directory
}
