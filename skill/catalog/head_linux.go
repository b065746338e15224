// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A headFile is an open file that is read once, from its start. It is its own [fs.FileInfo].
type headFile struct {
	fd   int
	name string
	st   syscall.Stat_t
}

func (f *headFile) Stat() (fs.FileInfo, error) {
	for {
		err := syscall.Fstat(f.fd, &f.st)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return nil, &fs.PathError{Op: "stat", Path: f.name, Err: err}
		}
	}
}

func (f *headFile) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd, b)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, &fs.PathError{Op: "read", Path: f.name, Err: err}
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (f *headFile) Close() error { return unix.Close(f.fd) }

func (f *headFile) Name() string       { return f.name }
func (f *headFile) Size() int64        { return f.st.Size }
func (f *headFile) Mode() fs.FileMode  { return modeOf(f.st.Mode) }
func (f *headFile) ModTime() time.Time { return time.Unix(f.st.Mtim.Unix()) }
func (f *headFile) IsDir() bool        { return f.Mode().IsDir() }
func (f *headFile) Sys() any           { return &f.st }
