// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

// console is the terminal of the process, whatever its streams are.
const console = "/dev/tty"
