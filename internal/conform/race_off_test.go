// SPDX-License-Identifier: Apache-2.0

//go:build !race

package conform

// slow is how much longer things take than they should.
const slow = 3
