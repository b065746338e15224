// SPDX-License-Identifier: Apache-2.0

package acpskill_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree is a workspace with a session open on it.
type tree struct {
	t     *testing.T
	dir   string
	sess  *acpskill.Session
	lists chan []*acp.Skill
}

func open(t *testing.T, reserved ...string) *tree {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	x := &tree{t: t, dir: dir, lists: make(chan []*acp.Skill, 16)}
	x.put("one", "About one.", "")
	x.put("secret", "About secret.", "user-invocable: false\n")
	x.put("review", "About review.", "metadata:\n  short-description: Reviews.\n")
	store := catalog.NewStore(&catalog.StoreOptions{Debounce: 10 * time.Millisecond})
	x.sess, err = acpskill.Open(t.Context(), store, acpskill.SessionOptions{Catalog: catalog.Options{Workspace: []string{dir}}, Reserved: reserved})
	if err != nil {
		t.Fatal(err)
	}
	x.sess.OnChange(func(l []*acp.Skill) { x.lists <- l })
	t.Cleanup(func() {
		x.sess.Close()
		_ = store.Close()
	})
	return x
}

func (x *tree) file(name string) string {
	return filepath.Join(x.dir, ".agents", "skills", name, "SKILL.md")
}

func (x *tree) put(name, description, more string) {
	x.t.Helper()
	if err := os.MkdirAll(filepath.Dir(x.file(name)), 0o755); err != nil {
		x.t.Fatal(err)
	}
	text := "---\nname: " + name + "\ndescription: " + description + "\n" + more + "---\nBODY-" + name + "\n"
	// At once, so that no scan sees half of it.
	half := x.file(name) + ".new"
	if err := os.WriteFile(half, []byte(text), 0o644); err != nil {
		x.t.Fatal(err)
	}
	if err := os.Rename(half, x.file(name)); err != nil {
		x.t.Fatal(err)
	}
}

// next is the next list that the session tells of.
func (x *tree) next() string {
	x.t.Helper()
	select {
	case l := <-x.lists:
		return show(l)
	case <-time.After(20 * time.Second):
		x.t.Fatal("no list comes")
		return ""
	}
}

func show(l []*acp.Skill) string {
	var out []string
	for _, s := range l {
		out = append(out, s.Name+"="+s.Description)
	}
	return strings.Join(out, " ")
}

// The list has what the user can invoke, with the description for people and the
// real path; a reserved name is qualified (ACP-A3 to ACP-A7).
func TestSessionLists(t *testing.T) {
	x := open(t, "review")
	got := x.sess.Skills()
	if want := "one=About one. " + filepath.Base(x.dir) + ":review=Reviews."; show(got) != want {
		t.Fatalf("got %s, want %s", show(got), want)
	}
	if got[0].Path != x.file("one") {
		t.Errorf("path %q, want %q", got[0].Path, x.file("one"))
	}
	if len(x.sess.Catalog().All()) != 3 {
		t.Error("the catalog lacks what only the model may use")
	}
}

func TestSessionResolves(t *testing.T) {
	x := open(t, "review")
	for name, want := range map[string]acp.Resolution{
		"one":                            {State: acp.SkillInvocable},
		"secret":                         {State: acp.SkillModelOnly},
		"review":                         {State: acp.SkillIsCommand},
		"ONE":                            {Hint: "one"},
		"ghost":                          {},
		"":                               {},
		filepath.Base(x.dir) + ":review": {State: acp.SkillInvocable},
	} {
		if got := x.sess.Resolve(name); got != want {
			t.Errorf("Resolve(%q) = %+v, want %+v", name, got, want)
		}
	}
}

// A change on disk is one list, and what nobody can see is none (ACP-A8, DSC-9).
func TestACPA8SessionIsLive(t *testing.T) {
	x := open(t)
	x.put("two", "About two.", "")
	if got := x.next(); got != "one=About one. review=Reviews. two=About two." {
		t.Errorf("added: %s", got)
	}
	x.put("secret", "About another secret.", "user-invocable: false\n") // not listed: not told
	x.put("one", "Edited.", "")
	if got := x.next(); got != "one=Edited. review=Reviews. two=About two." {
		t.Errorf("edited: %s", got)
	}
	x.put("two", "About two.", "user-invocable: false\n")
	if got := x.next(); got != "one=Edited. review=Reviews." {
		t.Errorf("for the model only: %s", got)
	}
	if got := x.sess.Resolve("two"); got.State != acp.SkillModelOnly {
		t.Errorf("Resolve = %+v", got)
	}
	if err := os.RemoveAll(filepath.Dir(x.file("one"))); err != nil {
		t.Fatal(err)
	}
	if got := x.next(); got != "review=Reviews." || show(x.sess.Skills()) != got {
		t.Errorf("removed: %s", got)
	}
	if len(x.lists) > 0 {
		t.Errorf("and besides: %s", x.next())
	}
}

// The body is that of the disk now; what is gone, or is not for the user any
// more, is told so, whether the list has noticed or not (ACT-2, ACT-10).
func TestACT2ActivateReadsTheDisk(t *testing.T) {
	x := open(t)
	if err := os.WriteFile(x.file("one"), []byte("---\nname: one\ndescription: About one.\n---\nNEW BODY\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	a, err := x.sess.Activate(t.Context(), "one")
	if err != nil || !strings.Contains(a.Body, "NEW BODY") {
		t.Fatalf("got %v, %v", a, err)
	}
	var listed acpskill.Listed
	for _, e := range x.sess.Catalog().All() {
		if e.ID == "one" {
			listed = acpskill.Listed{Entry: e, Name: "one"}
		}
	}
	gone := func(name string, read bool) {
		t.Helper()
		var g *acpskill.GoneError
		_, err := acpskill.Activate(t.Context(), listed)
		if name != "one" {
			_, err = x.sess.Activate(t.Context(), name)
		}
		if !errors.As(err, &g) || g.Name != name || (errors.Unwrap(err) != nil) != read || strings.ContainsAny(err.Error(), "\x1b") {
			t.Errorf("%q: %v", name, err)
		}
	}
	x.put("one", "About one.", "user-invocable: false\n")
	gone("one", false)
	if err := os.RemoveAll(filepath.Dir(x.file("one"))); err != nil {
		t.Fatal(err)
	}
	gone("one", true)
	gone("secret", false)
	gone("ghost\x1b[2J", false)
}
