// SPDX-License-Identifier: Apache-2.0

//go:build unix

package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openFile opens a file for reading and writing, for Load too: a FIFO does not
// block then. A symbolic link is refused; the rest is for checkFile to find out.
func openFile(path string, create bool) (*os.File, error) {
	flags := os.O_RDWR | os.O_APPEND | unix.O_NOFOLLOW
	if create {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.ENXIO) {
		return nil, fmt.Errorf("%w: %q", ErrUnsafeFile, path)
	}
	return f, err
}

// checkFile refuses what is not a regular file of this user, and takes other
// users' rights from one that is.
func checkFile(f *os.File) error {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return &fs.PathError{Op: "fstat", Path: f.Name(), Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: %q", ErrUnsafeFile, f.Name())
	}
	if st.Mode&0o077 != 0 {
		return f.Chmod(0o600)
	}
	return nil
}

// tryLock takes an flock. It reports false when somebody else has it. flock and
// not fcntl, whose locks belong to the process and so do not keep two of its
// goroutines apart.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		}
		return false, fmt.Errorf("lock %q: %w (the file system may have no locks: put the journal on a local disk)", f.Name(), err)
	}
}

// replaceContent puts data in the place of f's content, by a rename, so that a
// crash leaves the old or the new. f must be locked; who waits for its lock
// finds out that the path is another file now.
func replaceContent(f *os.File, data []byte) error {
	path := f.Name()
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+tempExt) // mode 0600, never an existing file
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
