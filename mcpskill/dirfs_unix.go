// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpskill

import "syscall"

// openFlags keep an open of a FIFO from waiting for its other end.
const openFlags = syscall.O_NONBLOCK
