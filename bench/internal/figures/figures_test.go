// SPDX-License-Identifier: Apache-2.0

package figures

import (
	"strings"
	"testing"
)

func TestPercentile(t *testing.T) {
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = i + 1
	}
	for _, tc := range []struct {
		values  []int
		p, want int
	}{
		{hundred, 50, 50}, {hundred, 99, 99}, {hundred, 100, 100},
		{[]int{5}, 50, 5}, {[]int{5}, 99, 5}, {[]int{1, 2, 3}, 50, 2}, {[]int{1, 2}, 99, 2},
	} {
		if got := Percentile(tc.values, tc.p); got != tc.want {
			t.Errorf("percentile %d of %d values is %d, want %d", tc.p, len(tc.values), got, tc.want)
		}
	}
	if got := Median([]int{9, 1, 5}); got != 5 {
		t.Errorf("median is %d, want 5", got)
	}
	if got := MedianOf([]string{"a", "bbb", "cc"}, func(s string) int { return len(s) }); got != 2 {
		t.Errorf("median length is %d, want 2", got)
	}
}

func TestBounds(t *testing.T) {
	most, least := Bound{What: "cost", Limit: 2}, Bound{What: "speed", Limit: 2, Least: true}
	if err := Check([]Bound{most.Judge(2), least.Judge(2)}); err != nil {
		t.Errorf("a limit is within itself, yet: %v", err)
	}
	bad := []Bound{most.Judge(2.1), least.Judge(3), least.Judge(1.9), Bound{What: "shown"}.Judge(-1)}
	err := Check(bad)
	if err == nil || !strings.Contains(err.Error(), "cost is 2.10") || !strings.Contains(err.Error(), "speed is 1.90") || strings.Contains(err.Error(), "3.00") || strings.Contains(err.Error(), "shown") {
		t.Errorf("check says %v", err)
	}
	var b strings.Builder
	WriteBounds(&b, "us", bad)
	if got := strings.Count(b.String(), "DOES NOT HOLD"); got != 2 {
		t.Errorf("%d rows say that they do not hold, want 2:\n%s", got, b.String())
	}
}
