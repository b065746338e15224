// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"
)

// Options set up a [Store].
type Options struct {
	// Dir is the directory of the store, which need not exist. Empty means that
	// there is none: nothing is trusted, and nothing can be.
	Dir string
	// Home is the user's home directory, which [Store.Add] refuses to trust. It
	// may be empty.
	Home string
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
}

// A Store is the list of trusted workspaces. It keeps nothing in memory: what
// another process added is seen by the next question. It is safe for concurrent
// use, also by several processes.
type Store struct{ opts Options }

// Open returns the store. It touches nothing; a store that cannot be read says
// so when it is asked. A nil pointer means no store.
func Open(opts *Options) *Store {
	s := &Store{}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	return s
}

// ErrNoStore is the answer to a change when there is no store.
var ErrNoStore = errors.New("there is no place to remember trusted workspaces: set HOME or XDG_CONFIG_HOME to a directory")

// An Entry is a trusted directory.
type Entry struct {
	Path  string    `json:"path"`           // canonical when it was added
	Added time.Time `json:"added,omitzero"` // in UTC; zero when it is not known
}

// Path is the store's file, empty when there is none.
func (s *Store) Path() string {
	if s.opts.Dir == "" {
		return ""
	}
	return filepath.Join(s.opts.Dir, "trust.json")
}

// List returns the trusted directories in the order of their paths.
func (s *Store) List() ([]Entry, error) {
	f, err := s.read()
	if err != nil {
		return nil, err
	}
	return f.entries(), nil
}

// Trusted reports whether a directory is trusted: it or one that it lies in is in
// the store. With an error the answer is false.
func (s *Store) Trusted(path string) (bool, error) {
	by, err := s.By(path)
	return by != "", err
}

// By returns the trusted directory that covers a path, empty when there is none.
func (s *Store) By(path string) (string, error) {
	f, err := s.read()
	if err != nil || len(f.items) == 0 {
		return "", err
	}
	real, err := Canonical(path)
	if err != nil {
		return "", err
	}
	return f.covering(real), nil
}

// Add trusts a directory, which has to exist. The root, the home directory and
// what holds it are a *[WideError] unless force is set. Trusting twice is no error.
func (s *Store) Add(path string, force bool) (Entry, error) {
	real, err := Canonical(path)
	if err != nil {
		return Entry{}, err
	}
	if st, err := os.Stat(real); err != nil {
		return Entry{}, err
	} else if !st.IsDir() {
		return Entry{}, &fs.PathError{Op: "trust", Path: path, Err: errors.New("not a directory: name the workspace's directory")}
	}
	if !utf8.ValidString(real) {
		return Entry{}, &fs.PathError{Op: "trust", Path: path, Err: errors.New("its name is not UTF-8, so that it cannot be written down: rename it")}
	}
	if why := tooWide(real, s.opts.Home); why != "" && !force {
		return Entry{}, &WideError{Path: real, Why: why}
	}
	e := Entry{Path: real, Added: s.opts.Now().UTC().Truncate(time.Second)}
	err = s.change(func(f *file) (bool, error) {
		if have := f.find(real); have >= 0 {
			e = f.items[have].Entry
			return false, nil
		}
		return true, f.add(e)
	})
	return e, err
}

// Remove ends the trust in a directory and returns the path that was removed. The
// directory need not exist any more. One that is not in the store is an
// *[UnknownError].
func (s *Store) Remove(path string) (string, error) {
	names, err := spellings(path)
	if err != nil {
		return "", err
	}
	removed := ""
	err = s.change(func(f *file) (bool, error) {
		for _, name := range names {
			if i := f.find(name); i >= 0 {
				removed = name
				f.items = slices.Delete(f.items, i, i+1)
				return true, nil
			}
		}
		return false, &UnknownError{Path: names[0], By: f.covering(names[0])}
	})
	return removed, err
}

func (s *Store) read() (*file, error) {
	if s.opts.Dir == "" {
		return &file{}, nil
	}
	return readFile(s.Path())
}

// change reads, changes and writes the file as one step among all processes.
func (s *Store) change(f func(*file) (changed bool, err error)) error {
	if s.opts.Dir == "" {
		return ErrNoStore
	}
	if err := os.MkdirAll(s.opts.Dir, 0o700); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(s.opts.Dir, "trust.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	content, err := s.read()
	if err != nil {
		return err
	}
	changed, err := f(content)
	if err != nil || !changed {
		return err
	}
	return content.write(s.Path())
}
