// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// signalNumber is the number of a signal's name, such as SIGKILL.
func signalNumber(name string) int {
	if n := unix.SignalNum(name); n > 0 {
		return int(n)
	}
	return int(syscall.SIGKILL)
}
