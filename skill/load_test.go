// SPDX-License-Identifier: Apache-2.0

package skill_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/skillgraft/skillgraft/skill"
)

// write makes files under a new directory with links resolved, and returns it.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func link(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("this Windows user may not create symbolic links: " + err.Error())
		}
		t.Fatal(err)
	}
}

func mustLoad(t testing.TB, dir string) *skill.Skill {
	t.Helper()
	s, err := skill.Load(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// skipped loads what must be skipped and returns the findings' rules.
func skipped(t *testing.T, dir string, opts *skill.LoadOptions) string {
	t.Helper()
	s, err := skill.Load(dir, opts)
	var le *skill.LoadError
	if !errors.As(err, &le) {
		t.Fatalf("loaded %+v, error %v", s, err)
	}
	for _, f := range le.Findings {
		if f.Skip {
			if f.File == "" || f.Message == "" {
				t.Errorf("no file or message: %+v", f)
			}
			return f.Rule
		}
	}
	t.Fatalf("no finding says why: %+v", le)
	return ""
}

const demo = "---\nname: demo\ndescription: d\n---\nBody\n"

func TestLoad(t *testing.T) {
	dir := write(t, map[string]string{"demo/SKILL.md": demo})
	s := mustLoad(t, filepath.Join(dir, "demo"))
	if s.Name != "demo" || s.Description != "d" || len(s.Findings) > 0 {
		t.Errorf("%+v", s)
	}
	if s.Dir != filepath.Join(dir, "demo") || s.File != filepath.Join(dir, "demo", "SKILL.md") {
		t.Errorf("paths %s %s", s.Dir, s.File)
	}
}

// TestLoadFMT10: what only the author can mend does not follow every user.
func TestLoadFMT10(t *testing.T) {
	dir := write(t, map[string]string{"demo/SKILL.md": "---\nname: demo\ndescription: d\ncolour: red\nversion: 1\nuser_invocable: false\n---\n"})
	s := mustLoad(t, filepath.Join(dir, "demo"))
	if len(s.Findings) != 1 || !strings.Contains(s.Findings[0].Message, "user-invocable") || s.Frontmatter.Get("colour").Text != "red" {
		t.Errorf("%q", s.Findings)
	}
}

func TestLoadA24NameIsTheIdentifier(t *testing.T) {
	dir := write(t, map[string]string{
		"best-practices/SKILL.md": "---\nname: acme-best-practices\ndescription: d\n---\n",
		"nameless/SKILL.md":       "---\ndescription: d\n---\n",
	})
	s := mustLoad(t, filepath.Join(dir, "best-practices"))
	if s.Name != "acme-best-practices" || len(s.Findings) != 1 || s.Findings[0].Severity != skill.Warning {
		t.Errorf("%q %q", s.Name, s.Findings)
	}
	s = mustLoad(t, filepath.Join(dir, "nameless"))
	if s.Name != "nameless" || len(s.Findings) != 1 || s.Findings[0].Rule != "FMT-5" {
		t.Errorf("FMT-14: %q %q", s.Name, s.Findings)
	}
}

func TestLoadA27Spelling(t *testing.T) {
	dir := write(t, map[string]string{"a/skill.md": demo, "b/Skill.md": demo})
	s := mustLoad(t, filepath.Join(dir, "a"))
	if filepath.Base(s.File) != "skill.md" || !hasRule(s.Findings, "FMT-1") {
		t.Errorf("%s %q", s.File, s.Findings)
	}
	if rule := skipped(t, filepath.Join(dir, "b"), nil); rule != "FMT-1" {
		t.Error(rule)
	}
	both := write(t, map[string]string{"SKILL.md": demo})
	if err := os.WriteFile(filepath.Join(both, "skill.md"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(both, "SKILL.md")); string(b) != demo {
		t.Skip("this disk ignores case, so that the two files are one")
	}
	if s := mustLoad(t, both); filepath.Base(s.File) != "SKILL.md" || hasRule(s.Findings, "FMT-1") {
		t.Errorf("%s %q", s.File, s.Findings)
	}
}

func hasRule(fs []skill.Finding, rule string) bool {
	for _, f := range fs {
		if f.Rule == rule {
			return true
		}
	}
	return false
}

func TestLoadA30Sizes(t *testing.T) {
	long := "---\nname: a\ndescription: d\n---\n" + strings.Repeat("x\n", 5000)
	wide := "---\nname: a\ndescription: " + strings.Repeat("é", 20_000) + "\n---\nBody"
	dir := write(t, map[string]string{
		"long/SKILL.md":  long,
		"wide/SKILL.md":  wide,
		"large/SKILL.md": demo + strings.Repeat("x", skill.MaxFile),
		"open/SKILL.md":  "---\nname: a\ndescription: d\n" + strings.Repeat("# x\n", skill.MaxHead),
		"edge/SKILL.md":  "---\nname: a\ndescription: " + strings.Repeat("é", 1011) + "\n---\nBody" + strings.Repeat("é", 9000),
		"cr/SKILL.md":    "---\r\nname: a\r\ndescription: " + strings.Repeat("x", 2048-5-9-15-1) + "\r\n---\r\nBody",
	})
	for _, name := range []string{"long", "wide", "edge", "cr"} {
		if s := mustLoad(t, filepath.Join(dir, name)); s.Name != "a" {
			t.Errorf("%s: %+v", name, s)
		}
	}
	for name, want := range map[string]string{"large": "FMT-14", "open": "FMT-2"} {
		if rule := skipped(t, filepath.Join(dir, name), nil); rule != want {
			t.Errorf("%s: %s", name, rule)
		}
	}
	if s, err := skill.Load(filepath.Join(dir, "large"), &skill.LoadOptions{MaxFile: 2 << 20}); err != nil || s.Name != "demo" {
		t.Errorf("with a higher limit: %v", err)
	}
}

// TestLoadHeadCut: wherever the first read ends, the result is that of the whole file.
func TestLoadHeadCut(t *testing.T) {
	for pad := 1990; pad < 2100; pad++ {
		src := "---\r\nname: a\r\ndescription: " + strings.Repeat("é", 10) + strings.Repeat("x", pad-60) + "\r\n---\r\néé\r\nBody"
		dir := write(t, map[string]string{"a/SKILL.md": src})
		s := mustLoad(t, filepath.Join(dir, "a"))
		if want := skill.Parse([]byte(src), nil).Frontmatter.Description; s.Description != want {
			t.Fatalf("pad %d: %d bytes instead of %d", pad, len(s.Description), len(want))
		}
	}
}

func TestLoadA30OddFiles(t *testing.T) {
	dir := write(t, map[string]string{"dir/SKILL.md/x": "", "plain": "x", "empty/x": ""})
	if rule := skipped(t, filepath.Join(dir, "dir"), nil); rule != "FMT-14" {
		t.Error(rule)
	}
	if rule := skipped(t, filepath.Join(dir, "plain"), nil); rule != "DSC-6" {
		t.Error(rule)
	}
	_, err := skill.Load(filepath.Join(dir, "empty"), nil)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no SKILL.md: %v", err)
	}
	if _, err := skill.Load(filepath.Join(dir, "nowhere"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

func TestLoadE02Links(t *testing.T) {
	dir := write(t, map[string]string{
		"real/v2/SKILL.md":  demo,
		"real/v2/extra.txt": "extra",
		"store/abc-demo.md": demo,
		"x/other":           "",
		"y/other":           "",
		"in/docs/main.md":   demo,
		"secret":            demo,
	})
	at := func(s string) string { return filepath.Join(dir, filepath.FromSlash(s)) }
	link(t, at("real/v2"), at("wrap-up"))
	link(t, at("secret"), at("x/SKILL.md"))
	link(t, at("real/v2/SKILL.md"), at("y/SKILL.md"))
	link(t, "docs/main.md", at("in/SKILL.md"))

	// B01: a linked directory is the skill's directory.
	s := mustLoad(t, at("wrap-up"))
	if s.Dir != at("real/v2") || s.File != at("real/v2/SKILL.md") {
		t.Errorf("%s %s", s.Dir, s.File)
	}
	if got := s.Findings; len(got) != 1 || !strings.Contains(got[0].Message, "wrap-up") {
		t.Errorf("the name is compared with the link's: %q", got)
	}
	// A linked file that stays inside.
	if s := mustLoad(t, at("in")); s.File != at("in/docs/main.md") || s.Dir != at("in") {
		t.Errorf("%s %s", s.Dir, s.File)
	}
	// A linked file that leaves.
	for _, d := range []string{"x", "y"} {
		if rule := skipped(t, at(d), nil); rule != "DSC-5" {
			t.Error(rule)
		}
	}
	follow := &skill.LoadOptions{Follow: func(target string) (string, bool) { return filepath.Dir(target), true }}
	s, err := skill.Load(at("y"), follow)
	if err != nil || s.Dir != at("real/v2") {
		t.Fatalf("followed: %+v %v", s, err)
	}
	if b, err := s.ReadFile("extra.txt", 0); err != nil || string(b) != "extra" {
		t.Errorf("bundled file of a followed link: %q %v", b, err)
	}
	s, err = skill.Load(at("x"), follow)
	if err != nil || s.Dir != at("x") || s.File != at("secret") {
		t.Fatalf("followed to another name: %+v %v", s, err)
	}
	if a, err := s.Activate(t.Context(), nil); err != nil || a.Body != "Body\n" || len(a.Files) != 1 {
		t.Errorf("activated: %+v %v", a, err)
	}
	if rule := skipped(t, at("y"), &skill.LoadOptions{Follow: func(string) (string, bool) { return at("store"), true }}); rule != "DSC-5" {
		t.Errorf("target outside of the root that was given: %s", rule)
	}
}

func TestLoadFS(t *testing.T) {
	fsys := fstest.MapFS{
		"s/demo/SKILL.md":     {Data: []byte(demo)},
		"s/demo/scripts/a.py": {Data: []byte("print(1)")},
		"s/bad/SKILL.md":      {Data: []byte("x")},
		"s/none/x":            {},
	}
	s, err := skill.LoadFS(fsys, "s/demo", nil)
	if err != nil || s.Name != "demo" || s.File != "" || s.Dir != "" {
		t.Fatalf("%+v %v", s, err)
	}
	a, err := s.Activate(t.Context(), nil)
	if err != nil || a.Body != "Body\n" || len(a.Files) != 1 || a.Files[0] != "scripts/a.py" {
		t.Fatalf("%+v %v", a, err)
	}
	if b, err := s.ReadFile("scripts/a.py", 0); err != nil || string(b) != "print(1)" {
		t.Errorf("%q %v", b, err)
	}
	if got := a.Wrap(&skill.WrapOptions{Pointer: true}); !strings.Contains(got, "Body") || strings.Contains(got, "directory") {
		t.Errorf("a skill without a file cannot be pointed to: %s", got)
	}
	for _, d := range []string{"s/bad", "s/none", "s/nowhere", "s/demo/SKILL.md"} {
		if _, err := skill.LoadFS(fsys, d, nil); err == nil {
			t.Errorf("%s: loaded", d)
		}
	}
}
