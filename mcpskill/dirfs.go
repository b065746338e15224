// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// DirFS is a directory of the operating system out of which nothing leads: links
// that leave it are errors, by the system's own resolution (MCP-2). It opens no FIFO
// and no device. The directory is opened for each access, so that any number of them
// costs no descriptors.
func DirFS(dir string) fs.FS { return dirFS(dir) }

type dirFS string

var errNotRegular = errors.New("not a regular file")

func (d dirFS) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	before, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() && !before.IsDir() {
		return fail(errNotRegular)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	// It may have become another thing since.
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		f.Close()
		return fail(errNotRegular)
	}
	return f, nil
}

// readFile reads a file of at most limit bytes.
func readFile(fsys fs.FS, name string, limit int64) (b []byte, info fs.FileInfo, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "read", Path: name, Err: errNotRegular}
	}
	if info.Size() > limit {
		return nil, nil, &fs.PathError{Op: "read", Path: name, Err: errTooLarge}
	}
	b = make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > limit:
			return nil, nil, &fs.PathError{Op: "read", Path: name, Err: errTooLarge}
		case errors.Is(err, io.EOF):
			return b, info, nil
		case err != nil:
			return nil, nil, err
		case len(b) == cap(b):
			b = append(b, 0)[:len(b)]
		}
	}
}

var errTooLarge = errors.New("the file is too large for a skill")
