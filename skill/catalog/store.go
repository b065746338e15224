// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// ErrClosed is returned for a store or catalog that was closed.
var ErrClosed = errors.New("catalog: closed; open it again")

// Times and bounds of watching, where [StoreOptions] does not say otherwise.
const (
	// DefaultDebounce is how long a burst of changes must pause before it is looked at.
	// A burst that does not pause is looked at after three times that.
	DefaultDebounce = 150 * time.Millisecond
	// DefaultPollInterval is the time between looks at what is polled.
	DefaultPollInterval = time.Second
)

// StoreOptions are the choices of [NewStore]. A nil pointer means the zero value.
type StoreOptions struct {
	// Debounce and PollInterval; zero means the defaults.
	Debounce     time.Duration
	PollInterval time.Duration
	// MaxWatches is how many directories the store watches; catalogs beyond it are polled
	// (DSC-2), all of them if it is negative. Zero means [DefaultMaxWatches].
	MaxWatches int
}

// A Store keeps the catalogs of a process: one scan, one snapshot and one set of watches for
// all users of the same roots, however many sessions there are. It is safe for concurrent
// use. Its one goroutine starts with the first catalog and ends with Close.
type Store struct {
	opts  StoreOptions
	cache *cache

	mu     sync.Mutex
	shared map[string]*shared
	closed bool
	stop   context.CancelFunc // ends the goroutine; nil until there is one

	wake chan struct{} // capacity 1: something to do for the goroutine
	done chan struct{} // closed when the goroutine has ended
}

// NewStore returns a store without catalogs. It starts nothing.
func NewStore(o *StoreOptions) *Store {
	st := &Store{cache: newCache(), shared: map[string]*shared{},
		wake: make(chan struct{}, 1), done: make(chan struct{})}
	if o != nil {
		st.opts = *o
	}
	if st.opts.Debounce <= 0 {
		st.opts.Debounce = DefaultDebounce
	}
	if st.opts.PollInterval <= 0 {
		st.opts.PollInterval = DefaultPollInterval
	}
	if st.opts.MaxWatches == 0 {
		st.opts.MaxWatches = DefaultMaxWatches
	}
	return st
}

// Open returns a catalog for the options, after a scan: the first one of its roots, or one
// that notices what has changed since. Callers that open the same roots at once share
// the scan. The catalog must be closed.
func (st *Store) Open(ctx context.Context, o Options) (*Catalog, error) {
	o = o.withDefaults()
	trust := decideTrust(o)
	key := storeKey(o, trust)

	st.mu.Lock()
	if st.closed {
		st.mu.Unlock()
		return nil, ErrClosed
	}
	sh := st.shared[key]
	if sh == nil {
		sh = newShared(st, key, o, trust)
		st.shared[key] = sh
	}
	sh.users++
	if st.stop == nil {
		var run context.Context
		run, st.stop = context.WithCancel(context.Background())
		go st.run(run)
	}
	st.mu.Unlock()

	if _, err := sh.rescan(ctx, true); err != nil {
		st.release(sh)
		return nil, err
	}
	return &Catalog{sh: sh}, nil
}

// Close ends watching and waits for the goroutine, so that no subscriber is called
// afterwards. It must not be called by a subscriber. Snapshots stay usable.
func (st *Store) Close() error {
	st.mu.Lock()
	st.closed = true
	stop := st.stop
	st.mu.Unlock()
	if stop != nil {
		stop()
		<-st.done
	}
	return nil
}

// release gives back one use of sh.
func (st *Store) release(sh *shared) {
	st.mu.Lock()
	sh.users--
	if sh.users == 0 {
		delete(st.shared, sh.key)
	}
	st.mu.Unlock()
	st.poke()
}

// poke tells the goroutine that there is something to do.
func (st *Store) poke() {
	select {
	case st.wake <- struct{}{}:
	default:
	}
}

// list returns the catalogs in use.
func (st *Store) list() []*shared {
	st.mu.Lock()
	defer st.mu.Unlock()
	out := make([]*shared, 0, len(st.shared))
	for _, sh := range st.shared {
		out = append(out, sh)
	}
	return out
}

// decideTrust asks once for each workspace directory. The answers are part of the key and
// stay as they are for the catalog's life, so that two sessions with different answers can
// never share one; a directory that becomes relevant later is not trusted.
func decideTrust(o Options) map[string]bool {
	trust := map[string]bool{}
	if o.Trusted == nil {
		return trust
	}
	for _, k := range makePlan(o, func(string) bool { return false }).keys {
		if o.Trusted(k) {
			trust[k] = true
		}
	}
	return trust
}

// storeKey identifies what a scan depends on. Values are quoted, so that no path can look
// like two.
func storeKey(o Options, trust map[string]bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %q %v %q %q %d %d", o.Workspace, o.Home, o.NoUser, o.Extra, o.ClientFolders, o.MaxDepth, o.MaxDirs)
	for _, s := range o.BuiltIn {
		fmt.Fprintf(&b, " %p", s)
	}
	fmt.Fprintf(&b, " %v", trust) // fmt sorts maps
	return b.String()
}
