// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/skillgraft/skillgraft/bench/internal/figures"
)

// A report holds the figures of a run.
type report struct {
	OS      string          `json:"os"`
	Arch    string          `json:"arch"`
	CPUs    int             `json:"cpus"`
	Go      string          `json:"go"`
	Tree    string          `json:"tree"`
	Rounds  int             `json:"rounds"`
	Medians []sample        `json:"medians"`
	Bounds  []figures.Bound `json:"bounds"`
	Samples []sample        `json:"samples"`
}

// The bounds, each against the same round's walk or reference.
const (
	mostFirst    = 1.5 // times the bare walk
	mostRescan   = 1.5 // times the bare walk
	leastFaster  = 50  // times faster than the reference reads the properties
	mostPerSkill = 8   // KiB of memory a skill over the bare walk
)

// summarise fills Medians and Bounds from Samples. A tree that was given may be anything, with
// links and copies that a walk does not look at: beside the walk its figures have no limits.
func (r *report) summarise(given bool) {
	limit := func(l float64) float64 {
		if given {
			return 0
		}
		return l
	}
	for _, role := range []string{roleWalk, roleScan, roleReference} {
		if all := r.of(role); len(all) > 0 {
			r.Medians = append(r.Medians, sample{
				Role:   role,
				Took:   figures.MedianOf(all, func(s sample) time.Duration { return s.Took }),
				Rescan: figures.MedianOf(all, func(s sample) time.Duration { return s.Rescan }),
				CPU:    figures.MedianOf(all, func(s sample) time.Duration { return s.CPU }),
				Peak:   figures.MedianOf(all, func(s sample) int64 { return s.Peak }),
				Files:  all[0].Files, Usable: all[0].Usable,
			})
		}
	}
	r.against(roleWalk, figures.Bound{What: "first scan, of the bare walk", Limit: limit(mostFirst)},
		func(scan, walk sample) float64 { return float64(scan.Took) / float64(walk.Took) })
	r.against(roleWalk, figures.Bound{What: "rescan, of the bare walk", Limit: limit(mostRescan)},
		func(scan, walk sample) float64 { return float64(scan.Rescan) / float64(walk.Took) })
	if all := r.of(roleScan); len(all) > 0 && all[0].Peak > 0 {
		r.against(roleWalk, figures.Bound{What: "peak memory a skill, over the bare walk's", Limit: limit(mostPerSkill), Unit: "KiB"},
			func(scan, walk sample) float64 { return float64(scan.Peak-walk.Peak) / float64(scan.Files) / (1 << 10) })
	}
	r.against(roleReference, figures.Bound{What: "first scan, times faster than the reference", Limit: leastFaster, Least: true},
		func(scan, ref sample) float64 { return float64(ref.Took) / float64(scan.Took) })
}

// against adds a bound on the median over the rounds of a figure that compares
// the scan with another role in the same round. Without both there is none.
func (r *report) against(role string, b figures.Bound, figure func(scan, other sample) float64) {
	scan, other := r.of(roleScan), r.of(role)
	if len(scan) == 0 || len(scan) != len(other) {
		return
	}
	values := make([]float64, len(scan))
	for i := range scan {
		values[i] = figure(scan[i], other[i])
	}
	r.Bounds = append(r.Bounds, b.Judge(figures.Median(values)))
}

// of returns a role's samples in the order of the rounds.
func (r *report) of(role string) []sample {
	var out []sample
	for _, s := range r.Samples {
		if s.Role == role {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b sample) int { return a.Round - b.Round })
	return out
}

// lost is an error when the scan of a round accounts for fewer files than the
// walk has read.
func (r *report) lost() error {
	walk, scan := r.of(roleWalk), r.of(roleScan)
	for i := range min(len(walk), len(scan)) {
		if scan[i].Files < walk[i].Files {
			return fmt.Errorf("round %d: the walk has read %d files, and discovery accounts for %d", i+1, walk[i].Files, scan[i].Files)
		}
	}
	return nil
}

func (r *report) check() error {
	if len(r.Bounds) == 0 {
		return errors.New("nothing to check")
	}
	return figures.Check(r.Bounds)
}

func (r *report) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

func (r *report) writeText(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintf(out, "%s; median of %d rounds; %s/%s, %d CPUs, %s\n\n", r.Tree, r.Rounds, r.OS, r.Arch, r.CPUs, r.Go)
	fmt.Fprintf(out, "\tfiles\tusable\ttime\tprocessor\ttime a file\tagain\tpeak memory\n")
	for _, m := range r.Medians {
		fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", m.Role, m.Files, orDash(m.Usable > 0, "%d", m.Usable), ms(m.Took), orDash(m.CPU > 0, "%s", ms(m.CPU)),
			orDash(m.Files > 0, "%.1f us", float64(m.Took)/1e3/float64(max(m.Files, 1))),
			orDash(m.Rescan > 0, "%s", ms(m.Rescan)), orDash(m.Peak > 0, "%.0f MiB", float64(m.Peak)/(1<<20)))
	}
	fmt.Fprintln(out)
	figures.WriteBounds(out, "skillgraft", r.Bounds)
	return out.Flush()
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/1e6) }

func orDash(ok bool, format string, arg any) string {
	if !ok {
		return "-"
	}
	return fmt.Sprintf(format, arg)
}
