// SPDX-License-Identifier: Apache-2.0

// Package figures is what the benchmarks share: medians, bounds that a project
// holds, and memory.
package figures

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Percentile is the value below which p percent of the sorted values lie, by
// the nearest rank.
func Percentile[T any](sorted []T, p int) T {
	rank := (len(sorted)*p + 99) / 100
	return sorted[max(rank, 1)-1]
}

// Median is the middle value; of an even number, the lower of the middle two.
func Median[T cmp.Ordered](values []T) T {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return Percentile(sorted, 50)
}

// MedianOf is the median of one figure of each sample.
func MedianOf[S any, T cmp.Ordered](samples []S, figure func(S) T) T {
	values := make([]T, len(samples))
	for i, s := range samples {
		values[i] = figure(s)
	}
	return Median(values)
}

// A Bound is one figure that the project holds. Without a limit it is only shown.
type Bound struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit,omitempty"`
	Unit  string  `json:"unit,omitempty"`
	Least bool    `json:"at_least"` // the limit is the least allowed, not the most
	Holds bool    `json:"holds"`
}

// Judge returns b with the value and whether it is within the limit.
func (b Bound) Judge(value float64) Bound {
	b.Value = value
	switch {
	case b.Limit == 0:
		b.Holds = true
	case b.Least:
		b.Holds = value >= b.Limit
	default:
		b.Holds = value <= b.Limit
	}
	return b
}

// Check is an error that names the bounds which do not hold.
func Check(bounds []Bound) error {
	var broken []string
	for _, b := range bounds {
		if !b.Holds {
			broken = append(broken, fmt.Sprintf("%s is %.2f%s, the limit %g", b.What, b.Value, b.Unit, b.Limit))
		}
	}
	if len(broken) > 0 {
		return fmt.Errorf("not within bounds: %s", strings.Join(broken, "; "))
	}
	return nil
}

// WriteBounds writes a table of bounds under a title, its columns separated by
// tabs.
func WriteBounds(w io.Writer, title string, bounds []Bound) {
	for i, b := range bounds {
		if i == 0 {
			fmt.Fprintf(w, "%s\tis\tbound\t\n", title)
		}
		if b.Limit == 0 {
			fmt.Fprintf(w, "%s\t%.2f %s\t-\t\n", b.What, b.Value, b.Unit)
			continue
		}
		sign, verdict := "<=", "holds"
		if b.Least {
			sign = ">="
		}
		if !b.Holds {
			verdict = "DOES NOT HOLD"
		}
		fmt.Fprintf(w, "%s\t%.2f %s\t%s %g %s\t%s\n", b.What, b.Value, b.Unit, sign, b.Limit, b.Unit, verdict)
	}
}
