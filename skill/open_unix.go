// SPDX-License-Identifier: Apache-2.0

//go:build unix

package skill

import "syscall"

// openFlags make an open of a FIFO return instead of waiting for a writer (DSC-7). They
// change nothing for regular files.
const openFlags = syscall.O_RDONLY | syscall.O_NONBLOCK
