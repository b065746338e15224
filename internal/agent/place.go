// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/skillgraft/skillgraft/skill"
)

// maxFile is the largest file that the tools read, in bytes.
const maxFile = 8 << 20

// A place is a file in one of the session's directories. What it leads to is decided
// when it is opened, by [os.Root]: no link leads out of the directory.
type place struct {
	root string // absolute
	rel  string // in it
}

// abs is the place's path, for showing.
func (p place) abs() string { return filepath.Join(p.root, p.rel) }

// place finds a path in the session's directories. A relative one is one of the working
// directory.
func (s *session) place(path string) (place, error) {
	roots := s.skills().roots
	if path == "" {
		path = "."
	}
	abs := filepath.FromSlash(path)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(roots[0], abs)
	}
	best := place{}
	for _, root := range roots {
		names := []string{root}
		if real, err := filepath.EvalSymlinks(root); err == nil && real != root {
			names = append(names, real)
		}
		for _, name := range names {
			rel, err := filepath.Rel(name, abs)
			if err == nil && filepath.IsLocal(rel) && (best.root == "" || len(root) > len(best.root)) {
				best = place{root, rel}
			}
		}
	}
	if best.root == "" {
		return best, fmt.Errorf("%s is not in one of the session's directories: %s", skill.Sanitize(path), list(roots))
	}
	return best, nil
}

func list(dirs []string) string {
	out := ""
	for i, d := range dirs {
		if i > 0 {
			out += ", "
		}
		out += skill.Sanitize(d)
	}
	return out
}

// in calls f with the place's directory open.
func (p place) in(f func(root *os.Root) error) error {
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return err
	}
	defer root.Close()
	return f(root)
}

var errNotRegular = errors.New("is not a regular file")

// read reads a file.
func (p place) read() (data []byte, mode fs.FileMode, err error) {
	err = p.in(func(root *os.Root) error {
		f, err := root.OpenFile(p.rel, openToRead, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return &fs.PathError{Op: "read", Path: p.rel, Err: errNotRegular}
		}
		mode = info.Mode().Perm()
		data, err = io.ReadAll(io.LimitReader(f, maxFile+1))
		if err == nil && len(data) > maxFile {
			err = &fs.PathError{Op: "read", Path: p.rel, Err: fmt.Errorf("is larger than %d MiB", maxFile>>20)}
		}
		return err
	})
	return data, mode, err
}

// write replaces a file's content, whole or not at all.
func (p place) write(data []byte, mode fs.FileMode) error {
	return p.in(func(root *os.Root) error {
		if info, err := root.Stat(p.rel); err == nil && !info.Mode().IsRegular() {
			return &fs.PathError{Op: "write", Path: p.rel, Err: errNotRegular}
		}
		target := p.rel
		// A link stays one: what it leads to is written. os.Root sees to it that this
		// lies in the directory, too.
		if link, err := root.Readlink(p.rel); err == nil {
			if filepath.IsAbs(link) {
				return &fs.PathError{Op: "write", Path: p.rel, Err: errors.New("is a link with an absolute target; name the target itself")}
			}
			target = filepath.Join(filepath.Dir(p.rel), link)
			a, errA := root.Stat(p.rel)
			b, errB := root.Lstat(target)
			if errA != nil || errB != nil || !os.SameFile(a, b) {
				return &fs.PathError{Op: "write", Path: p.rel, Err: errors.New("is a link over several others, or to nothing; name the target itself")}
			}
		}
		if dir := filepath.Dir(target); dir != "." {
			if err := root.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		temp := filepath.Join(filepath.Dir(target), ".skillgraft-"+newMessageID())
		f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		if err == nil {
			err = f.Chmod(mode)
		}
		if err2 := f.Close(); err == nil {
			err = err2
		}
		if err == nil {
			err = root.Rename(temp, target)
		}
		if err != nil {
			_ = root.Remove(temp)
		}
		return err
	})
}

// why is an error of the file system without the path, which the model has.
func why(err error) string {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return skill.Sanitize(err.Error())
}
