// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/skillgraft/skillgraft/bench/internal/figures"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// The names of what is measured, which are the roles of the children too.
const (
	roleWalk      = "walk"
	roleScan      = "scan"
	roleReference = "reference"
	roleOdd       = "odd"
)

// A sample is what one process found.
type sample struct {
	Role   string        `json:"role"`
	Round  int           `json:"round"`
	Took   time.Duration `json:"took_ns"`
	CPU    time.Duration `json:"cpu_ns,omitempty"`    // used meanwhile; 0 where that cannot be read
	Rescan time.Duration `json:"rescan_ns,omitempty"` // median of looking again
	Files  int           `json:"files"`               // that define a skill, or try to
	Usable int           `json:"usable,omitempty"`
	Peak   int64         `json:"peak_bytes,omitempty"` // 0 where that cannot be read
}

// serve plays a role for the job on stdin and prints a sample.
func serve(ctx context.Context, role string, stdin io.Reader, stdout io.Writer) error {
	var j job
	if err := json.NewDecoder(stdin).Decode(&j); err != nil {
		return fmt.Errorf("reading the job: %w", err)
	}
	s := sample{Role: role}
	var err error
	switch role {
	case roleWalk:
		begin := start()
		s.Files, err = readHeads(&j)
		s.Took, s.CPU = begin.stop()
	case roleScan:
		err = s.scan(ctx, &j)
	default:
		err = fmt.Errorf("%q is no role", role)
	}
	if err != nil {
		return err
	}
	if s.Peak, err = figures.PeakMemory(os.Getpid()); err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(s)
}

// scan opens a catalog, as a program that starts does, and refreshes it. Nothing
// watches meanwhile: what is measured is the looking.
func (s *sample) scan(ctx context.Context, j *job) error {
	store := catalog.NewStore(&catalog.StoreOptions{MaxWatches: -1, PollInterval: time.Hour})
	defer store.Close()
	begin := start()
	c, err := store.Open(ctx, j.options())
	if err != nil {
		return err
	}
	s.Took, s.CPU = begin.stop()
	defer c.Close()
	first := c.Snapshot()
	s.Files, s.Usable = met(first)
	again := make([]time.Duration, j.Rescans)
	for i := range again {
		begin := start()
		snap, err := c.Refresh(ctx)
		if err != nil {
			return err
		}
		again[i], _ = begin.stop()
		if snap != first {
			return fmt.Errorf("the tree changed while it was looked at; its figures would mean nothing")
		}
	}
	if len(again) > 0 {
		s.Rescan = figures.Median(again)
	}
	return nil
}

// A stopwatch measures on the clock and on the processors.
type stopwatch struct {
	clock time.Time
	cpu   time.Duration
}

func start() stopwatch { return stopwatch{time.Now(), figures.CPUTime()} }

func (w stopwatch) stop() (clock, cpu time.Duration) {
	return time.Since(w.clock), figures.CPUTime() - w.cpu
}

// met counts the files that a snapshot accounts for: as a skill, as the same as
// another one, or as unusable.
func met(s *catalog.Snapshot) (files, usable int) {
	for _, e := range s.All() {
		usable += 1 + len(e.Copies) + len(e.Aliases)
	}
	files = usable
	for _, f := range s.Findings() {
		if f.Skip {
			files++
		}
	}
	return files, usable
}
