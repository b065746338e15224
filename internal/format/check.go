// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/skillgraft/skillgraft/skill"
)

// CheckOptions are the choices of a check.
type CheckOptions struct {
	Profile skill.Profile
	// Strict makes errors of warnings.
	Strict bool
	// Notes keeps what is only worth knowing.
	Notes bool
	// Fix is nil when nothing is to be mended.
	Fix *FixOptions
}

// batch is how many files are read at once. It bounds what is held in memory.
const batch = 64

// Check looks at targets and hands what there is to say to print, file by file in their
// order, and the notes about the way to them last. progress is told how many
// files are done.
func Check(ctx context.Context, t *Targets, o CheckOptions, progress func(done int), print func(*Checked) error) error {
	size := batch
	if o.Fix != nil {
		size = 1 // what was changed is shown before anything else is
	}
	for from := 0; from < len(t.Skills); from += size {
		targets := t.Skills[from:min(from+size, len(t.Skills))]
		checked := make([]*Checked, len(targets))
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(runtime.GOMAXPROCS(0))
		for i, target := range targets {
			g.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				checked[i] = o.one(target)
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for _, c := range checked {
			if err := print(c); err != nil {
				return err
			}
		}
		progress(from + len(targets))
	}
	for _, f := range t.Notes {
		if o.Strict && f.Severity == skill.Warning {
			f.Severity = skill.Error
		}
		if f.Severity == skill.Info && !o.Notes {
			continue
		}
		if err := print(&Checked{Path: f.File, Findings: []skill.Finding{f}}); err != nil {
			return err
		}
	}
	return nil
}

// one checks a single file, and mends it if that is wanted.
func (o CheckOptions) one(t Target) *Checked {
	r := o.validate(t)
	c := &Checked{Path: t.Path, Skill: true}
	if o.Fix != nil {
		c.Fixed = o.Fix.mend(t, r)
		if c.Fixed != nil && c.Fixed.Written {
			r = o.validate(t)
		}
	}
	c.Src, c.Findings = r.Source, r.Findings
	if !o.Notes {
		c.Findings = slices.DeleteFunc(c.Findings, func(f skill.Finding) bool { return f.Severity == skill.Info })
	}
	return c
}

// validate asks package skill. A file that cannot be looked at is a finding about it, and
// costs no other one (FMT-15).
func (o CheckOptions) validate(t Target) *skill.Report {
	r, err := skill.Validate(t.given(), &skill.ValidateOptions{Profile: o.Profile, Strict: o.Strict})
	if err != nil {
		return &skill.Report{File: t.Path, Findings: []skill.Finding{{Rule: "DSC-6", File: t.Path, Message: cause(err)}}}
	}
	return r
}
