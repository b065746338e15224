// SPDX-License-Identifier: Apache-2.0

//go:build unix

package trust

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestStoreIsForItsUserAlone(t *testing.T) {
	p := newPlace(t)
	must[Entry](t)(p.Add(p.at("other"), false))
	for path, want := range map[string]os.FileMode{p.Path(): 0o600, filepath.Dir(p.Path()): 0o700} {
		st, err := os.Stat(path)
		if err != nil || st.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v; want %v", path, st.Mode().Perm(), err, want)
		}
	}
}

// Whoever could write the store could trust a workspace in the user's name.
func TestUnsafeStoreTrustsNothing(t *testing.T) {
	for name, spoil := range map[string]func(p place) error{
		"world-writable file":      func(p place) error { return os.Chmod(p.Path(), 0o602) },
		"group-writable file":      func(p place) error { return os.Chmod(p.Path(), 0o620) },
		"world-writable directory": func(p place) error { return os.Chmod(filepath.Dir(p.Path()), 0o777) },
		"link": func(p place) error {
			return errors.Join(os.Rename(p.Path(), p.at("real.json")), os.Symlink(p.at("real.json"), p.Path()))
		},
		"directory": func(p place) error { return errors.Join(os.Remove(p.Path()), os.Mkdir(p.Path(), 0o700)) },
		"FIFO":      func(p place) error { return errors.Join(os.Remove(p.Path()), unix.Mkfifo(p.Path(), 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			must[Entry](t)(p.Add(p.at("other"), false))
			if err := spoil(p); err != nil {
				t.Fatal(err)
			}
			yes, err := p.Trusted(p.at("other"))
			if yes || !errors.Is(err, ErrUnsafe) {
				t.Errorf("trusted %v, %v; want ErrUnsafe", yes, err)
			}
			if _, err := p.Add(p.at("home/src/app"), false); !errors.Is(err, ErrUnsafe) {
				t.Errorf("added to it: %v", err)
			}
			if err != nil && strings.Contains(name, "writable") && !strings.Contains(err.Error(), "chmod") {
				t.Errorf("the error does not say what to do: %v", err)
			}
		})
	}
}

func TestDirectoryWithBytesThatAreNoTextIsRefused(t *testing.T) {
	p := newPlace(t)
	dir := p.at("odd\xff")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skipf("this file system keeps text only: %v", err)
	}
	if _, err := p.Add(dir, false); err == nil {
		t.Error("it was written down as another name")
	}
}
