// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A Catalog is one user's handle on the skills of a set of roots, kept up to date by its
// [Store]. It is safe for concurrent use.
type Catalog struct {
	sh *shared

	mu     sync.Mutex
	closed bool
	subs   []*subscription
}

// Snapshot returns the latest snapshot. It costs an atomic load.
func (c *Catalog) Snapshot() *Snapshot { return c.sh.snap.Load() }

// Refresh looks at the disk now and returns what is there. Files that have not changed are
// not read again, and callers that wait at the same time share one scan that began after
// each of them asked. Subscribers hear of a change as always.
func (c *Catalog) Refresh(ctx context.Context) (*Snapshot, error) {
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	return c.sh.rescan(ctx, false)
}

// Subscribe has fn called with the latest snapshot after each change that matters (see
// [Snapshot.Equal]), not with the present one (DSC-9). Changes in quick succession may be
// one call. Calls of all subscribers of a store come one at a time from its goroutine,
// so fn must be quick and must not call [Store.Close]. After cancel has returned no
// further call begins.
func (c *Catalog) Subscribe(fn func(*Snapshot)) (cancel func()) {
	s := &subscription{fn: fn}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return func() {}
	}
	s.seen = c.Snapshot().Version
	c.subs = append(c.subs, s)
	c.sh.subscribe(s)
	return func() { c.sh.unsubscribe(s) }
}

// Close ends the subscriptions and gives up the use of the roots; watching them ends with
// their last user. The last snapshot stays readable.
func (c *Catalog) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	for _, s := range c.subs {
		c.sh.unsubscribe(s)
	}
	c.subs = nil
	c.sh.store.release(c.sh)
	return nil
}

// Polled reports whether the roots are looked at in intervals, because there are too many
// directories to watch or the system refused to.
func (c *Catalog) Polled() bool { return c.sh.polled.Load() }

type subscription struct {
	fn   func(*Snapshot)
	seen uint64 // version that was delivered last; used by the store's goroutine only
}

// shared is the state of one set of roots, used by any number of catalogs.
type shared struct {
	store *Store
	key   string
	opts  Options
	trust map[string]bool
	users int // guarded by store.mu

	snap   atomic.Pointer[Snapshot]
	polled atomic.Bool

	// sem is held during a scan; a channel, so that waiting for it can be given up.
	sem chan struct{}

	mu      sync.Mutex
	started uint64 // scans that have begun
	ended   uint64 // number of the last scan that ended well
	took    time.Duration
	newest  *Snapshot // of the last scan; equal to snap, which may be an older one
	watch   *watchPlan
	watchNo uint64 // the scan that watch is from
	subs    map[*subscription]struct{}
}

func newShared(st *Store, key string, o Options, trust map[string]bool) *shared {
	return &shared{store: st, key: key, opts: o, trust: trust,
		sem: make(chan struct{}, 1), subs: map[*subscription]struct{}{}}
}

// rescan scans, or waits for a scan that serves as well: one that begins after the call, or,
// with running set, one that is under way.
func (sh *shared) rescan(ctx context.Context, running bool) (*Snapshot, error) {
	sh.mu.Lock()
	need := sh.started + 1
	if running && sh.started > sh.ended {
		need = sh.started
	}
	sh.mu.Unlock()
	select {
	case sh.sem <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-sh.sem }()
	sh.mu.Lock()
	if sh.ended >= need {
		sh.mu.Unlock()
		return sh.snap.Load(), nil
	}
	sh.started++
	number := sh.started
	sh.mu.Unlock()

	begin := time.Now()
	r, err := scan(ctx, sh.opts, func(dir string) bool { return sh.trust[dir] }, sh.store.cache)
	if err != nil {
		return nil, err
	}
	snap := r.snap
	switch last := sh.snap.Load(); {
	case last == nil:
		snap.Version = 1
	case last.Equal(snap):
		// Whoever has the last one keeps sharing it. The cache lives by what the
		// newest scan holds.
		snap = last
	default:
		snap.Version = last.Version + 1
	}
	sh.mu.Lock()
	sh.snap.Store(snap)
	sh.newest = r.snap
	sh.ended, sh.took = number, time.Since(begin)
	sh.watch, sh.watchNo = r.watch, number
	sh.mu.Unlock()
	sh.store.poke()
	return snap, nil
}

func (sh *shared) subscribe(s *subscription) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.subs[s] = struct{}{}
	// A change between reading the version and this point must not be missed.
	sh.store.poke()
}

func (sh *shared) unsubscribe(s *subscription) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	delete(sh.subs, s)
}

// notify calls the subscribers that have not seen the latest snapshot. Only the store's
// goroutine calls it.
func (sh *shared) notify() {
	snap := sh.snap.Load()
	if snap == nil {
		return
	}
	sh.mu.Lock()
	var due []*subscription
	for s := range sh.subs {
		if s.seen < snap.Version {
			due = append(due, s)
		}
	}
	sh.mu.Unlock()
	for _, s := range due {
		sh.mu.Lock()
		_, still := sh.subs[s]
		sh.mu.Unlock()
		if still {
			s.seen = snap.Version
			s.fn(snap)
		}
	}
}
