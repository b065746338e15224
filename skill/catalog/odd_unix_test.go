// SPDX-License-Identifier: Apache-2.0

//go:build unix

package catalog_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// fifo makes a FIFO, where there are some.
func fifo(t *testing.T, tr *tree, p string) bool {
	tr.mkdir(filepath.Dir(p))
	tr.must(syscall.Mkfifo(tr.at(p), 0o644))
	return true
}

// device makes a link to a device that never ends, where there is one.
func device(t *testing.T, tr *tree, p string) bool {
	if _, err := os.Stat("/dev/zero"); err != nil {
		return false
	}
	tr.link("/dev/zero", p)
	return true
}
