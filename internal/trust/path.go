// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/skillgraft/skillgraft/skill"
)

// Canonical is the path by which a directory is known: absolute, with every link
// resolved. The directory has to exist.
func Canonical(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// covers reports whether path is dir or lies beneath it. Both are canonical.
func covers(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// A WideError says that a directory holds so much that trusting it would mean
// trusting all there is.
type WideError struct {
	Path string // canonical
	Why  string // a clause: "it is ..."
}

func (e *WideError) Error() string {
	return fmt.Sprintf("%s was not trusted: %s, and trust covers everything beneath. Trust the one directory that you work in, or say --force", skill.Sanitize(e.Path), e.Why)
}

// tooWide says why a directory must not be trusted by a slip, empty when it may.
func tooWide(path, home string) string {
	if filepath.Dir(path) == path {
		return "it is the root of the file system"
	}
	if home == "" {
		return ""
	}
	real, err := Canonical(home)
	if err != nil {
		real = filepath.Clean(home)
	}
	switch {
	case path == real:
		return "it is the home directory"
	case covers(path, real):
		return "the home directory is in it"
	}
	return ""
}

// An UnknownError says that a directory is not in the store.
type UnknownError struct {
	Path string
	By   string // the trusted directory that covers it; empty for none
}

func (e *UnknownError) Error() string {
	if e.By != "" {
		return fmt.Sprintf("%s is trusted because it lies in %s: remove that", skill.Sanitize(e.Path), skill.Sanitize(e.By))
	}
	return fmt.Sprintf("%s is not trusted: there is nothing to remove", skill.Sanitize(e.Path))
}

// spellings are the paths by which a directory may be in the store: one that is
// gone is found under what was typed.
func spellings(path string) ([]string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []string{abs}, nil
	case err != nil:
		return nil, err
	}
	return []string{real, abs}, nil
}
