// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// workspace is a git repository with a skill for each agent, and a second root.
// Every skill's body carries the marker BODY-<name>-<place>.
type workspace struct {
	t     *testing.T
	dir   string // the session's cwd
	extra string // the additional directory
}

func newWorkspace(t *testing.T) workspace {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := workspace{t, filepath.Join(base, "ws"), filepath.Join(base, "extra")}
	w.skill(w.dir, ".claude", "cl-one")
	w.skill(w.dir, ".claude", "cl-two")
	w.skill(w.dir, ".agents", "ag-one")
	w.skill(w.dir, ".agents", "ag-two")
	w.write(w.dir, ".agents", "for-model", "---\nname: for-model\ndescription: Not for people. Use when needed.\nuser-invocable: false\n---\nBODY-for-model\n")
	w.skill(w.extra, ".agents", "ext-one")
	w.skill(w.extra, ".claude", "ext-two")
	for _, dir := range []string{w.dir, w.extra} {
		if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
			t.Fatalf("git init: %v: %s", err, out)
		}
	}
	return w
}

func skillFile(root, kind, name string) string {
	return filepath.Join(root, kind, "skills", name, "SKILL.md")
}

// skill writes <root>/<kind>/skills/<name>/SKILL.md and returns its path.
func (w workspace) skill(root, kind, name string) string {
	w.t.Helper()
	return w.write(root, kind, name, fmt.Sprintf("---\nname: %s\ndescription: Says %s. Use when asked for %s.\n---\n\n# %s\n\nBODY-%s-%s: say it.\n",
		name, name, name, name, name, kind[1:]))
}

func (w workspace) write(root, kind, name, text string) string {
	w.t.Helper()
	return w.writeFile(skillFile(root, kind, name), text)
}

func (w workspace) writeFile(file, text string) string {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return file
}

// rename gives a skill another name, in its file and by its directory.
func (w workspace) rename(kind, from, to string) {
	w.t.Helper()
	dir := filepath.Dir(skillFile(w.dir, kind, from))
	data, err := os.ReadFile(filepath.Join(dir, "SKILL.md"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.remove(kind, from)
	w.write(w.dir, kind, to, strings.Replace(string(data), "name: "+from, "name: "+to, 1))
}

func (w workspace) remove(kind, name string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Dir(skillFile(w.dir, kind, name))); err != nil {
		w.t.Fatal(err)
	}
}
