// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
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
	Rounds  int             `json:"rounds"`
	Load    load            `json:"load"`
	Medians []sample        `json:"medians"`
	Bounds  []figures.Bound `json:"bounds"`
	Samples []sample        `json:"samples"`
}

// The bounds, each against the same round's byte pipe, agent or message.
const (
	leastUpdates = 0.5 // of the byte pipe's updates a second
	mostP50      = 1.5 // times the byte pipe's
	mostStart    = 15  // milliseconds over starting the agent itself
	mostMemory   = 2.5 // times the message's size
)

// summarise fills Medians and Bounds from Samples.
func (r *report) summarise() {
	for _, path := range []string{pathDirect, pathPipe, pathSkillgraft} {
		if all := r.of(path); len(all) > 0 {
			r.Medians = append(r.Medians, sample{
				Path:    path,
				P50:     figures.MedianOf(all, func(s sample) time.Duration { return s.P50 }),
				P99:     figures.MedianOf(all, func(s sample) time.Duration { return s.P99 }),
				Updates: figures.MedianOf(all, func(s sample) float64 { return s.Updates }),
				Start:   figures.MedianOf(all, func(s sample) time.Duration { return s.Start }),
				Peak:    figures.MedianOf(all, func(s sample) int64 { return s.Peak }),
			})
		}
	}
	r.against(pathPipe, figures.Bound{What: "updates a second, of the byte pipe's", Limit: leastUpdates, Least: true},
		func(proxy, pipe sample) float64 { return proxy.Updates / pipe.Updates })
	r.against(pathPipe, figures.Bound{What: "p50 round trip, of the byte pipe's", Limit: mostP50},
		func(proxy, pipe sample) float64 { return float64(proxy.P50) / float64(pipe.P50) })
	r.against(pathDirect, figures.Bound{What: "start-up, over the agent's own", Limit: mostStart, Unit: "ms"},
		func(proxy, direct sample) float64 { return float64(proxy.Start-direct.Start) / 1e6 })
	if proxy := r.of(pathSkillgraft); len(proxy) > 0 && proxy[0].Peak > 0 {
		r.against(pathSkillgraft, figures.Bound{What: "peak memory, of a 64 MiB message's size", Limit: mostMemory},
			func(proxy, _ sample) float64 { return float64(proxy.Peak) / bigSize })
	}
}

// against adds a bound on the median over the rounds of a figure that compares
// the proxy with another path in the same round. Without both there is none.
func (r *report) against(path string, b figures.Bound, figure func(proxy, other sample) float64) {
	proxy, other := r.of(pathSkillgraft), r.of(path)
	if len(proxy) == 0 || len(proxy) != len(other) {
		return
	}
	values := make([]float64, len(proxy))
	for i := range proxy {
		values[i] = figure(proxy[i], other[i])
	}
	r.Bounds = append(r.Bounds, b.Judge(figures.Median(values)))
}

// of returns a path's samples in the order of the rounds.
func (r *report) of(path string) []sample {
	var out []sample
	for _, s := range r.Samples {
		if s.Path == path {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b sample) int { return a.Round - b.Round })
	return out
}

// check is an error that names the bounds which do not hold.
func (r *report) check() error {
	if len(r.Bounds) == 0 {
		return fmt.Errorf("nothing to check: measure the paths %s, %s and %s", pathDirect, pathPipe, pathSkillgraft)
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
	fmt.Fprintf(out, "%d prompts, then %d updates of %d bytes; median of %d rounds; %s/%s, %d CPUs, %s\n\n",
		r.Load.Prompts, r.Load.Updates, updateSize, r.Rounds, r.OS, r.Arch, r.CPUs, r.Go)
	fmt.Fprintf(out, "path\tp50\tp99\tupdates/s\tfirst byte\tpeak memory\n")
	for _, m := range r.Medians {
		peak := "-"
		if m.Peak > 0 {
			peak = fmt.Sprintf("%.0f MiB", float64(m.Peak)/(1<<20))
		}
		fmt.Fprintf(out, "%s\t%.1f us\t%.1f us\t%.3f M\t%.1f ms\t%s\n", m.Path, us(m.P50), us(m.P99), m.Updates/1e6, us(m.Start)/1e3, peak)
	}
	fmt.Fprintln(out)
	figures.WriteBounds(out, "skillgraft run", r.Bounds)
	return out.Flush()
}

func us(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
