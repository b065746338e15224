// SPDX-License-Identifier: Apache-2.0

package agent

import "os"

const openToRead = os.O_RDONLY

// lock does nothing here: two processes would mix what they append, line by line.
func lock(*os.File) error { return nil }
