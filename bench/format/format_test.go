// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// TestMain lets the test binary play the roles, as the program itself does, and that of a
// Python with a reference tool, which here is our own reading with one slip.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case roleWalk, roleScan, roleOdd:
			main()
			return
		case "-c":
			if err := fakeReference(os.Stdin, os.Stdout); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(m.Run())
}

func fakeReference(stdin io.Reader, stdout io.Writer) error {
	var in struct {
		Dirs    []string
		Answers bool
	}
	if err := json.NewDecoder(stdin).Decode(&in); err != nil {
		return err
	}
	out := referenceRun{Took: 1, CPU: 1, Read: len(in.Dirs)}
	for _, dir := range in.Dirs {
		r, err := skill.ReadReference(dir)
		if err != nil {
			return err
		}
		a := answer{Dir: dir, Properties: string(r.JSON()), Prompt: skill.ReferencePrompt([]*skill.Reference{r})}
		switch filepath.Base(dir) {
		case "slip":
			a.Properties = strings.Replace(a.Properties, "slip", "slap", 1)
		case "hyphens":
			a.Prompt = ""
		case "flow":
			a = answer{Dir: dir, Error: "no flow style here", Validate: []string{"no flow style here"}}
		case "strict":
			a.Validate = nil
		}
		if v, err := skill.Validate(dir, &skill.ValidateOptions{Profile: skill.ProfileSkillsRef}); err == nil && !v.Valid() && filepath.Base(dir) != "strict" {
			a.Validate = []string{"not valid"}
		}
		out.Answers = append(out.Answers, a)
	}
	return json.NewEncoder(stdout).Encode(out)
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// tree writes files and returns the directory with links resolved.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func text(name, more string) string {
	return "---\nname: " + name + "\ndescription: Does what it says. Use when testing.\n" + more + "---\nBody.\n"
}

// The whole program, over a few skills.
func TestMeasureGenerated(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-smoke", "-json"}, nil, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if want := map[bool]int{true: 3, false: 2}[runtime.GOOS == "linux"]; len(r.Bounds) != want || len(r.Medians) != 2 || r.Rounds != 1 {
		t.Errorf("%d bounds, want %d: %+v", len(r.Bounds), want, r)
	}
	for _, m := range r.Medians {
		if m.Files != 200 || m.Took <= 0 || m.Role == roleScan && (m.Usable != 200 || m.Rescan <= 0) {
			t.Errorf("a figure is missing or absurd: %+v", m)
		}
	}
}

func TestMeasureCorpusWithReference(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": text("a", ""), "deep/b/c/d/e/f/g/h/SKILL.md": text("h", "")})
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "a/SKILL.md"), old, old); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-rounds", "2", "-corpus", dir, "-reference", dir, "-python", self(t)}, nil, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"reference", "times faster than the reference", "median of 2 rounds"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// The floor is one only if the walk finds what discovery finds (DSC-2).
func TestWalkFindsWhatDiscoveryFinds(t *testing.T) {
	dir := tree(t, map[string]string{
		"a/SKILL.md": text("a", ""), "a/nested/SKILL.md": text("nested", ""), "b/c/skill.md": text("c", ""),
		".hidden/d/SKILL.md": text("d", ""), "node_modules/e/SKILL.md": text("e", ""), "x/1/2/3/4/5/6/7/SKILL.md": text("seven", ""),
		"x/1/2/3/4/5/SKILL.md": text("five", ""), "both/SKILL.md": text("both", ""), "both/skill.md": text("lower", ""), "empty/README.md": "",
	})
	for _, depth := range []int{0, 2, 64} {
		j := &job{Roots: []string{dir}, Extra: []string{dir}, MaxDepth: depth}
		var walked, found []string
		if err := bareWalk(j, func(file string) error { walked = append(walked, file); return nil }); err != nil {
			t.Fatal(err)
		}
		snap, err := catalog.Scan(t.Context(), j.options())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range snap.All() {
			found = append(found, e.File)
		}
		slices.Sort(walked)
		slices.Sort(found)
		if !slices.Equal(walked, found) || len(found) < 3 {
			t.Errorf("depth %d: the walk finds\n%q\nand discovery\n%q", depth, walked, found)
		}
		files, err := readHeads(j)
		if n, _ := met(snap); err != nil || files != n {
			t.Errorf("depth %d: %d heads read, %d files met, %v", depth, files, n, err)
		}
	}
}

// Files that are no skills and files that are the same count as met.
func TestMetCountsAll(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": text("a", ""), "x/a/SKILL.md": text("a", ""), "y/a/SKILL.md": text("a", "license: MIT\n"), "bad/SKILL.md": "no head"})
	snap, err := catalog.Scan(t.Context(), (&job{Extra: []string{dir}}).options())
	if err != nil {
		t.Fatal(err)
	}
	if files, usable := met(snap); files != 4 || usable != 3 {
		t.Errorf("%d files, %d usable; want 4 and 3: %v", files, usable, snap.Findings())
	}
}

// What is generated is valid and within the usual bounds of discovery.
func TestGenerate(t *testing.T) {
	j, err := generate(t.TempDir(), 40)
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Roots) != 8 || (10_000+7)/8 > catalog.DefaultMaxDirs {
		t.Errorf("%d roots; 10,000 skills must fit", len(j.Roots))
	}
	snap, err := catalog.Scan(t.Context(), j.options())
	if err != nil {
		t.Fatal(err)
	}
	if len(snap.Skills()) != 40 {
		t.Errorf("%d skills under their names, want 40: %v", len(snap.Skills()), snap.Findings())
	}
	roots := map[string]bool{}
	for _, e := range snap.All() {
		roots[e.Root] = true
	}
	if len(roots) != 8 {
		t.Errorf("the skills lie in %d roots: %v", len(roots), roots)
	}
}

func TestFlagsThatDoNotFit(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"-rounds", "0"}, "at least one"},
		{[]string{"fly"}, "no role"},
		{[]string{"-corpus", "does/not/exist"}, "no such file"},
		{[]string{"-corpus", "doc.go"}, "not a directory"},
		{[]string{"-skills", "1", "-rounds", "1", "-reference", ".", "-python", "./no-python"}, "-reference names"},
	} {
		if runtime.GOOS == "windows" && strings.HasPrefix(tc.want, "no such") {
			tc.want = "cannot find"
		}
		err := run(t.Context(), tc.args, nil, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v, want %q", tc.args, err, tc.want)
		}
	}
	if err := run(t.Context(), []string{roleScan}, strings.NewReader("{"), io.Discard, io.Discard); err == nil {
		t.Error("half a job was taken")
	}
}
