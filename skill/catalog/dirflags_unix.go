// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package catalog

import "syscall"

// dirFlags open a directory and nothing else, without waiting, and not through a link that
// has taken its place.
const dirFlags = syscall.O_RDONLY | syscall.O_DIRECTORY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
