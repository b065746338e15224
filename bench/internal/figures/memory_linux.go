// SPDX-License-Identifier: Apache-2.0

package figures

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// PeakMemory is the most memory that a process has had resident, in bytes.
func PeakMemory(pid int) (int64, error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, err
	}
	return parsePeak(string(status))
}

func parsePeak(status string) (int64, error) {
	for line := range strings.Lines(status) {
		value, ok := strings.CutPrefix(line, "VmHWM:")
		if !ok {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("reading VmHWM: %w", err)
		}
		return kib << 10, nil
	}
	return 0, fmt.Errorf("the kernel names no VmHWM for the process")
}
