// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/skillgraft/skillgraft/skill"
)

// walker finds the skills under one root, level by level, so that the shallow ones come
// first when a bound is met, and the result does not depend on timing.
type walker struct {
	plan  *plan
	cache *cache
	opts  Options
	root  root

	level   []dirTask       // to visit next
	reals   []string        // real paths that were visited
	visited map[string]bool // the same, made when there are links to follow
	dirs    int
	links   []dirTask // followed when all else has been seen
	out     []*found
	finds   []skill.Finding
}

// found is a skill, or why a file is none, before names are compared.
type found struct {
	*loaded
	root *root
	path string // as found, through links
	// aliases are the same file by other names of the root.
	aliases []string
	link    bool // the file is a link
	key     cacheKey
	keep    bool // was read now and may be remembered
}

// dirResult is what a visit found.
type dirResult struct {
	subs  []dirTask
	links []dirTask // real is not known yet
	skill *found
	finds []skill.Finding
	ok    bool // the directory is there
}

// walk has each walker find what is under its root. They go level by level together, so
// that one of few directories keeps no core waiting.
func walk(ctx context.Context, walkers []*walker) error {
	visitors := make([]visitor, min(runtime.GOMAXPROCS(0), 8))
	defer func() {
		for i := range visitors {
			visitors[i].close()
		}
	}()
	for _, w := range walkers {
		w.level = []dirTask{newTask(w.root.path, w.root.real, w.anchorFor(w.root.real), 0)}
	}
	for {
		if err := levels(ctx, walkers, visitors); err != nil {
			return err
		}
		// Links come last, so that a directory which is reached both ways is found under
		// its own name. What they lead to may hold more of them.
		more := false
		for _, w := range walkers {
			w.follow()
			more = more || len(w.level) > 0
		}
		if !more {
			return nil
		}
	}
}

// anchorFor returns the directory under which a real path is opened: the workspace's own
// where links must not lead out of it (DSC-5), else the directory itself.
func (w *walker) anchorFor(real string) string {
	if w.root.trusted {
		return real
	}
	return w.plan.inside(real)
}

func (w *walker) report(rule string, sev skill.Severity, file, format string, args ...any) {
	w.finds = append(w.finds, skill.Finding{Rule: rule, Severity: sev, File: file, Message: fmt.Sprintf(format, args...)})
}

// resolve decides about a link to a directory.
func (w *walker) resolve(t dirTask) (dirTask, bool) {
	real, err := filepath.EvalSymlinks(t.path)
	if err != nil {
		w.report("DSC-5", skill.Info, t.path, "a link that leads nowhere: %s", cause(err))
		return t, false
	}
	fi, err := os.Stat(real)
	if err != nil || !fi.IsDir() {
		return t, false // links to files are no skills and no fault
	}
	if contains(real, w.root.real) {
		return t, false // the way back up
	}
	anchor := w.anchorFor(real)
	if anchor == "" {
		w.report("DSC-5", skill.Warning, t.path, "a link to %s, outside of the workspace; trust the workspace to follow it", skill.Sanitize(real))
		return t, false
	}
	return newTask(t.path, real, anchor, t.depth), true
}

// follow makes tasks of the links that were found.
func (w *walker) follow() {
	if len(w.links) > 0 && w.visited == nil {
		w.visited = make(map[string]bool, len(w.reals))
		for _, real := range w.reals {
			w.visited[real] = true
		}
	}
	for _, t := range w.links {
		if t, ok := w.resolve(t); ok {
			w.level = append(w.level, t)
		}
	}
	w.links = nil
}

// levels visits the walkers' tasks and what lies beneath them.
func levels(ctx context.Context, walkers []*walker, visitors []visitor) error {
	for {
		var jobs []job
		n := 0
		for _, w := range walkers {
			w.level = w.admit(w.level)
			n += len(w.level)
		}
		if n == 0 {
			return nil
		}
		jobs = make([]job, 0, n)
		for _, w := range walkers {
			for i := range w.level {
				jobs = append(jobs, job{walker: w, task: &w.level[i]})
			}
		}
		if err := visitAll(ctx, jobs, visitors); err != nil {
			return err
		}
		for _, w := range walkers {
			n := len(w.level)
			w.take(jobs[:n])
			jobs = jobs[n:]
		}
	}
}

// take adds what visits have found, and makes the next level of it.
func (w *walker) take(jobs []job) {
	subs, skills := 0, 0
	for i := range jobs {
		subs += len(jobs[i].res.subs)
		if jobs[i].res.skill != nil {
			skills++
		}
	}
	next := make([]dirTask, 0, subs)
	w.out = slices.Grow(w.out, skills)
	w.plan.skills = slices.Grow(w.plan.skills, skills)
	for i := range jobs {
		r := &jobs[i].res
		w.finds = append(w.finds, r.finds...)
		switch real := jobs[i].task.real; {
		case r.skill != nil:
			w.out = append(w.out, r.skill)
			w.plan.skills = append(w.plan.skills, real)
		case r.ok:
			w.plan.watch.add(real)
		}
		next = append(next, r.subs...)
		w.links = append(w.links, r.links...)
	}
	w.level = next
}

// admit drops what was visited before or exceeds the bound on directories.
func (w *walker) admit(level []dirTask) []dirTask {
	kept := level[:0]
	for _, t := range level {
		if w.visited[t.real] {
			continue
		}
		if w.dirs >= w.opts.MaxDirs {
			if w.dirs == w.opts.MaxDirs {
				w.dirs++
				w.report("DSC-2", skill.Warning, w.root.path, "more than %d directories; those from %s on were not searched, move skills up or raise the limit", w.opts.MaxDirs, skill.Sanitize(t.path))
			}
			continue
		}
		w.dirs++
		if w.visited != nil {
			w.visited[t.real] = true
		} else {
			// Without links no directory is reached twice.
			w.reals = append(w.reals, t.real)
		}
		kept = append(kept, t)
	}
	return kept
}

// A job is one visit.
type job struct {
	walker *walker
	task   *dirTask
	res    dirResult
}

// batch is how many jobs a worker takes at a time.
const batch = 32

// visitAll does jobs with at most all of the visitors at once.
func visitAll(ctx context.Context, jobs []job, visitors []visitor) error {
	workers := min(len(visitors), (len(jobs)+batch-1)/batch)
	var next atomic.Int64
	work := func(v *visitor) {
		for {
			to := int(next.Add(batch))
			if to-batch >= len(jobs) || ctx.Err() != nil {
				return
			}
			v.now = time.Now().UnixNano()
			for i := to - batch; i < min(to, len(jobs)); i++ {
				j := &jobs[i]
				j.res = v.visit(j.walker, *j.task)
			}
		}
	}
	// This goroutine works too: on a busy machine the others may come late, or not at all.
	var wg sync.WaitGroup
	for i := 1; i < workers; i++ {
		wg.Go(func() { work(&visitors[i]) })
	}
	work(&visitors[0])
	wg.Wait()
	return ctx.Err()
}

// leads is the answer to a SKILL.md that is a link out of its directory (DSC-5).
func (w *walker) leads(target string) (string, bool) {
	if w.root.trusted {
		return filepath.Dir(target), true
	}
	base := w.plan.inside(target)
	return base, base != ""
}
