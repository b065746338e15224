// SPDX-License-Identifier: Apache-2.0

//go:build unix

package figures

import (
	"syscall"
	"time"
)

// CPUTime is what this process has used of all processors. Unlike time on the
// clock it does not grow with what else the machine does.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
