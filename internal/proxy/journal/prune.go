// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// recent is how long after a write a file is safe from Prune, whatever the
// limits are: its session is most likely open, in this process or another.
const recent = time.Hour

// Prune removes the sessions of all agents that had no record for MaxAge, and
// the oldest ones over MaxFiles. It leaves what is locked, was written within
// the last hour or is not a file of the journal. It goes on after an error and
// returns all of them; when ctx ends it returns its error at once.
func (j *Journal) Prune(ctx context.Context) error {
	if j == nil {
		return nil
	}
	dir, err := os.ReadDir(j.opts.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wrap(err)
	}
	type session struct {
		path    string
		written time.Time
	}
	var sessions []session
	var errs []error
	now := j.opts.Now()
	for _, d := range dir {
		hash, ext, _ := strings.Cut(d.Name(), ".")
		ours := isHash(hash) && ("."+ext == fileExt || strings.HasPrefix("."+ext, fileExt+".") && strings.HasSuffix(ext, tempExt))
		if !ours || !d.Type().IsRegular() {
			continue
		}
		info, err := d.Info()
		if err != nil {
			continue // gone meanwhile
		}
		s := session{filepath.Join(j.opts.Dir, d.Name()), info.ModTime()}
		if "."+ext == fileExt {
			sessions = append(sessions, s)
		} else if now.Sub(s.written) >= recent { // what a crash left of a rewrite
			errs = append(errs, removeIfGone(os.Remove(s.path)))
		}
	}
	slices.SortFunc(sessions, func(a, b session) int { return a.written.Compare(b.written) })
	over := 0
	if j.opts.MaxFiles > 0 {
		over = len(sessions) - j.opts.MaxFiles
	}
	for i, s := range sessions {
		if err := ctx.Err(); err != nil {
			return err
		}
		age := now.Sub(s.written)
		if age < recent || i >= over && (j.opts.MaxAge < 0 || age < j.opts.MaxAge) {
			break // the rest is younger still
		}
		errs = append(errs, removeUnused(s.path, s.written))
	}
	return errors.Join(errs...)
}

// removeUnused removes a file that nobody has locked and nobody has written to
// since it was looked at.
func removeUnused(path string, written time.Time) error {
	f, err := openFile(path, false)
	if err != nil {
		return removeIfGone(err)
	}
	ok, err := lockOpened(f, true)
	if ok && err == nil {
		if st, serr := f.Stat(); serr == nil && st.ModTime().Equal(written) {
			err = os.Remove(path) // still locked: a writer that waits finds the path gone and starts anew
		}
	}
	if errors.Is(err, ErrUnsafeFile) {
		err = nil // another user's, in a directory that is shared
	}
	return removeIfGone(errors.Join(err, f.Close()))
}

func removeIfGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return wrap(err)
}
