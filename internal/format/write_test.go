// SPDX-License-Identifier: Apache-2.0

package format

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestReplaceFileKeepsTheMode(t *testing.T) {
	dir := real(t)
	file := put(t, "old", dir, "tea", "SKILL.md")
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(dir, file, []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := get(t, file); got != "new" {
		t.Errorf("the file has %q", got)
	}
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && st.Mode().Perm() != 0o640 {
		t.Errorf("the mode is now %v", st.Mode())
	}
	alone(t, filepath.Dir(file))
}

// alone checks that nothing of the work is left beside the file.
func alone(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v (%v), want one file", entries, err)
	}
}

// Whoever writes at the same time does not lose what they wrote.
func TestReplaceFileThatHasChanged(t *testing.T) {
	dir := real(t)
	file := put(t, "somebody's", dir, "tea", "SKILL.md")
	for _, before := range []string{"old", "somebody's and more", "somebody"} {
		if err := replaceFile(dir, file, []byte(before), []byte("new")); !errors.Is(err, errChanged) {
			t.Errorf("the error is %v", err)
		}
	}
	if got := get(t, file); got != "somebody's" {
		t.Errorf("the file has %q", got)
	}
	alone(t, filepath.Dir(file))
}

// A link that leaves the path which was given is never written through, wherever it
// stands; one inside is followed, and stays a link.
func TestReplaceFileThroughLinks(t *testing.T) {
	dir := real(t)
	outside := put(t, "old", dir, "outside", "SKILL.md")
	bound := filepath.Join(dir, "given")
	inside := put(t, "old", bound, "store", "tea.md")
	link(t, filepath.Join("..", "store", "tea.md"), filepath.Join(bound, "tea", "SKILL.md"))
	link(t, outside, filepath.Join(bound, "file", "SKILL.md"))
	link(t, filepath.Dir(outside), filepath.Join(bound, "dir"))

	for _, name := range []string{"file", "dir"} {
		if err := replaceFile(bound, filepath.Join(bound, name, "SKILL.md"), []byte("old"), []byte("new")); !errors.Is(err, errOutside) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	if err := replaceFile("", inside, []byte("old"), []byte("new")); !errors.Is(err, errOutside) {
		t.Errorf("without a bound the error is %v", err)
	}
	if got := get(t, outside); got != "old" {
		t.Errorf("the file outside has %q", got)
	}
	if err := replaceFile(bound, filepath.Join(bound, "tea", "SKILL.md"), []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := get(t, inside); got != "new" {
		t.Errorf("the file inside has %q", got)
	}
	if st, err := os.Lstat(filepath.Join(bound, "tea", "SKILL.md")); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is now %v (%v)", st.Mode(), err)
	}
}

// A failure leaves the old file and nothing else.
func TestReplaceFileThatFails(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("whoever runs this may write everywhere, so that nothing fails")
	}
	dir := real(t)
	file := put(t, "old", dir, "tea", "SKILL.md")
	if err := os.Chmod(filepath.Dir(file), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(file), 0o700) })
	if err := replaceFile(dir, file, []byte("old"), []byte("new")); err == nil {
		t.Error("no error")
	}
	if got := get(t, file); got != "old" {
		t.Errorf("the file has %q", got)
	}
	alone(t, filepath.Dir(file))
}
