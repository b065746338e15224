// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

// twoRounds are a round on a quiet machine and one on a busy machine.
func twoRounds(scan sample) *report {
	r := &report{}
	for round, slow := range []time.Duration{1, 10} {
		walk := sample{Role: roleWalk, Round: round, Took: 100, Files: 1000, Peak: 10 << 20}
		ref := sample{Role: roleReference, Round: round, Took: 10_000, Files: 1000}
		s := scan
		s.Role, s.Round = roleScan, round
		for _, p := range []*sample{&walk, &ref, &s} {
			p.Took, p.Rescan = p.Took*slow, p.Rescan*slow
		}
		r.Samples = append(r.Samples, s, ref, walk)
	}
	r.summarise(false)
	return r
}

func TestReportBounds(t *testing.T) {
	good := sample{Took: 140, Rescan: 90, Files: 1000, Usable: 1000, Peak: 14 << 20}
	r := twoRounds(good)
	var got []float64
	for _, b := range r.Bounds {
		got = append(got, b.Value)
	}
	// Each ratio is of one round, so the busy one changes none.
	if want := []float64{1.4, 0.9, 4.096, 10_000.0 / 140}; !slices.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
	if err := r.check(); err != nil {
		t.Errorf("all bounds hold, yet: %v", err)
	}
	for _, tc := range []struct {
		name   string
		worsen func(*sample)
		want   string
	}{
		{"first", func(s *sample) { s.Took = 160 }, "first scan, of the bare walk"},
		{"rescan", func(s *sample) { s.Rescan = 160 }, "rescan"},
		{"memory", func(s *sample) { s.Peak = 30 << 20 }, "peak memory"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bad := good
			tc.worsen(&bad)
			r := twoRounds(bad)
			if err := r.check(); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), ";") {
				t.Errorf("check says %v, want only %q", err, tc.want)
			}
		})
	}
	given := twoRounds(sample{Took: 160, Rescan: 160, Files: 1000, Peak: 30 << 20})
	given.Bounds = nil
	given.summarise(true)
	if err := given.check(); err != nil || len(given.Bounds) != 4 {
		t.Errorf("a given tree is held to the walk: %v", err)
	}
	slow := good
	slow.Took = 300
	if err := twoRounds(slow).check(); err == nil || !strings.Contains(err.Error(), "times faster") {
		t.Errorf("check says %v", err)
	}
}

// A discovery that loses skills is never reported as fast.
func TestReportLost(t *testing.T) {
	r := twoRounds(sample{Took: 1, Rescan: 1, Files: 999})
	if err := r.lost(); err == nil || !strings.Contains(err.Error(), "read 1000 files, and discovery accounts for 999") {
		t.Errorf("lost says %v", err)
	}
	if err := twoRounds(sample{Took: 1, Files: 1001}).lost(); err != nil {
		t.Errorf("one that follows links finds more: %v", err)
	}
}

func TestReportWithoutScan(t *testing.T) {
	r := report{Samples: []sample{{Role: roleWalk}}}
	r.summarise(false)
	if err := r.check(); err == nil || !strings.Contains(err.Error(), "nothing to check") {
		t.Errorf("check says %v", err)
	}
	var b bytes.Buffer
	if err := r.writeText(&b); err != nil || strings.Contains(b.String(), "NaN") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
