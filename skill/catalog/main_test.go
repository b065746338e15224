// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree is a directory to write skills into, with links resolved.
type tree struct {
	t   testing.TB
	dir string
}

func newTree(t testing.TB) *tree {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &tree{t, dir}
}

func (tr *tree) at(p string) string { return filepath.Join(tr.dir, filepath.FromSlash(p)) }

func (tr *tree) must(err error) {
	tr.t.Helper()
	if err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *tree) mkdir(p string) {
	tr.t.Helper()
	tr.must(os.MkdirAll(tr.at(p), 0o755))
}

func (tr *tree) write(p, content string) {
	tr.t.Helper()
	tr.must(os.MkdirAll(filepath.Dir(tr.at(p)), 0o755))
	tr.must(os.WriteFile(tr.at(p), []byte(content), 0o644))
}

// skill writes a skill named after its directory.
func (tr *tree) skill(dir, body string) {
	tr.t.Helper()
	tr.named(dir, filepath.Base(dir), body)
}

func (tr *tree) named(dir, name, body string) {
	tr.t.Helper()
	tr.write(dir+"/SKILL.md", "---\nname: "+name+"\ndescription: d\n---\n"+body)
}

func (tr *tree) link(target, name string) {
	tr.t.Helper()
	tr.must(os.MkdirAll(filepath.Dir(tr.at(name)), 0o755))
	if err := os.Symlink(target, tr.at(name)); err != nil {
		if runtime.GOOS == "windows" {
			tr.t.Skip("this Windows user may not create symbolic links: " + err.Error())
		}
		tr.t.Fatal(err)
	}
}

func (tr *tree) scan(o catalog.Options) *catalog.Snapshot {
	tr.t.Helper()
	s, err := catalog.Scan(context.Background(), o)
	tr.must(err)
	return s
}

// rel shows a path relative to the tree.
func (tr *tree) rel(p string) string {
	r, err := filepath.Rel(tr.dir, p)
	if err != nil {
		return p
	}
	return filepath.ToSlash(r)
}

// list shows all entries as "id=file" in order.
func (tr *tree) list(s *catalog.Snapshot) string {
	var out []string
	for _, e := range s.All() {
		out = append(out, e.ID+"="+strings.TrimSuffix(tr.rel(e.File), "/SKILL.md"))
	}
	return strings.Join(out, " ")
}

func (tr *tree) expect(s *catalog.Snapshot, want string) {
	tr.t.Helper()
	if got := tr.list(s); got != want {
		tr.t.Errorf("entries\n got %s\nwant %s\nfindings %v", got, want, s.Findings())
	}
}

// count returns how many findings a rule has.
func count(s *catalog.Snapshot, rule string) int {
	n := 0
	for _, f := range s.Findings() {
		if f.Rule == rule && f.Severity != skill.Info {
			n++
		}
	}
	return n
}
