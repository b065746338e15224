// SPDX-License-Identifier: Apache-2.0

//go:build unix

package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestModes(t *testing.T) {
	old := unix.Umask(0)
	defer unix.Umask(old)
	base := filepath.Join(t.TempDir(), "state")
	j := Open(Options{Dir: filepath.Join(base, "journal")})
	must(t, j.Append("s", full("r")))
	mode := func(path string, want os.FileMode) {
		t.Helper()
		st, err := os.Stat(path)
		must(t, err)
		if st.Mode().Perm() != want {
			t.Errorf("%s has mode %o, not %o", path, st.Mode().Perm(), want)
		}
	}
	mode(base, 0o700)
	mode(j.opts.Dir, 0o700)
	mode(j.path("s"), 0o600)

	must(t, os.Chmod(j.path("s"), 0o666)) // as a restored backup may have it
	must(t, j.Confirm("s", "r", "m"))
	mode(j.path("s"), 0o600)

	small := Open(Options{Dir: j.opts.Dir, MaxBytes: 1000}) // the file is rewritten
	must(t, small.Append("s", full("r2")))
	must(t, small.Append("s", full("r3")))
	mode(j.path("s"), 0o600)
}

func TestUnsafeFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	for name, place := range map[string]func(path string) error{
		"link to a file":    func(p string) error { return os.Symlink(filepath.Join(dir, "victim"), p) },
		"link to nothing":   func(p string) error { return os.Symlink(filepath.Join(dir, "nothing"), p) },
		"link to a journal": func(p string) error { return os.Symlink(p+".real", p) },
		"directory":         func(p string) error { return os.Mkdir(p, 0o700) },
		"fifo":              func(p string) error { return unix.Mkfifo(p, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			must(t, os.WriteFile(filepath.Join(dir, "victim"), []byte("precious"), 0o600))
			j := Open(Options{Dir: t.TempDir()})
			must(t, os.WriteFile(j.path("s")+".real", nil, 0o600))
			must(t, place(j.path("s")))
			_, err := j.Load("s")
			for op, err := range map[string]error{
				"append": j.Append("s", full("r")), "confirm": j.Confirm("s", "r", "m"), "void": j.Void("s", "r"),
				"load": err, "fork": j.Fork("s", "t"), "remove": j.Remove("s"),
			} {
				if !errors.Is(err, ErrUnsafeFile) {
					t.Errorf("%s: %v", op, err)
				}
			}
			if data, err := os.ReadFile(filepath.Join(dir, "victim")); string(data) != "precious" {
				t.Errorf("the file behind the link: %q, %v", data, err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "nothing")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a file was made behind the link: %v", err)
			}
			if _, err := os.Lstat(j.path("s")); err != nil {
				t.Errorf("the thing itself is gone: %v", err)
			}
		})
	}
}

// A full disk in the middle of a line must not cost the next one.
func TestFailedWriteLeavesNoTornLine(t *testing.T) {
	j := Open(Options{Dir: t.TempDir()})
	must(t, j.Append("s", full("a")))
	f, err := os.Open(j.path("s")) // read only, so that the write fails
	must(t, err)
	defer f.Close()
	if err := appendLines(f, []byte("{}\n"), 1<<20); err == nil {
		t.Fatal("no error")
	}
	must(t, j.Append("s", full("b")))
	if got := ids(mustLoad(t, j, "s")); got != "a b" {
		t.Errorf("got %q", got)
	}
}
