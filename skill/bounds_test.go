// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"runtime"
	"strings"
	"testing"
)

// TestParseAllocates holds the parser to a multiple of its input on what makes parsers grow.
func TestParseAllocates(t *testing.T) {
	// In all, not at once; two thirds are the YAML library's nodes. A block is at most
	// 64 KiB, so this is under 40 MB for the worst of them.
	const most = 600
	for _, unit := range []string{"a\n", "a:\n", "a: b\n", "- \n", "[", "{a: ", "? ", "&a [", "*a ", "- a\n", "k: a: b\n", "[],", "\"\\u0041\"", "#\n", "!t ", "a: |\n", "\u2028", ": ", "'", "a: [b, c]\n"} {
		src := []byte("---\nname: a\ndescription: d\nx: \n" + strings.Repeat(unit, (MaxHead-64)/len(unit)) + "\n---\n")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Parse(src, nil)
		runtime.ReadMemStats(&after)
		per := (after.TotalAlloc - before.TotalAlloc) / uint64(len(src))
		if per > most {
			t.Errorf("%q: %d bytes for each byte of input", unit, per)
		}
	}
}
