// SPDX-License-Identifier: Apache-2.0

//go:build unix

package agent

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openToRead does not wait for who writes into a pipe.
const openToRead = os.O_RDONLY | syscall.O_NONBLOCK

// lock takes a session's file for this process. The system gives it back with the file,
// also when the process is killed.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK {
		return errElsewhere
	}
	return nil // a file system without locks: two processes would mix what they append, line by line
}
