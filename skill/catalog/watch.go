// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// run is the store's goroutine: it keeps the watches in step with what the scans looked
// at, scans again after changes, and calls subscribers.
func (st *Store) run(ctx context.Context) {
	defer close(st.done)
	w := &watching{st: st, dirs: map[string]map[*shared]bool{}, state: map[*shared]*watchState{}, dirty: map[*shared]bool{}}
	if st.opts.MaxWatches > 0 {
		// Without a watcher everything is polled.
		w.notify, _ = fsnotify.NewWatcher()
	}
	if w.notify != nil {
		defer w.notify.Close()
	}
	w.loop(ctx)
}

// watching is the state of the goroutine.
type watching struct {
	st     *Store
	notify *fsnotify.Watcher // nil: poll

	dirs  map[string]map[*shared]bool // watched directories and who wants them
	state map[*shared]*watchState
	dirty map[*shared]bool // to be scanned when the burst is over
	since time.Time        // when the burst began
}

// watchState is what is watched for one set of roots.
type watchState struct {
	set    watchSet
	number uint64 // of the scan that set is from
	polled bool
	next   time.Time // of the next poll
	retry  time.Time // when to try again to watch instead
}

func (w *watching) loop(ctx context.Context) {
	debounce := time.NewTimer(time.Hour)
	debounce.Stop()
	poll := time.NewTimer(time.Hour)
	poll.Stop()
	defer debounce.Stop()
	defer poll.Stop()
	var events chan fsnotify.Event
	var errs chan error
	if w.notify != nil {
		events, errs = w.notify.Events, w.notify.Errors
	}
	mark := func(sh *shared) {
		if len(w.dirty) == 0 {
			w.since = time.Now()
		}
		w.dirty[sh] = true
		wait := min(w.st.opts.Debounce, time.Until(w.since.Add(3*w.st.opts.Debounce)))
		debounce.Reset(max(wait, 0))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.st.wake:
		case ev, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			w.event(ev, mark)
			continue
		case _, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			// Events were lost: anything may have changed.
			for sh := range w.state {
				mark(sh)
			}
			continue
		case <-debounce.C:
			for sh := range w.dirty {
				delete(w.dirty, sh)
				_, _ = sh.rescan(ctx, false) // fails only when the store closes
			}
		case <-poll.C:
			w.poll(ctx)
		}
		w.sync(mark)
		if next, ok := w.nextPoll(); ok {
			poll.Reset(max(time.Until(next), 0))
		}
	}
}

// event finds out whom a change concerns.
func (w *watching) event(ev fsnotify.Event, mark func(*shared)) {
	path := filepath.Clean(ev.Name)
	if ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename) {
		w.forget(path, mark)
	}
	dir, name := filepath.Dir(path), filepath.Base(path)
	for sh := range w.dirs[dir] {
		if w.state[sh].set.matters(dir, name) {
			mark(sh)
		}
	}
	for sh := range w.dirs[path] {
		mark(sh) // the watched directory itself
	}
}

// forget drops the watches on a directory that is gone from its place, and beneath it: they
// would follow it to where it went. If there is a directory again, the next scan finds it
// and has it watched anew.
func (w *watching) forget(path string, mark func(*shared)) {
	if _, watched := w.dirs[path]; !watched {
		return
	}
	below := path + string(filepath.Separator)
	for dir, users := range w.dirs {
		if dir != path && !strings.HasPrefix(dir, below) {
			continue
		}
		_ = w.notify.Remove(dir) // it may have ended by itself
		delete(w.dirs, dir)
		for sh := range users {
			w.state[sh].number = 0
			mark(sh)
		}
	}
}

// sync brings watches in step with the latest scans and delivers their snapshots.
func (w *watching) sync(mark func(*shared)) {
	live := map[*shared]bool{}
	for _, sh := range w.st.list() {
		live[sh] = true
		sh.mu.Lock()
		plan, number := sh.watch, sh.watchNo
		sh.mu.Unlock()
		if number == 0 {
			continue // the first scan is not done
		}
		s := w.state[sh]
		if s == nil {
			s = &watchState{}
			w.state[sh] = s
		}
		if s.number != number {
			var set watchSet
			if w.notify != nil {
				set = plan.all()
			}
			if w.watch(sh, s, set) {
				// What changed between the scan and the watch went unseen.
				mark(sh)
			}
			s.number = number
			sh.polled.Store(s.polled)
		}
		sh.notify()
	}
	for sh, s := range w.state {
		if !live[sh] {
			w.unwatch(sh, s.set, nil)
			delete(w.state, sh)
			delete(w.dirty, sh)
		}
	}
}

// watch makes sh watch exactly the directories of set, or has it polled where that is not
// possible. It reports whether a watch is new.
func (w *watching) watch(sh *shared, s *watchState, set watchSet) (added bool) {
	now := time.Now()
	if s.polled && now.Before(s.retry) {
		s.set = set
		return false
	}
	w.unwatch(sh, s.set, set)
	s.set = set
	added, ok := w.add(sh, set)
	if ok {
		s.polled = false
		return added
	}
	// Half a watch would hide that the rest is late.
	w.unwatch(sh, set, nil)
	s.polled, s.next, s.retry = true, now.Add(w.st.opts.PollInterval), now.Add(retryWatch)
	return false
}

// retryWatch is how long a refused catalog is polled before watching it is tried again.
const retryWatch = time.Minute

func (w *watching) add(sh *shared, set watchSet) (added, ok bool) {
	if w.notify == nil {
		return false, false
	}
	fresh := 0
	for dir := range set {
		if w.dirs[dir] == nil {
			fresh++
		}
	}
	if len(w.dirs)+fresh > w.st.opts.MaxWatches {
		return false, false
	}
	for dir := range set {
		users := w.dirs[dir]
		if users == nil {
			if err := w.notify.Add(dir); err != nil {
				if exists(dir) {
					return added, false // the system's limit, or no right to watch
				}
				continue // it went away since the scan; its parent is watched
			}
			users = map[*shared]bool{}
			w.dirs[dir] = users
		}
		if !users[sh] {
			users[sh] = true
			added = true
		}
	}
	return added, true
}

// unwatch gives up the directories of old that are not in keep.
func (w *watching) unwatch(sh *shared, old, keep watchSet) {
	for dir := range old {
		if _, kept := keep[dir]; kept {
			continue
		}
		users := w.dirs[dir]
		delete(users, sh)
		if users != nil && len(users) == 0 {
			delete(w.dirs, dir)
			_ = w.notify.Remove(dir)
		}
	}
}

// poll scans what is due.
func (w *watching) poll(ctx context.Context) {
	now := time.Now()
	for sh, s := range w.state {
		if !s.polled || s.next.After(now) {
			continue
		}
		_, _ = sh.rescan(ctx, false)
		sh.mu.Lock()
		took := sh.took
		sh.mu.Unlock()
		// A large tree is looked at less often: at most a tenth of the time.
		s.next = time.Now().Add(max(w.st.opts.PollInterval, 10*took))
	}
}

func (w *watching) nextPoll() (next time.Time, ok bool) {
	for _, s := range w.state {
		if s.polled && (!ok || s.next.Before(next)) {
			next, ok = s.next, true
		}
	}
	return next, ok
}
