// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/skill/catalog"
)

// many writes n skills of ordinary size and returns the options that find them.
func many(b testing.TB, n int) (*tree, catalog.Options) {
	tr := newTree(b)
	body := strings.Repeat("A line of instructions that says what to do next.\n", 120)
	for i := range n {
		name := fmt.Sprintf("skill-%05d", i)
		tr.write("w/.agents/skills/"+name+"/SKILL.md", fmt.Sprintf(
			"---\nname: %s\ndescription: Extracts text and tables from files of kind %d, fills forms and merges documents. Use when the user mentions them.\nlicense: Apache-2.0\nmetadata:\n  author: example\n  version: \"1.%d\"\n---\n%s", name, i, i, body))
	}
	return tr, catalog.Options{Workspace: []string{tr.at("w")}, MaxDirs: n + 1}
}

// BenchmarkDiscover measures 10,000 skills in a warm page cache. "walk" is the floor: it finds
// the files and reads the same heads, and does nothing with them. "scan" is a process that
// starts; "rescan" one that looks again.
func BenchmarkDiscover(b *testing.B) {
	tr, o := many(b, 10_000)
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			buf := make([]byte, 4096)
			n := 0
			err := filepath.WalkDir(tr.at("w/.agents/skills"), func(p string, d fs.DirEntry, err error) error {
				if err != nil || d.Name() != "SKILL.md" {
					return err
				}
				f, err := os.Open(p)
				if err != nil {
					return err
				}
				defer f.Close()
				n++
				_, err = f.Read(buf)
				return err
			})
			if err != nil || n != 10_000 {
				b.Fatal(n, err)
			}
		}
	})
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			if s := tr.scan(o); len(s.All()) != 10_000 {
				b.Fatal(len(s.All()))
			}
		}
	})
	b.Run("rescan", func(b *testing.B) {
		st := catalog.NewStore(&catalog.StoreOptions{MaxWatches: -1})
		defer st.Close()
		c, err := st.Open(context.Background(), o)
		tr.must(err)
		for b.Loop() {
			if s, err := c.Refresh(context.Background()); err != nil || len(s.All()) != 10_000 {
				b.Fatal(err)
			}
		}
	})
}

// TestSessionsMemory: 100 sessions on the same roots with 1,000 skills hold one set of them.
func TestSessionsMemory(t *testing.T) {
	_, o := many(t, 1000)
	st := catalog.NewStore(nil)
	defer st.Close()
	before := heap()
	var cats []*catalog.Catalog
	for range 100 {
		c, err := st.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		cats = append(cats, c)
	}
	after := heap()
	if used := int64(after) - int64(before); used > 60<<20 {
		t.Errorf("%d MiB of live heap", used>>20)
	} else {
		t.Logf("%.1f MiB of live heap", float64(used)/(1<<20))
	}
	runtime.KeepAlive(cats)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
