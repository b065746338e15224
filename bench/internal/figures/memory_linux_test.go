// SPDX-License-Identifier: Apache-2.0

package figures

import (
	"os"
	"testing"
)

func TestPeakMemory(t *testing.T) {
	if got, err := parsePeak("Name:\tx\nVmPeak:\t  9 kB\nVmHWM:\t    2048 kB\n"); err != nil || got != 2<<20 {
		t.Errorf("parsed %d, %v", got, err)
	}
	if _, err := parsePeak("Name:\tx\n"); err == nil {
		t.Error("a status without VmHWM was read")
	}
	if got, err := PeakMemory(os.Getpid()); err != nil || got < 1<<20 {
		t.Errorf("this process had %d bytes at most, %v", got, err)
	}
}
