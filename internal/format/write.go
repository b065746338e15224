// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// errOutside is why a file is not changed that a link leads to from elsewhere.
var errOutside = errors.New("it lies outside of the path that was given, behind a link; name it itself to have it changed")

// errChanged is why a file is not changed that somebody else is writing.
var errChanged = errors.New("it has changed meanwhile; try again")

// replaceFile puts new content in the place of a file's old one: in a file beside it,
// which then takes its name, so that nobody ever reads half of it and a failure leaves
// the old one. The mode is kept.
//
// Nothing outside of bound is touched, which must be absolute and free of links: every
// step to the file is taken by os.Root, and a link inside of it is followed to the file
// that it means.
func replaceFile(bound, file string, before, after []byte) (err error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(bound, real)
	if bound == "" || err != nil || !filepath.IsLocal(rel) {
		return errOutside
	}
	root, err := os.OpenRoot(bound)
	if err != nil {
		return err
	}
	defer root.Close()
	mode, err := unchanged(root, rel, before)
	if err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(rel), "."+filepath.Base(rel)+"."+rand.Text()[:8]+".tmp")
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp) // the first error is the one to tell
		}
	}()
	_, err = f.Write(after)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return root.Rename(temp, rel)
}

// unchanged makes sure that a file still is what was read, and returns its mode.
func unchanged(root *os.Root, rel string, want []byte) (os.FileMode, error) {
	st, err := root.Lstat(rel)
	if err != nil {
		return 0, err
	}
	if !st.Mode().IsRegular() {
		return 0, fmt.Errorf("it is no regular file any more")
	}
	f, err := root.Open(rel)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	have, err := io.ReadAll(io.LimitReader(f, int64(len(want))+1))
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(have, want) {
		return 0, errChanged
	}
	return st.Mode().Perm(), nil
}
