// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"runtime"
	"strconv"
	"testing"
	"time"
)

// TestCacheFresh: equal times prove nothing when the change they speak of was recent.
func TestCacheFresh(t *testing.T) {
	at := time.Unix(1000, 0)
	old := stat{size: 1, mtime: at.Add(-time.Hour).UnixNano(), ctime: at.Add(-time.Hour).UnixNano()}
	recent := old
	recent.ctime = at.Add(-time.Second).UnixNano()
	longer := old
	longer.size = 2
	for _, tt := range []struct {
		name      string
		then, now stat
		want      bool
	}{
		{"unchanged for long", old, old, true},
		{"changed just before it was read", recent, recent, false},
		{"changed since", old, recent, false},
		{"another size", old, longer, false},
		{"from the future", stat{mtime: at.Add(time.Hour).UnixNano()}, stat{mtime: at.Add(time.Hour).UnixNano()}, false},
	} {
		l := &loaded{stat: tt.then, at: at.UnixNano()}
		if got := l.fresh(tt.now); got != tt.want {
			t.Errorf("%s: fresh = %v", tt.name, got)
		}
	}
}

// TestCacheForgets: what no snapshot holds does not stay.
func TestCacheForgets(t *testing.T) {
	c := newCache()
	keep := func(file string, l *loaded) {
		c.put([]*found{{loaded: l, key: cacheKey{file: file}, keep: true}})
	}
	kept := &loaded{}
	keep("kept", kept)
	for i := range 5000 {
		keep(strconv.Itoa(i), &loaded{})
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	if n := len(c.m); n > 3000 {
		t.Errorf("%d entries are remembered", n)
	}
	if c.get(cacheKey{file: "kept"}) != kept {
		t.Error("what is in use was forgotten")
	}
	c.put([]*found{{loaded: &loaded{}, key: cacheKey{file: "link"}}})
	if c.get(cacheKey{file: "link"}) != nil {
		t.Error("what must be read each time was remembered")
	}
	runtime.KeepAlive(kept)
}
