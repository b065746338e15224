// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"
)

// A dir is an open directory: listed, and its files opened, by its descriptor. Discovery is
// system calls for the most part, and this needs two thirds of those that [os.File] makes.
type dir struct {
	fd   int
	head *headFile // space for the one file of it that is opened
}

func (d dir) close() { unix.Close(d.fd) }

// list lists the directory. buf is space for it. What was read before an error is
// returned with it.
func (d dir) list(skill bool, buf []byte) (listing, error) {
	c := collector{skill: skill}
	for {
		n, err := unix.ReadDirent(d.fd, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			return c.done(err)
		}
		text := string(buf[:n]) // which the names are parts of
		for b := buf[:n]; len(b) >= direntName; {
			size := int(binary.NativeEndian.Uint16(b[direntLen:]))
			if size < direntName || size > len(b) {
				return c.done(unix.EIO)
			}
			name := text[direntName:size]
			if end := strings.IndexByte(name, 0); end >= 0 {
				name = name[:end]
			}
			kind := b[direntType]
			b, text = b[size:], text[size:]
			if name == "." || name == ".." || name == "" {
				continue
			}
			mode, ok := d.mode(name, kind)
			if ok && !c.add(name, mode) {
				return c.done(nil)
			}
		}
	}
}

// Offsets in a directory entry as the kernel writes it.
const (
	direntLen  = 16
	direntType = 18
	direntName = 19
)

// mode returns the type of an entry. File systems need not say it; ok is false for what has
// gone by the time it is asked for.
func (d dir) mode(name string, kind byte) (mode fs.FileMode, ok bool) {
	switch kind {
	case unix.DT_REG:
		return 0, true
	case unix.DT_DIR:
		return fs.ModeDir, true
	case unix.DT_LNK:
		return fs.ModeSymlink, true
	case unix.DT_UNKNOWN:
		var st unix.Stat_t
		if err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return 0, false
		}
		return modeOf(st.Mode).Type(), true
	}
	return fs.ModeIrregular, true
}

func modeOf(m uint32) fs.FileMode {
	perm := fs.FileMode(m & 0o777)
	switch m & unix.S_IFMT {
	case unix.S_IFREG:
		return perm
	case unix.S_IFDIR:
		return perm | fs.ModeDir
	case unix.S_IFLNK:
		return perm | fs.ModeSymlink
	}
	return perm | fs.ModeIrregular
}

// stat returns what there is to say of a file in the directory, links not followed.
func (d dir) stat(name, _ string) (stat, bool) {
	var st unix.Stat_t
	if err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return stat{}, false
	}
	return statOfUnix(&st), true
}

func statOfUnix(st *unix.Stat_t) stat {
	return stat{id: fileID{dev: uint64(st.Dev), ino: st.Ino}, size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano()}
}

// open opens a file in the directory, not through a link and without waiting (DSC-7). It is
// nil when it cannot be opened.
func (d dir) open(name string) *headFile {
	fd, err := openat(d.fd, name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW)
	if err != nil {
		return nil
	}
	*d.head = headFile{fd: fd, name: name}
	return d.head
}
