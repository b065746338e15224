// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin || freebsd || netbsd

package catalog

// A fileID tells files apart whatever way they were reached (DSC-3).
type fileID struct{ dev, ino uint64 }
