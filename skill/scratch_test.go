// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"fmt"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestScratchIsNotKept: what was loaded with shared space stays as it was when the space is
// used again, and says the same as the parser without space.
func TestScratchIsNotKept(t *testing.T) {
	blocks := []string{
		"name: s\ndescription: a\nmetadata:\n  k: v\n  l: w\nlist: [x, y]\n",
		"name: s\ndescription: |\n  b\n  c\nmetadata:\n  - q\n  - r\nuser-invocable: false\n",
		"name: s\ndescription: \"d\"\nallowed-tools: Read, Bash\nlicense: MIT\nx:\n  y:\n    z: 1\n  w: 2\n",
		"name: s\ndescription: {a: b}\n",
		"name: s\ndescription: a b: c\nlicense: &x y\n",
		"name: s\ndescription: e # f\ndisable-model-invocation: true\n",
	}
	var space Scratch
	var got []*Skill
	for i, b := range blocks {
		dir := fmt.Sprint(i)
		s, err := LoadFS(fstest.MapFS{dir + "/SKILL.md": {Data: []byte("---\n" + b + "---\n")}}, dir, &LoadOptions{Scratch: &space, DirName: "s"})
		if doc := Parse([]byte("---\n"+b+"---\n"), &ParseOptions{Dir: "s"}); doc.Usable() != (err == nil) {
			t.Fatalf("%q: %v", b, err)
		}
		got = append(got, s)
	}
	for i, b := range blocks {
		want := Parse([]byte("---\n"+b+"---\n"), &ParseOptions{Dir: "s"}).Frontmatter
		if got[i] == nil {
			continue
		}
		fm := got[i].Frontmatter
		if fm.Get("no-such-field") != nil || got[i].UserInvocable() != invocableByUser(want) || got[i].ModelInvocable() != invocableByModel(want) {
			t.Errorf("%q: flags", b)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { fm.Get("name") })
		}
		wg.Wait()
		if fm.Name != want.Name || fm.Description != want.Description || fm.License != want.License {
			t.Errorf("%q: %q %q %q", b, fm.Name, fm.Description, fm.License)
		}
		if d := cmp.Diff(want.values(), fm.values(), cmp.AllowUnexported(Value{})); d != "" {
			t.Errorf("%q:\n%s", b, d)
		}
		if first := fm.Get("name"); fm.Get("name") != first {
			t.Error("a value changes between calls")
		}
	}
}
