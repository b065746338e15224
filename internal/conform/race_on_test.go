// SPDX-License-Identifier: Apache-2.0

//go:build race

package conform

// slow is how much longer things take here.
const slow = 12
