// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package figures

import "time"

// CPUTime is read on Unix only; elsewhere reports leave it out.
func CPUTime() time.Duration { return 0 }
