// SPDX-License-Identifier: Apache-2.0

//go:build darwin || freebsd || netbsd

package catalog

import (
	"io/fs"
	"syscall"
)

func statOf(_ string, fi fs.FileInfo) stat {
	s := stat{size: fi.Size(), mtime: fi.ModTime().UnixNano()}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		s.id = fileID{dev: uint64(st.Dev), ino: uint64(st.Ino)}
		s.ctime = st.Ctimespec.Nano()
	}
	return s
}
