// SPDX-License-Identifier: Apache-2.0

//go:build unix

package agent

import (
	"os"
	"syscall"
)

// openToRead does not wait for who writes into a pipe.
const openToRead = os.O_RDONLY | syscall.O_NONBLOCK
