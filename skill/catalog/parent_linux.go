// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A parent is an open directory that one worker opens directories and files in, by single
// steps. It stays open for as long as tasks lie in the same directory. The zero value is
// closed.
type parent struct {
	anchor, path string // both without links; path lies in or below anchor
	top, fd      int    // their descriptors
	open         bool

	how  unix.OpenHow // here so that no call allocates one
	walk bool         // openat2 is not to be had
	head headFile
}

// moveTo opens the directory path below anchor. No step from the anchor on may be a link, so
// that nothing on the way can lead outside (DSC-5): what has become one since it was listed is
// refused.
func (p *parent) moveTo(anchor, path string) error {
	if p.open && p.anchor == anchor && p.path == path {
		return nil
	}
	if !p.open || p.anchor != anchor {
		p.close()
		top, err := openat(unix.AT_FDCWD, anchor, unix.O_PATH|unix.O_DIRECTORY)
		if err != nil {
			return err
		}
		p.anchor, p.path, p.top, p.fd, p.open = anchor, anchor, top, top, true
	}
	fd := p.top
	if path != anchor {
		steps, err := filepath.Rel(anchor, path)
		if err == nil && !filepath.IsLocal(steps) {
			err = unix.EXDEV
		}
		if err == nil {
			fd, err = p.beneath(steps)
		}
		if err != nil {
			return &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
	if p.fd != p.top {
		unix.Close(p.fd)
	}
	p.path, p.fd = path, fd
	return nil
}

// beneath opens a directory by a path that has no ".." in it.
func (p *parent) beneath(steps string) (int, error) {
	const flags = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW
	if !p.walk {
		fd, err := p.openat2(p.top, steps, flags)
		if err == nil || !p.walk {
			return fd, err
		}
	}
	at := p.top
	for {
		step, rest, more := strings.Cut(steps, "/")
		fd, err := openat(at, step, flags)
		if at != p.top {
			unix.Close(at)
		}
		if err != nil || !more {
			return fd, err
		}
		at, steps = fd, rest
	}
}

// openat2 opens a path of which no step may be a link. Where the system has no such call, or
// a sandbox refuses it, walk is set.
func (p *parent) openat2(at int, path string, flags uint64) (int, error) {
	p.how = unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	for {
		fd, err := unix.Openat2(at, path, &p.how)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
			p.walk = true
		}
		return fd, err
	}
}

func openat(at int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(at, name, flags|unix.O_CLOEXEC, 0)
		if err == nil {
			return fd, nil
		}
		if !errors.Is(err, unix.EINTR) {
			return -1, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

func (p *parent) close() {
	if !p.open {
		return
	}
	if p.fd != p.top {
		unix.Close(p.fd)
	}
	unix.Close(p.top)
	p.open = false
}

// dir opens the directory name, a single step. A link that has taken its place is refused.
func (p *parent) dir(name string) (dir, error) {
	fd, err := openat(p.fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW)
	return dir{fd: fd, head: &p.head}, err
}

// stat tells what the file SKILL.md in the directory name is. ok is false unless it is a
// regular file. It does not tell whether the disk spells it like this.
func (p *parent) stat(name string) (st stat, ok bool) {
	var s unix.Stat_t
	if err := unix.Fstatat(p.fd, name+"/SKILL.md", &s, unix.AT_SYMLINK_NOFOLLOW); err != nil || s.Mode&unix.S_IFMT != unix.S_IFREG {
		return stat{}, false
	}
	return statOfUnix(&s), true
}

// file opens the file SKILL.md in the directory name without looking for it, or returns
// nil: then the directory has to be listed. A skill costs half of the system calls like this.
func (p *parent) file(name string) *headFile {
	if p.walk {
		return nil
	}
	// On a disk that ignores case the name stands for any spelling, and then another one
	// is there as well. Which one it is says only a listing (FMT-1).
	var s unix.Stat_t
	if err := unix.Fstatat(p.fd, name+"/skill.md", &s, unix.AT_SYMLINK_NOFOLLOW); !errors.Is(err, unix.ENOENT) {
		return nil
	}
	fd, err := p.openat2(p.fd, name+"/SKILL.md", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW)
	if err != nil {
		return nil // the loader finds out why
	}
	p.head = headFile{fd: fd, name: "SKILL.md"}
	return &p.head
}
