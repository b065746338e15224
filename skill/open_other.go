// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package skill

import "os"

// openFlags need no help against FIFOs here: they do not live in the file system.
const openFlags = os.O_RDONLY
