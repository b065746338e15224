// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

// waitEnded waits until a child has ended and leaves it to be reaped, so that
// its process id still stands for its group and for nobody else's. It reports
// false when it cannot tell.
func waitEnded(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
