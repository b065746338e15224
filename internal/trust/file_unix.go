// SPDX-License-Identifier: Apache-2.0

//go:build unix

package trust

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openStore opens the store's file for reading. A link, whatever is no regular
// file of this user, and what others may write to, file or directory, is refused.
func openStore(path string) (*os.File, error) {
	var dir unix.Stat_t
	if err := unix.Stat(filepath.Dir(path), &dir); err != nil {
		return nil, &os.PathError{Op: "stat", Path: filepath.Dir(path), Err: err}
	}
	if err := check(filepath.Dir(path), dir, unix.S_IFDIR, "700"); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) {
		return nil, fmt.Errorf("%w: it is a symbolic link. Put a file in its place", ErrUnsafe)
	}
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(int(f.Fd()), &st); err == nil {
		err = check(path, st, unix.S_IFREG, "600")
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func check(path string, st unix.Stat_t, kind uint32, mode string) error {
	switch {
	case uint32(st.Mode)&unix.S_IFMT != kind:
		return fmt.Errorf("%w: %q is no regular one. Remove it", ErrUnsafe, path)
	case int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%w: %q belongs to another user. Remove it", ErrUnsafe, path)
	case st.Mode&0o022 != 0:
		return fmt.Errorf("%w: see that its content is yours, then: chmod %s %q", ErrUnsafe, mode, path)
	}
	return nil
}

func replace(from, to string) error { return os.Rename(from, to) }

// lock waits until this process alone changes the store.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return func() { _ = f.Close() }, nil // which gives the lock back
}
