// SPDX-License-Identifier: Apache-2.0

//go:build unix

package proxy

import (
	"os"

	"golang.org/x/sys/unix"
)

// hungUp reports whether the other end of a pipe or a socket was closed, though
// there may be more to read.
func hungUp(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	// Control does not wait for a read that is under way.
	err = raw.Control(func(fd uintptr) {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, 0)
		gone = err == nil && n > 0 && poll[0].Revents&unix.POLLHUP != 0
	})
	return err == nil && gone
}
