// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"testing"

	"pgregory.net/rapid"
)

// FMT-10: the filter by letters leaves out no field that the distance would accept.
func TestNearestFilter(t *testing.T) {
	names := append(formatFields(), vendorFields()...)
	edit := rapid.Custom(func(t *rapid.T) string {
		b := []byte(rapid.SampledFrom(names).Draw(t, "name"))
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			i := rapid.IntRange(0, len(b)-1).Draw(t, "at")
			c := rapid.SampledFrom([]byte("abcdefghijklmnopqrstuvwxyzABZ_-. 09")).Draw(t, "letter")
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				b[i] = c
			case 1:
				b = append(b[:i], append([]byte{c}, b[i:]...)...)
			default:
				if len(b) > 2 {
					b = append(b[:i], b[i+1:]...)
				}
			}
		}
		return string(b)
	})
	rapid.Check(t, func(t *rapid.T) {
		key := edit.Draw(t, "key")
		want, dist := "", 3
		for _, name := range names {
			limit := 2
			if len(flat(name)) < 8 {
				limit = 1
			}
			if d := distance(flat(key), flat(name)); d <= limit && d < dist {
				want, dist = name, d
			}
		}
		if got := nearest(key, formatFields(), vendorFields()); got != want {
			t.Fatalf("%q is taken for %q, and is nearest to %q", key, got, want)
		}
	})
}
