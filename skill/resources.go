// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// ErrNoFiles is returned for the bundled files of a skill that was made in memory.
var ErrNoFiles = errors.New("skill: this skill has no directory")

// A FileList is a capped list of a skill's bundled files.
type FileList struct {
	// Files are slash-separated paths relative to the skill's directory, sorted.
	Files []string
	// Total is how many were counted; it is a lower bound when Partial is set.
	Total int
	// Truncated is true when Files is not all of them.
	Truncated bool
	// Partial is true when the walk met its own bound before the end.
	Partial bool
}

// open returns the skill's directory as a file system that links cannot lead out of
// (ACT-7), and a function that gives it back.
func (s *Skill) open() (fs.FS, func(), error) {
	if s.fsys != nil {
		return s.fsys, func() {}, nil
	}
	root, err := s.openRoot(s.Dir)
	if err != nil {
		return nil, nil, err
	}
	return rootFS{root}, func() { root.Close() }, nil
}

// openRoot opens a directory of the skill, without leaving the root under which the skill
// was found even if a directory on the way has become a link since.
func (s *Skill) openRoot(dir string) (*os.Root, error) {
	if s.Dir == "" {
		return nil, ErrNoFiles
	}
	rel, ok := within(s.anchor, dir)
	if !ok {
		// The directory of a followed link's target need not contain the skill's own.
		return os.OpenRoot(dir)
	}
	anchor, err := os.OpenRoot(s.anchor)
	if err != nil || rel == "." {
		return anchor, err
	}
	defer anchor.Close()
	return anchor.OpenRoot(rel)
}

// rootFS is a root as a file system whose opens do not wait.
type rootFS struct{ root *os.Root }

func (r rootFS) Open(name string) (fs.File, error) {
	return r.root.OpenFile(filepath.FromSlash(name), openFlags, 0)
}

func (r rootFS) Stat(name string) (fs.FileInfo, error) { return r.root.Stat(filepath.FromSlash(name)) }

func (r rootFS) ReadDir(name string) ([]fs.DirEntry, error) {
	return fs.ReadDir(r.root.FS(), name)
}

// Files lists the regular files beneath the skill's directory, without its SKILL.md, up to
// max names (zero means [MaxFiles]). Dot-directories and node_modules are left out; links
// are listed when they lead to a file inside. Nothing is read (ACT-3).
func (s *Skill) Files(max int) (*FileList, error) {
	if max <= 0 {
		max = MaxFiles
	}
	fsys, done, err := s.open()
	if err != nil {
		return nil, err
	}
	defer done()
	return listFiles(fsys, max), nil
}

func listFiles(fsys fs.FS, max int) *FileList {
	l := new(FileList)
	visited := 0
	// Errors below the top are holes in the list, not failures: a list that says less
	// is better than an activation that fails for an unreadable cache directory.
	_ = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if visited++; visited > maxVisited {
			l.Partial = true
			return fs.SkipAll
		}
		name := path.Base(p)
		if err != nil || d == nil {
			return nil
		}
		if d.IsDir() {
			if p != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || strings.Count(p, "/") >= maxFileDepth) {
				return fs.SkipDir
			}
			return nil
		}
		if isSkillFile(p) {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			if fi, err := fs.Stat(fsys, p); err != nil || !fi.Mode().IsRegular() {
				return nil
			}
		} else if !d.Type().IsRegular() {
			return nil
		}
		l.Total++
		if len(l.Files) < max {
			l.Files = append(l.Files, p)
		}
		return nil
	})
	sort.Strings(l.Files)
	l.Truncated = l.Partial || l.Total > len(l.Files)
	return l
}

// ReadFile returns a bundled file by its path relative to the skill's directory, with
// slashes. Paths and links that lead outside are refused by the operating system's own
// resolution, not by comparing names (ACT-7); so are directories, FIFOs and devices, and
// files of more than limit bytes (zero means [MaxResource]).
func (s *Skill) ReadFile(name string, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = MaxResource
	}
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if !fs.ValidPath(clean) || clean == "." {
		return nil, &fs.PathError{Op: "read", Path: Sanitize(name), Err: errors.New("not a path inside the skill's directory")}
	}
	fsys, done, err := s.open()
	if err != nil {
		return nil, err
	}
	defer done()
	f, err := fsys.Open(clean)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRegular(f, clean, limit)
}

// readRegular reads an open regular file of at most limit bytes. The size is checked on
// what is read, not on what the file said before.
func readRegular(f fs.File, name string, limit int64) ([]byte, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: Sanitize(name), Err: errors.New("not a regular file")}
	}
	// What the file said is right nearly always, and then one piece of memory does.
	buf := bytes.NewBuffer(make([]byte, 0, max(0, min(fi.Size(), limit))+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	b := buf.Bytes()
	if int64(len(b)) > limit {
		return nil, &fs.PathError{Op: "read", Path: Sanitize(name), Err: fmt.Errorf("larger than %d bytes", limit)}
	}
	return b, nil
}
