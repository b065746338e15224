// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// linksDir has a skill in real, one that may be read by a file under top/at, and links to
// both that were not there when at was listed.
func linksDir(t *testing.T) string {
	t.Helper()
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"real", "at/deep/skill", "at/file"} {
		if err := os.MkdirAll(filepath.Join(tmp, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"real", "at/deep/skill"} {
		if err := os.WriteFile(filepath.Join(tmp, f, "SKILL.md"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"at/linked": "../real", "at/file/SKILL.md": "../../real/SKILL.md", "at/way": "deep"} {
		if err := os.Symlink(to, filepath.Join(tmp, name)); err != nil {
			t.Fatal(err)
		}
	}
	return tmp
}

// TestParentDSC5OfALink: what has become a link since it was listed is not followed, neither
// a directory nor a file nor a step on the way, whether or not the kernel helps.
func TestParentDSC5OfALink(t *testing.T) {
	top := linksDir(t)
	at := filepath.Join(top, "at")
	for _, walk := range []bool{false, true} {
		p := parent{walk: walk}
		defer p.close()
		if err := p.moveTo(top, at); err != nil {
			t.Fatal(err)
		}
		if d, err := p.dir("linked"); err == nil {
			d.close()
			t.Error("a link to a directory was opened")
		}
		if _, ok := p.stat("file"); ok {
			t.Error("a link counts as a regular file")
		}
		for _, name := range []string{"linked", "file"} {
			if f := p.file(name); f != nil {
				f.Close()
				t.Errorf("%s: opened through a link", name)
			}
		}
		d, err := p.dir("file")
		if err != nil {
			t.Fatal(err)
		}
		if f := d.open("SKILL.md"); f != nil {
			f.Close()
			t.Error("a link to a file was opened")
		}
		d.close()
		if err := p.moveTo(top, filepath.Join(at, "way")); err == nil {
			t.Error("a link on the way was followed")
		}
		if err := p.moveTo(at, filepath.Join(top, "real")); err == nil {
			t.Error("a directory outside of the anchor was opened")
		}
		if err := p.moveTo(at, filepath.Join(at, "deep")); err != nil {
			t.Fatal(err)
		}
		if _, ok := p.stat("skill"); !ok {
			t.Error("a plain skill was not found")
		}
		if f := p.file("skill"); f != nil {
			f.Close()
		} else if !walk && !p.walk {
			t.Error("a plain skill was not opened")
		}
	}
}

// TestParentCloses: moving leaves no descriptor open.
func TestParentCloses(t *testing.T) {
	top := linksDir(t)
	at := filepath.Join(top, "at")
	for _, walk := range []bool{false, true} {
		p := parent{walk: walk}
		lowest := func() int {
			fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			unix.Close(fd)
			return fd
		}
		before := lowest()
		for range 20 {
			for _, to := range [][2]string{{top, filepath.Join(at, "deep", "skill")}, {top, top}, {top, filepath.Join(at, "way")}, {at, at}, {at, filepath.Join(at, "gone")}, {filepath.Join(top, "gone"), top}} {
				if err := p.moveTo(to[0], to[1]); err == nil {
					if f := p.file("."); f != nil {
						f.Close()
					}
				}
			}
		}
		p.close()
		if after := lowest(); after != before {
			t.Errorf("descriptor %d is free, before it was %d", after, before)
		}
	}
}

// TestParentFMT1Spelling: a file whose spelling only a listing can tell is not opened by name.
func TestParentFMT1Spelling(t *testing.T) {
	top := t.TempDir()
	for _, f := range []string{"both/SKILL.md", "both/skill.md", "lower/skill.md"} {
		if err := os.MkdirAll(filepath.Join(top, filepath.Dir(f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var p parent
	defer p.close()
	if err := p.moveTo(top, top); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"both", "lower"} {
		if f := p.file(name); f != nil {
			f.Close()
			t.Errorf("%s: opened without a listing", name)
		}
	}
}

// TestVisitBothWays: opening a skill by name finds what listing its directory does, also of
// what is none.
func TestVisitBothWays(t *testing.T) {
	top := linksDir(t)
	head := "---\nname: x\ndescription: d\n---\n"
	for _, f := range []string{"plain/SKILL.md", "lower/skill.md", "both/SKILL.md", "both/skill.md", "odd/Skill.md", "deep/er/SKILL.md", "dir/SKILL.md/x", "bad/SKILL.md"} {
		if err := os.MkdirAll(filepath.Join(top, filepath.Dir(f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, f), []byte(head), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "bad", "SKILL.md"), []byte("no frontmatter"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(top, "fifo"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(top, "fifo", "SKILL.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := &walker{plan: &plan{}, opts: Options{}.withDefaults(), root: root{real: top, trusted: true}}
	show := func(r dirResult) string {
		s := fmt.Sprint(r.ok, len(r.subs), len(r.links), r.finds)
		if f := r.skill; f != nil {
			s += fmt.Sprint(f.path, f.link, f.keep, f.stat, f.err)
			if f.loaded.skill != nil {
				s += fmt.Sprint(f.loaded.skill.Name, f.loaded.skill.File, f.loaded.skill.Dir, f.loaded.skill.Findings)
			}
		}
		return s
	}
	for _, name := range []string{"real", "at", "at/file", "at/linked", "at/way", "plain", "lower", "both", "odd", "deep", "dir", "bad", "fifo", "gone"} {
		path := filepath.Join(top, name)
		task := newTask(path, path, top, 1)
		byName, byList := &visitor{}, &visitor{at: parent{walk: true}}
		a, b := show(byName.visit(w, task)), show(byList.visit(w, task))
		byName.close()
		byList.close()
		if a != b {
			t.Errorf("%s:\nby name %s\nby list %s", name, a, b)
		}
	}
}
