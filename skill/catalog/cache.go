// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"sync"
	"time"
	"weak"

	"github.com/skillgraft/skillgraft/skill"
)

// stat is what has to be equal for a file to count as unchanged.
type stat struct {
	id           fileID
	size         int64
	mtime, ctime int64 // nanoseconds
}

// settled is how old a change must be before equal times prove that nothing was written
// since: file systems keep times in steps of up to two seconds.
const settled = 2 * time.Second

// loaded is the outcome of reading one head. It is immutable and shared by snapshots.
type loaded struct {
	stat  stat
	at    int64 // before the file was read, in nanoseconds
	skill *skill.Skill
	err   error // a *skill.LoadError when skill is nil
}

// fresh reports whether the outcome still holds for a file with the stat now.
func (l *loaded) fresh(now stat) bool {
	last := max(now.mtime, now.ctime)
	return l.stat == now && l.at-last > int64(settled)
}

// cacheKey is everything besides the file's bytes that a load depends on.
type cacheKey struct {
	file, dirName, anchor string
}

// cache remembers heads by what stat says about them, for all catalogs of a store. It
// holds them weakly: what no snapshot uses any more is not kept, so it needs no limit.
// A nil cache remembers nothing.
type cache struct {
	mu    sync.RWMutex
	m     map[cacheKey]weak.Pointer[loaded]
	sweep int // size at which dead entries are removed
}

func newCache() *cache { return &cache{sweep: 1024} }

// get returns what was put last, which may not be fresh, or nil.
func (c *cache) get(k cacheKey) *loaded {
	if c == nil {
		return nil
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if len(c.m) == 0 {
		return nil
	}
	return c.m[k].Value()
}

// put remembers what a scan has read, all at once: ten thousand are not added one by one
// while the workers that find them wait for each other.
func (c *cache) put(fs []*found) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = make(map[cacheKey]weak.Pointer[loaded], len(fs))
	}
	for _, f := range fs {
		if f.keep {
			c.m[f.key] = weak.Make(f.loaded)
		}
	}
	if len(c.m) < c.sweep {
		return
	}
	for k, w := range c.m {
		if w.Value() == nil {
			delete(c.m, k)
		}
	}
	c.sweep = max(1024, 2*len(c.m))
}
