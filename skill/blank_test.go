// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// FMT-6: blank is what would not be shown, whatever it consists of.
func TestBlankEqualsSanitize(t *testing.T) {
	part := rapid.SampledFrom([]string{" ", "\t", "\n", "\u00a0", "\u200b", "\u2028", "\ufeff", "\x1b", "\xff", "\ufffd", "\u3164", "\U000e0041", "a", "é", "中"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(part, 0, 4).Draw(t, "parts"), "")
		if got, want := blank(s), Sanitize(s) == ""; got != want {
			t.Fatalf("blank(%q) is %v, and it is shown as %q", s, got, Sanitize(s))
		}
	})
}
