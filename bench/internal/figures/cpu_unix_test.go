// SPDX-License-Identifier: Apache-2.0

//go:build unix

package figures

import (
	"crypto/sha256"
	"testing"
)

func TestCPUTime(t *testing.T) {
	before := CPUTime()
	sha256.Sum256(make([]byte, 32<<20))
	if after := CPUTime(); before <= 0 || after <= before {
		t.Errorf("%v before work and %v after it", before, after)
	}
}
