// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"strings"
)

// Scan looks at the disk once. It runs nothing and writes nothing (DSC-8), and waits for
// nothing but the disk. What is wrong with roots and skills is in the snapshot's findings;
// an error is returned only when ctx ends.
func Scan(ctx context.Context, o Options) (*Snapshot, error) {
	trusted := o.Trusted
	if trusted == nil {
		trusted = func(string) bool { return false }
	}
	r, err := scan(ctx, o.withDefaults(), trusted, nil)
	if err != nil {
		return nil, err
	}
	r.snap.Version = 1
	return r.snap, nil
}

// scanResult is a snapshot and what to watch for it to stay true.
type scanResult struct {
	snap  *Snapshot
	watch *watchPlan
}

func scan(ctx context.Context, o Options, trusted func(string) bool, c *cache) (*scanResult, error) {
	p := makePlan(o, trusted)
	m := newMerger()
	m.findings = append(m.findings, p.findings...)
	walkers := make([]*walker, len(p.roots))
	for i, r := range p.roots {
		walkers[i] = &walker{plan: p, cache: c, opts: o, root: r}
	}
	if err := walk(ctx, walkers); err != nil {
		return nil, err
	}
	all := 0
	for _, w := range walkers {
		all += len(w.out)
	}
	m.grow(all)
	for _, w := range walkers {
		r := w.root
		m.findings = append(m.findings, w.finds...)
		r.place.Dirs, r.place.Truncated = min(w.dirs, o.MaxDirs), w.dirs > o.MaxDirs
		c.put(w.out)
		for _, f := range w.out {
			for _, a := range p.aliases[r.real] {
				if a != r.path {
					f.aliases = append(f.aliases, a+strings.TrimPrefix(f.path, r.path))
				}
			}
			if f.skill != nil {
				r.place.Skills++
			} else {
				r.place.Skipped++
			}
			m.add(f)
			if f.skill != nil && f.link {
				// The head may lie elsewhere.
				p.watch.addFile(f.skill.File)
			}
		}
	}
	for _, s := range o.BuiltIn {
		m.addBuiltIn(s)
	}
	snap := m.snapshot()
	for _, r := range p.places {
		snap.roots = append(snap.roots, *r)
	}
	return &scanResult{snap: snap, watch: &watchPlan{p.watch, p.skills}}, nil
}
