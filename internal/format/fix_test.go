// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillgraft/skillgraft/skill"
)

const broken = "---\r\nname: coffee # ours\r\ndescription: Makes tea: black. Use when thirsty.\r\n---\r\n\r\nBoil.\r\n"

func check(t *testing.T, o CheckOptions, args ...string) (*Summary, []*Checked) {
	t.Helper()
	o.Profile = skill.ProfileSpec
	sum := new(Summary)
	var all []*Checked
	err := Check(context.Background(), find(t, args...), o, func(int) {}, func(c *Checked) error {
		sum.add(c)
		all = append(all, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum, all
}

// FMT-12: a fix changes what the finding is about and nothing else: line ends, comments and
// order stay. What decides something waits to be asked for.
func TestFix(t *testing.T) {
	dir := real(t)
	file := put(t, broken, dir, "tea", "SKILL.md")
	sum, all := check(t, CheckOptions{Fix: &FixOptions{DryRun: true}}, dir)
	if get(t, file) != broken || all[0].Fixed == nil || all[0].Fixed.Written || sum.Mended == 0 || sum.Errors == 0 {
		t.Fatalf("a dry run: %+v, %+v", sum, all[0].Fixed)
	}
	sum, all = check(t, CheckOptions{Fix: &FixOptions{}}, dir)
	want := strings.Replace(broken, "Makes tea: black. Use when thirsty.", `"Makes tea: black. Use when thirsty."`, 1)
	if got := get(t, file); got != want {
		t.Errorf("the file is now %q, want %q", got, want)
	}
	if !all[0].Fixed.Written || sum.Failed != 0 || sum.Optional != 1 || sum.Errors != 1 {
		t.Errorf("what is left is the name: %+v", sum)
	}
	names, err := ParseFix("name")
	if err != nil {
		t.Fatal(err)
	}
	sum, _ = check(t, CheckOptions{Fix: names}, dir)
	if got, want := get(t, file), strings.Replace(want, "coffee", "tea", 1); got != want || sum.Errors != 0 {
		t.Errorf("with the name: %q, want %q; %+v", got, want, sum)
	}
	// Mending what is mended does nothing.
	sum, all = check(t, CheckOptions{Fix: names}, dir)
	if sum.Mended != 0 || all[0].Fixed != nil {
		t.Errorf("again: %+v", all[0].Fixed)
	}
}

// A file behind a link that leaves the path is checked, said to be left alone, and left alone.
func TestFixOutside(t *testing.T) {
	dir := real(t)
	outside := put(t, broken, dir, "outside", "SKILL.md")
	bound := filepath.Join(dir, "given")
	file := put(t, broken, bound, "tea", "SKILL.md")
	target := Target{Path: file, Dir: filepath.Join(bound, "tea"), Name: "SKILL.md", Bound: filepath.Join(dir, "elsewhere")}
	c := CheckOptions{Profile: skill.ProfileSpec, Fix: &FixOptions{}}.one(target)
	if c.Fixed == nil || c.Fixed.Written || !strings.Contains(c.Fixed.Failed, "outside of the path") {
		t.Errorf("%+v", c.Fixed)
	}
	if get(t, outside) != broken || get(t, file) != broken {
		t.Error("a file was changed")
	}
}

func TestParseFix(t *testing.T) {
	for value, want := range map[string]string{
		"safe": "", "name": "FMT-5", "fmt-10,name": "FMT-10 FMT-5", "all": "all",
	} {
		o, err := ParseFix(value)
		if err != nil {
			t.Errorf("%s: %v", value, err)
			continue
		}
		got := strings.Join(o.Rules, " ")
		if o.All {
			got = "all"
		}
		if got != want {
			t.Errorf("%s gives %q, want %q", value, got, want)
		}
	}
	for _, value := range []string{"everything", "", "name,"} {
		if _, err := ParseFix(value); err == nil || !strings.Contains(err.Error(), "--fix=name") {
			t.Errorf("%q: the error is %v", value, err)
		}
	}
}

// Batches keep the order of the files, whatever is read at once.
func TestCheckKeepsTheOrder(t *testing.T) {
	dir := real(t)
	const n = 3*batch + 5
	for i := range n {
		name := "s" + string(rune('a'+i/26%26)) + string(rune('a'+i%26)) + strings.Repeat("x", i/676)
		put(t, valid(name), dir, name, "SKILL.md")
	}
	sum, all := check(t, CheckOptions{}, dir)
	if sum.Skills != n || sum.Errors+sum.Warnings != 0 {
		t.Errorf("%+v", sum)
	}
	for i := 1; i < len(all); i++ {
		if all[i-1].Path >= all[i].Path {
			t.Fatalf("%s before %s", all[i-1].Path, all[i].Path)
		}
	}
}

// FMT-15, DSC-7: whatever is called SKILL.md is reported, read within bounds, and costs no
// other skill.
func TestCheckOddities(t *testing.T) {
	dir := real(t)
	put(t, valid("good"), dir, "good", "SKILL.md")
	put(t, "x", dir, "dir", "SKILL.md", "file")
	put(t, "\xff\xfe", dir, "utf16", "SKILL.md")
	big := put(t, valid("big"), dir, "big", "SKILL.md")
	if err := os.Truncate(big, 200<<20); err != nil {
		t.Fatal(err)
	}
	link(t, "nowhere", filepath.Join(dir, "dangling", "SKILL.md"))
	link(t, put(t, "secret\n", dir, "secret"), filepath.Join(dir, "leak", "SKILL.md"))
	sum, all := check(t, CheckOptions{}, dir)
	got := map[string]string{}
	for _, c := range all {
		for _, f := range c.Findings {
			got[filepath.Base(filepath.Dir(c.Path))] += f.Rule + " "
		}
		if strings.Contains(string(c.Src), "secret") {
			t.Errorf("%s was read through a link", c.Path)
		}
	}
	want := map[string]string{"big": "FMT-14 ", "dangling": "DSC-5 ", "dir": "FMT-14 ", "leak": "DSC-5 ", "utf16": "FMT-3 "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if sum.Skills != 6 || sum.Errors != 5 {
		t.Errorf("%+v", sum)
	}
}
