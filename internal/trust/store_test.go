// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// place is a store and a directory to make workspaces in.
type place struct {
	*Store
	dir, home string
}

func newPlace(t *testing.T) place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{dir: dir, home: filepath.Join(dir, "home")}
	p.Store = Open(&Options{Dir: filepath.Join(p.home, ".config", "skillgraft"), Home: p.home,
		Now: func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }})
	for _, d := range []string{"home/src/app/sub", "other", "link-target"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p place) at(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p place) write(t *testing.T, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.Path()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Path(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p place) want(t *testing.T, name string, want bool) {
	t.Helper()
	got, err := p.Trusted(p.at(name))
	if err != nil || got != want {
		t.Errorf("%s: trusted %v, %v; want %v", name, got, err, want)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// B11: what the user trusts is trusted with what lies beneath, and nothing else.
func TestTrustedCoversWhatLiesBeneath(t *testing.T) {
	p := newPlace(t)
	p.want(t, "home/src/app", false)
	e := must[Entry](t)(p.Add(p.at("home/src/app"), false))
	if e.Path != p.at("home/src/app") || e.Added.IsZero() {
		t.Errorf("added %+v", e)
	}
	for name, want := range map[string]bool{"home/src/app": true, "home/src/app/sub": true, "home/src": false, "home": false, "other": false} {
		p.want(t, name, want)
	}
	// A name that only begins like a trusted one is another directory.
	if err := os.Mkdir(p.at("home/src/app-evil"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.want(t, "home/src/app-evil", false)
	if by := must[string](t)(p.By(p.at("home/src/app/sub"))); by != p.at("home/src/app") {
		t.Errorf("covered by %q", by)
	}
}

// B11: the key is the canonical path, from either side.
func TestLinksAreNoOtherName(t *testing.T) {
	p := newPlace(t)
	link := p.at("link")
	if err := os.Symlink(p.at("link-target"), link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if e := must[Entry](t)(p.Add(link, false)); e.Path != p.at("link-target") {
		t.Errorf("added %q", e.Path)
	}
	p.want(t, "link", true)
	p.want(t, "link-target", true)
	// Whoever puts a link in a trusted directory's place gains nothing by it.
	if err := os.Rename(p.at("link-target"), p.at("moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.at("other"), p.at("link-target")); err != nil {
		t.Fatal(err)
	}
	p.want(t, "link-target", false)
}

func TestWideDirectoriesNeedForce(t *testing.T) {
	p := newPlace(t)
	for _, dir := range []string{p.home, p.dir, filepath.VolumeName(p.dir) + string(filepath.Separator)} {
		var wide *WideError
		if _, err := p.Add(dir, false); !errors.As(err, &wide) || !strings.Contains(err.Error(), "--force") {
			t.Errorf("%s: %v, want a *WideError that names --force", dir, err)
		}
	}
	p.want(t, "other", false)
	must[Entry](t)(p.Add(p.dir, true))
	p.want(t, "other", true)
}

func TestAddRefusesWhatIsNoDirectory(t *testing.T) {
	p := newPlace(t)
	if err := os.WriteFile(p.at("file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "missing"} {
		if _, err := p.Add(p.at(name), false); err == nil {
			t.Errorf("%s was trusted", name)
		}
	}
	if _, err := os.Stat(p.Path()); err == nil {
		t.Error("a refusal wrote the store")
	}
}

func TestRemove(t *testing.T) {
	p := newPlace(t)
	must[Entry](t)(p.Add(p.at("home/src/app"), false))
	must[Entry](t)(p.Add(p.at("other"), false))
	var unknown *UnknownError
	if _, err := p.Remove(p.at("home/src/app/sub")); !errors.As(err, &unknown) || unknown.By != p.at("home/src/app") {
		t.Errorf("removing what another covers: %v", err)
	}
	if _, err := p.Remove(p.at("link-target")); !errors.As(err, &unknown) || unknown.By != "" {
		t.Errorf("removing what is not there: %v", err)
	}
	if got := must[string](t)(p.Remove(p.at("home/src/app"))); got != p.at("home/src/app") {
		t.Errorf("removed %q", got)
	}
	p.want(t, "home/src/app/sub", false)
	// A directory that is gone can be removed still.
	if err := os.Remove(p.at("other")); err != nil {
		t.Fatal(err)
	}
	must[string](t)(p.Remove(p.at("other")))
	if list := must[[]Entry](t)(p.List()); len(list) != 0 {
		t.Errorf("left: %v", list)
	}
}

func TestListIsInOrder(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"other", "home/src/app", "other"} {
		must[Entry](t)(p.Add(p.at(name), false))
	}
	list := must[[]Entry](t)(p.List())
	if len(list) != 2 || list[0].Path != p.at("home/src/app") || list[1].Path != p.at("other") {
		t.Errorf("listed %v", list)
	}
}

// Fields of a later program survive, where they are and as they are.
func TestUnknownFieldsAreKept(t *testing.T) {
	p := newPlace(t)
	quoted, _ := json.Marshal(p.at("other"))
	p.write(t, fmt.Sprintf(`{"note": 1.10, "version": 1, "trusted": [{"path": %s, "why": "mine"}], "later": {"a": [1, 2]}}`, quoted))
	must[Entry](t)(p.Add(p.at("home/src/app"), false))
	p.want(t, "other", true)
	text, err := os.ReadFile(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"note": 1.10`, `"why": "mine"`, `"later": {`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is lost in:\n%s", want, text)
		}
	}
}

// Of a store that is not wholly understood nothing counts, and it is not written over.
func TestDamagedStoreTrustsNothing(t *testing.T) {
	p := newPlace(t)
	quoted, _ := json.Marshal(p.at("other"))
	entry := fmt.Sprintf(`{"path": %s}`, quoted)
	for name, text := range map[string]string{
		"empty":           "",
		"cut":             `{"version": 1, "trusted": [` + entry,
		"no object":       `[]`,
		"no version":      `{"trusted": [` + entry + `]}`,
		"newer":           `{"version": 2, "trusted": [` + entry + `]}`,
		"no list":         `{"version": 1, "trusted": {}}`,
		"relative":        `{"version": 1, "trusted": [` + entry + `, {"path": "src"}]}`,
		"not clean":       `{"version": 1, "trusted": [` + entry + `, {"path": "/a/../b"}]}`,
		"no path":         `{"version": 1, "trusted": [` + entry + `, {}]}`,
		"twice":           `{"version": 1, "trusted": [], "trusted": [` + entry + `]}`,
		"twice in one":    `{"version": 1, "trusted": [{"path": "/x", "path": ` + string(quoted) + `}]}`,
		"text behind it":  `{"version": 1, "trusted": [` + entry + `]} {}`,
		"larger than all": `{"version": 1, "trusted": [` + entry + `], "x": "` + strings.Repeat("x", maxFile) + `"}`,
	} {
		p.write(t, text)
		yes, err := p.Trusted(p.at("other"))
		var bad *StoreError
		if yes || !errors.As(err, &bad) || !strings.Contains(err.Error(), p.Path()) {
			t.Errorf("%s: trusted %v, %v; want a *StoreError that names the file", name, yes, err)
		}
		if _, err := p.Add(p.at("home/src/app"), false); err == nil {
			t.Errorf("%s: written over", name)
		}
		if got, _ := os.ReadFile(p.Path()); string(got) != text {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// DSC-6: without a home directory there is no store, and no file named "".
func TestNoHomeTrustsNothing(t *testing.T) {
	for _, s := range []*Store{Open(nil), Open(&Options{})} {
		if yes, err := s.Trusted(t.TempDir()); yes || err != nil {
			t.Errorf("trusted %v, %v", yes, err)
		}
		if _, err := s.Add(t.TempDir(), true); !errors.Is(err, ErrNoStore) {
			t.Errorf("add: %v", err)
		}
		if _, err := s.Remove(t.TempDir()); !errors.Is(err, ErrNoStore) {
			t.Errorf("remove: %v", err)
		}
		if list, err := s.List(); len(list) != 0 || err != nil || s.Path() != "" {
			t.Errorf("list %v, %v at %q", list, err, s.Path())
		}
	}
}

func TestAddsAtOnceAreAllKept(t *testing.T) {
	p := newPlace(t)
	const n = 24
	var work sync.WaitGroup
	for i := range n {
		dir := p.at(fmt.Sprintf("many/%02d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			// Each in a store of its own, as processes have it.
			if _, err := Open(&Options{Dir: p.opts.Dir}).Add(dir, false); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if list := must[[]Entry](t)(p.List()); len(list) != n {
		t.Errorf("%d of %d are there", len(list), n)
	}
	left, err := filepath.Glob(filepath.Join(p.opts.Dir, ".trust.*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDefaultDir(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	if got := must[string](t)(DefaultDir()); got != filepath.Join(dir, "skillgraft") {
		t.Errorf("got %q", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":1,"trusted":[{"path":"/a","added":"2026-11-30T12:00:00Z","x":1}],"y":2}`))
	f.Add([]byte(`{"version":1,"trusted":[]}`))
	f.Add([]byte(`{"version":2}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		content, err := parse(text)
		if err != nil {
			return
		}
		for _, it := range content.items {
			if !filepath.IsAbs(it.Path) {
				t.Errorf("an entry has the path %q", it.Path)
			}
		}
		// What was read is written so that it reads the same.
		path := filepath.Join(t.TempDir(), "trust.json")
		if err := content.write(path); err != nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse(written)
		if err != nil || len(again.items) != len(content.items) {
			t.Fatalf("%q\nwas written as %q: %v", text, written, err)
		}
		for i, it := range again.items {
			if it.Path != content.items[i].Path {
				t.Errorf("entry %d: %q was %q", i, it.Path, content.items[i].Path)
			}
		}
	})
}
