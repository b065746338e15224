// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/skill/catalog"
)

// patience is how long a test waits for what must happen. It is no measure of speed.
const patience = 30 * time.Second

// watched is an open catalog whose notifications a test can wait for.
type watched struct {
	*tree
	store *catalog.Store
	cat   *catalog.Catalog
	seen  chan *catalog.Snapshot
}

func watch(tr *tree, so *catalog.StoreOptions, o catalog.Options) *watched {
	tr.t.Helper()
	if so == nil {
		so = &catalog.StoreOptions{Debounce: 20 * time.Millisecond}
	}
	st := catalog.NewStore(so)
	tr.t.Cleanup(func() { st.Close() })
	c, err := st.Open(context.Background(), o)
	tr.must(err)
	w := &watched{tree: tr, store: st, cat: c, seen: make(chan *catalog.Snapshot, 1000)}
	c.Subscribe(func(s *catalog.Snapshot) { w.seen <- s })
	return w
}

// until waits for a notification with the given list.
func (w *watched) until(want string) *catalog.Snapshot {
	w.t.Helper()
	var got []string
	deadline := time.After(patience)
	for {
		select {
		case s := <-w.seen:
			if w.list(s) == want {
				return s
			}
			got = append(got, w.list(s))
		case <-deadline:
			w.t.Fatalf("never became %q; was %q, now %q", want, got, w.list(w.cat.Snapshot()))
		}
	}
}

func TestWatchB12(t *testing.T) {
	for _, mode := range []struct {
		name string
		opts *catalog.StoreOptions
	}{
		{"watching", &catalog.StoreOptions{Debounce: 20 * time.Millisecond, MaxWatches: 1000}},
		{"polling", &catalog.StoreOptions{MaxWatches: -1, PollInterval: 20 * time.Millisecond}},
		{"too many directories", &catalog.StoreOptions{MaxWatches: 3, PollInterval: 20 * time.Millisecond}},
	} {
		t.Run(mode.name, func(t *testing.T) {
			tr := newTree(t)
			tr.skill("w/.agents/skills/a", "")
			w := watch(tr, mode.opts, catalog.Options{Workspace: []string{tr.at("w")}})
			a := "w/.agents/skills/a/SKILL.md"

			tr.skill("w/.agents/skills/b", "") // add
			w.until("a=w/.agents/skills/a b=w/.agents/skills/b")

			tr.write(a, "---\nname: a2\ndescription: d\n---\n") // edit in place
			w.until("a2=w/.agents/skills/a b=w/.agents/skills/b")

			tr.write("w/.agents/skills/a/tmp", "---\nname: a3\ndescription: d\n---\n") // save by rename
			tr.must(os.Rename(tr.at("w/.agents/skills/a/tmp"), tr.at(a)))
			w.until("a3=w/.agents/skills/a b=w/.agents/skills/b")

			tr.must(os.Rename(tr.at("w/.agents/skills/a"), tr.at("w/.agents/skills/c"))) // rename the directory
			w.until("b=w/.agents/skills/b a3=w/.agents/skills/c")

			tr.write("w/.agents/skills/c/SKILL.md", "---\nname: c\ndescription: d\n---\n") // it is still watched
			w.until("b=w/.agents/skills/b c=w/.agents/skills/c")

			tr.must(os.RemoveAll(tr.at("w/.agents/skills/b"))) // delete
			s := w.until("c=w/.agents/skills/c")
			if _, ok := s.Lookup("b"); ok {
				t.Error("b resolves")
			}
			if got := w.cat.Polled(); got != (mode.name != "watching") {
				t.Errorf("polled = %v", got)
			}
		})
	}
}

// TestWatchRoots: roots that do not exist yet, go away, come back or move.
func TestWatchRoots(t *testing.T) {
	tr := newTree(t)
	tr.mkdir("w")
	tr.mkdir("home")
	w := watch(tr, nil, catalog.Options{Workspace: []string{tr.at("w")}, Home: tr.at("home"), Extra: []string{tr.at("x/y/z")}})
	tr.skill("w/.agents/skills/a", "")
	w.until("a=w/.agents/skills/a")
	tr.skill("home/.claude/skills/u", "")
	w.until("a=w/.agents/skills/a u=home/.claude/skills/u")
	tr.skill("x/y/z/e", "")
	w.until("a=w/.agents/skills/a u=home/.claude/skills/u e=x/y/z/e")
	tr.must(os.RemoveAll(tr.at("x")))
	tr.must(os.RemoveAll(tr.at("home/.claude")))
	w.until("a=w/.agents/skills/a")
	tr.must(os.Rename(tr.at("w/.agents"), tr.at("w/.old")))
	w.until("")
	tr.skill("w/.agents/skills/b", "") // another directory in the place of the one that moved
	w.until("b=w/.agents/skills/b")
	tr.write("w/.old/skills/a/SKILL.md", "changed") // nobody's business any more
	tr.skill("w/.agents/skills/c/deep/er", "")
	w.until("b=w/.agents/skills/b er=w/.agents/skills/c/deep/er")
	tr.skill("w/.agents/skills/z", "")
	// Shallow skills come first under a root.
	w.until("b=w/.agents/skills/b z=w/.agents/skills/z er=w/.agents/skills/c/deep/er")
}

// TestWatchReplacedRoot: a root that is moved away and replaced within one burst is watched
// where it stands, not where the old one went.
func TestWatchReplacedRoot(t *testing.T) {
	tr := newTree(t)
	tr.skill("w/.agents/skills/a", "")
	tr.skill("w/new/skills/a", "")
	w := watch(tr, nil, catalog.Options{Workspace: []string{tr.at("w")}})
	tr.skill("w/.agents/skills/b", "")
	w.until("a=w/.agents/skills/a b=w/.agents/skills/b") // by now everything is watched
	tr.must(os.Rename(tr.at("w/.agents"), tr.at("w/old")))
	tr.must(os.Rename(tr.at("w/new"), tr.at("w/.agents")))
	w.until("a=w/.agents/skills/a")
	tr.named("w/.agents/skills/a", "a2", "")
	w.until("a2=w/.agents/skills/a")
	tr.skill("w/.agents/skills/c", "")
	w.until("a2=w/.agents/skills/a c=w/.agents/skills/c")
}

// TestWatchDSC9Quiet: what does not change the catalog is not reported.
func TestWatchDSC9Quiet(t *testing.T) {
	tr := newTree(t)
	tr.skill("w/.agents/skills/a", "body")
	w := watch(tr, nil, catalog.Options{Workspace: []string{tr.at("w")}})
	before := w.cat.Snapshot()
	tr.skill("w/.agents/skills/a", "another body")
	tr.write("w/.agents/skills/a/scripts/x.sh", "echo")
	tr.write("w/.agents/skills/README.md", "x")
	tr.write("w/main.go", "x")
	now := time.Now()
	tr.must(os.Chtimes(tr.at("w/.agents/skills/a/SKILL.md"), now, now))
	for range 3 {
		s, err := w.cat.Refresh(t.Context())
		tr.must(err)
		if s.Version != 1 || !s.Equal(before) {
			t.Fatalf("version %d: %s", s.Version, tr.list(s))
		}
	}
	// The next report is of the next real change, and of nothing before it.
	tr.skill("w/elsewhere/b", "")
	tr.must(os.Rename(tr.at("w/elsewhere/b"), tr.at("w/.agents/skills/b")))
	if s := <-w.seen; s.Version != 2 || tr.list(s) != "a=w/.agents/skills/a b=w/.agents/skills/b" {
		t.Errorf("version %d: %s", s.Version, tr.list(s))
	}
}

func TestRefreshSeesAtOnce(t *testing.T) {
	tr := newTree(t)
	tr.mkdir("w")
	st := catalog.NewStore(&catalog.StoreOptions{Debounce: time.Hour})
	defer st.Close()
	c, err := st.Open(t.Context(), catalog.Options{Workspace: []string{tr.at("w")}})
	tr.must(err)
	defer c.Close()
	// Same size, and within one tick of the clock: times alone would not tell.
	for i := range 50 {
		tr.named("w/.agents/skills/a", "n"+strconv.Itoa(10+i), "")
		s, err := c.Refresh(t.Context())
		tr.must(err)
		if got, want := tr.list(s), "n"+strconv.Itoa(10+i)+"=w/.agents/skills/a"; got != want || c.Snapshot() != s {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	before := c.Snapshot().Version
	tr.write("w/.agents/skills/a/SKILL.md", "---\nname: n59\ndescription: another\n---\n")
	if s, err := c.Refresh(t.Context()); err != nil || s.Version != before+1 {
		t.Errorf("B12: a new description is version %d, the old one was %d", s.Version, before)
	}
	tr.must(os.RemoveAll(tr.at("w/.agents/skills/a")))
	if s, err := c.Refresh(t.Context()); err != nil || len(s.All()) != 0 {
		t.Errorf("%v %v", s, err)
	}
}

func TestStoreB10OneForAll(t *testing.T) {
	tr := newTree(t)
	for i := range 100 {
		tr.skill("w/.agents/skills/s"+strconv.Itoa(i), "")
	}
	st := catalog.NewStore(nil)
	defer st.Close()
	o := catalog.Options{Workspace: []string{tr.at("w")}}
	cats := make([]*catalog.Catalog, 50)
	var wg sync.WaitGroup
	for i := range cats {
		wg.Go(func() {
			c, err := st.Open(context.Background(), o)
			if err != nil {
				t.Error(err)
				return
			}
			cats[i] = c
		})
	}
	wg.Wait()
	for _, c := range cats {
		// The same skills in memory, not equal ones.
		if c.Snapshot().All()[0].Skill != cats[0].Snapshot().All()[0].Skill {
			t.Fatal("skills are held twice")
		}
	}
	for _, c := range cats[1:] {
		c.Close()
		c.Close()
	}
	got := make(chan *catalog.Snapshot, 100)
	cats[0].Subscribe(func(s *catalog.Snapshot) { got <- s })
	tr.skill("w/.agents/skills/new", "")
	select {
	case <-got:
	case <-time.After(patience):
		t.Error("closing the others ended the watch of the first")
	}
}

// TestStoreTrust: sessions with different trust never share.
func TestStoreTrust(t *testing.T) {
	tr := newTree(t)
	tr.skill("out/evil", "")
	tr.link(tr.at("out/evil"), "w/.agents/skills/evil")
	st := catalog.NewStore(nil)
	defer st.Close()
	o := catalog.Options{Workspace: []string{tr.at("w")}}
	yes := o
	yes.Trusted = func(string) bool { return true }
	a, err := st.Open(t.Context(), yes)
	tr.must(err)
	b, err := st.Open(t.Context(), o)
	tr.must(err)
	tr.expect(a.Snapshot(), "evil=out/evil")
	tr.expect(b.Snapshot(), "")
}

func TestSubscribeCancel(t *testing.T) {
	tr := newTree(t)
	tr.mkdir("w")
	w := watch(tr, nil, catalog.Options{Workspace: []string{tr.at("w")}})
	calls := make(chan struct{}, 100)
	cancel := w.cat.Subscribe(func(*catalog.Snapshot) { calls <- struct{}{} })
	cancel()
	cancel()
	tr.skill("w/.agents/skills/a", "")
	w.until("a=w/.agents/skills/a")
	if len(calls) != 0 {
		t.Error("called after cancel")
	}
}

func TestStoreClose(t *testing.T) {
	tr := newTree(t)
	tr.skill("w/.agents/skills/a", "")
	o := catalog.Options{Workspace: []string{tr.at("w")}}
	st := catalog.NewStore(nil)
	c, err := st.Open(t.Context(), o)
	tr.must(err)
	c.Close()
	if _, err := c.Refresh(t.Context()); !errors.Is(err, catalog.ErrClosed) {
		t.Errorf("refresh after close: %v", err)
	}
	if !strings.HasPrefix(tr.list(c.Snapshot()), "a=") {
		t.Error("the last snapshot is gone")
	}
	c, err = st.Open(t.Context(), o)
	tr.must(err)
	tr.must(st.Close())
	tr.must(st.Close())
	if _, err := st.Open(t.Context(), o); !errors.Is(err, catalog.ErrClosed) {
		t.Errorf("open after close: %v", err)
	}
	c.Close()
	tr.must(catalog.NewStore(nil).Close())
}

func TestOpenCancelled(t *testing.T) {
	tr := newTree(t)
	tr.skill("w/.agents/skills/a", "")
	st := catalog.NewStore(nil)
	defer st.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := catalog.Options{Workspace: []string{tr.at("w")}}
	if _, err := st.Open(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	c, err := st.Open(t.Context(), o)
	tr.must(err)
	tr.expect(c.Snapshot(), "a=w/.agents/skills/a")
}
