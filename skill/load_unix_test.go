// SPDX-License-Identifier: Apache-2.0

//go:build unix

package skill_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/skillgraft/skillgraft/skill"
)

// TestLoadA30FIFO would hang if a FIFO were opened in the plain way (DSC-7).
func TestLoadA30FIFO(t *testing.T) {
	dir := write(t, map[string]string{"a/x": "", "b/x": "", "c/SKILL.md": demo})
	for _, d := range []string{"a", "b"} {
		if err := syscall.Mkfifo(filepath.Join(dir, d, "fifo"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(dir, "a", "fifo"), filepath.Join(dir, "a", "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	link(t, "fifo", filepath.Join(dir, "b", "SKILL.md"))
	for _, d := range []string{"a", "b"} {
		if rule := skipped(t, filepath.Join(dir, d), nil); rule != "FMT-14" {
			t.Error(rule)
		}
	}
	// And one that takes the place of a loaded skill's file, or of a bundled one.
	s := mustLoad(t, filepath.Join(dir, "c"))
	if err := os.Remove(s.File); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(s.File, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Activate(t.Context(), nil); err == nil {
		t.Error("activated a FIFO")
	}
	if _, err := s.ReadFile("SKILL.md", 0); err == nil {
		t.Error("read a FIFO")
	}
	link(t, "/dev/zero", filepath.Join(dir, "b", "zero"))
	follow := &skill.LoadOptions{Follow: func(p string) (string, bool) { return filepath.Dir(p), true }}
	if err := os.Remove(filepath.Join(dir, "b", "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	link(t, "/dev/zero", filepath.Join(dir, "b", "SKILL.md"))
	if rule := skipped(t, filepath.Join(dir, "b"), follow); rule != "FMT-14" {
		t.Error(rule)
	}
	// What is reported is the link, which its owner can find and mend.
	_, err := skill.Load(filepath.Join(dir, "b"), follow)
	var le *skill.LoadError
	if !errors.As(err, &le) || le.Findings[0].File != filepath.Join(dir, "b", "SKILL.md") {
		t.Errorf("%v", err)
	}
}

func TestLoadB09Unreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := write(t, map[string]string{"a/SKILL.md": demo})
	if err := os.Chmod(filepath.Join(dir, "a", "SKILL.md"), 0); err != nil {
		t.Fatal(err)
	}
	if rule := skipped(t, filepath.Join(dir, "a"), nil); rule != "DSC-6" {
		t.Error(rule)
	}
}
