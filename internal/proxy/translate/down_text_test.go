// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"strings"
	"testing"
)

func TestDownPlain(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":                   "plain\ttext\n",
		"\x1b[31mred\x1b[0m":              "red",
		"10%\r50%\r100%\r\ndone":          "100%\ndone",
		"cut \x1b[3":                      "cut ",
		"\x1b]0;title\x07x":               "x",
		"\x1b]8;;http://x\x1b\\link":      "link",
		"\x1bP unended\nnext":             "\nnext",
		"a\b\bb":                          "b",
		"é\bx":                            "x",
		"\x00\x07\x7f\u0085":              "",
		"\xff":                            "�",
		"\x1b(Bx\x1b7y\x1b":               "xy",
		"line\n\bkept":                    "line\nkept",
		"\x1b\nafter a lone escape":       "\nafter a lone escape",
		"trailing return\r":               "trailing return",
		"\x1b[1;\x1b[2mtwo in a row":      "two in a row",
		"\x1b\x1b[1mescaped escape":       "escaped escape",
		"many\r\r\r\nreturns":             "many\nreturns",
		"漢字\x1b[0K":                       "漢字",
		"\x1b]unended string, escape\x1b": "",
	} {
		if got := downPlain([]byte(in)); got != want {
			t.Errorf("downPlain(%q) = %q, want %q", in, got, want)
		}
	}
}

// A command that somebody has to allow is shown with everything that it does.
func TestDownVisible(t *testing.T) {
	for in, want := range map[string]string{
		"ls -l":                 "ls -l",
		"rm -rf /\rls":          `rm -rf /\rls`,
		"rm\b\bls\x1b[2K":       `rm\b\bls\x1b[2K`,
		"a\u202eb\u200bc\u00a0": `a\u202eb\u200bc\u00a0`,
		"one\n\ttwo":            "one\n\ttwo",
		"é漢\xff\ufffd":          `é漢\xff` + "\ufffd",
		"it's":                  "it's",
	} {
		if got := downVisible(in, true); got != want {
			t.Errorf("downVisible(%q) = %q, want %q", in, got, want)
		}
	}
	if got := downCode("a\nb`c"); got != "`` a\\nb`c ``" {
		t.Errorf("downCode: %q", got)
	}
	if got := downFenced("", "a```b"); got != "````\na```b\n````" {
		t.Errorf("downFenced: %q", got)
	}
}

func TestDownWholeFile(t *testing.T) {
	head := "diff --git /f /f\n--- /f\n+++ /f\n"
	for _, tt := range []struct {
		name, patch string
		old, new    string
		ok          bool
	}{
		{"short context behind", head + "@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n", "a\nb\nd\n", "a\nc\nd\n", true},
		{"three lines behind may not be the end", head + "@@ -1,4 +1,4 @@\n-b\n+c\n d\n e\n f\n", "", "", false},
		{"three lines behind, marked as the end", head + "@@ -1,4 +1,4 @@\n-b\n+c\n d\n e\n f\n\\ No newline at end of file\n", "b\nd\ne\nf", "c\nd\ne\nf", true},
		{"not from the start", head + "@@ -2,2 +2,2 @@\n-b\n+c\n d\n", "", "", false},
		{"two hunks", head + "@@ -1,1 +1,1 @@\n-b\n+c\n@@ -9,1 +9,1 @@\n-b\n+c\n", "", "", false},
		{"the end changed", head + "@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+b\n", "b", "b\n", true},
		{"an empty line without its blank", head + "@@ -1,2 +1,2 @@\n\n-b\n+c\n", "\nb\n", "\nc\n", true},
		{"lines that look like heads", head + "@@ -1,2 +1,2 @@\n--- x\n-@@ y\n+++ x\n+diff --git z\n", "-- x\n@@ y\n", "++ x\ndiff --git z\n", true},
		{"lines are missing", head + "@@ -1,5 +1,5 @@\n-b\n+c\n", "", "", false},
		{"a mode", "diff --git /f /f\nold mode 100644\nnew mode 100755\n--- /f\n+++ /f\n@@ -1 +1 @@\n-b\n+c\n", "", "", false},
		{"no hunk head", head + "@@ nonsense @@\n-b\n", "", "", false},
		{"quoted path", "diff --git x x\n--- \"/f\"\n+++ \"b//f\"\t2026\n@@ -1 +1 @@\n-b\n+c\n", "b\n", "c\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			section := downSection(downSplitPatch(tt.patch), "/f")
			if section == nil {
				t.Fatal("the section is not found")
			}
			if section.text != tt.patch {
				t.Errorf("the section is %q", section.text)
			}
			before, after, ok := section.wholeFile()
			if ok != tt.ok {
				t.Fatalf("whole is %v", ok)
			}
			if ok && (before == nil || *before != tt.old || after != tt.new) {
				t.Errorf("before %q, after %q", *before, after)
			}
		})
	}
	if downSection(downSplitPatch("junk\n@@ -1 +1 @@\n-b\n"), "/f") != nil {
		t.Error("a section without a head")
	}
}

func FuzzDownPatch(f *testing.F) {
	f.Add("diff --git /f /f\n--- /f\n+++ /f\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n")
	f.Add("diff --git a b\n--- \"/\\303\\251\"\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline")
	f.Fuzz(func(t *testing.T, patch string) {
		all := ""
		for _, p := range downSplitPatch(patch) {
			all += p.text
			if before, after, ok := p.wholeFile(); ok && before != nil && len(*before)+len(after) > 2*len(p.text) {
				t.Errorf("more text than the patch has: %q", p.text)
			}
		}
		if !strings.HasSuffix(patch, all) {
			t.Errorf("the sections %q are not the end of %q", all, patch)
		}
	})
}
