// SPDX-License-Identifier: Apache-2.0

package cli

// console is the terminal of the process, whatever its streams are.
const console = "CONIN$"
