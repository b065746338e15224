// SPDX-License-Identifier: Apache-2.0

package cli

import "syscall"

// signalNumber is for what Unix calls signals; here a process is only ever
// killed.
func signalNumber(string) int { return int(syscall.SIGKILL) }
