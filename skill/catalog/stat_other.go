// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin && !freebsd && !netbsd

package catalog

import (
	"io/fs"
	"strings"
)

// A fileID tells files apart whatever way they were reached (DSC-3).
type fileID struct{ path string }

// statOf has no device and inode to go by here. The real path, whose case does not matter
// on Windows, stands in for them.
func statOf(real string, fi fs.FileInfo) stat {
	return stat{id: fileID{path: strings.ToLower(real)}, size: fi.Size(), mtime: fi.ModTime().UnixNano()}
}
