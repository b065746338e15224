// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestUnified(t *testing.T) {
	before := "---\nname: a\ndescription: b\n---\n\n1\n2\n3\n4\n5\n6\n7\n8\nend"
	after := "---\nname: x\ndescription: b\n---\n\n1\n2\n3\n4\n5\n6\n7\n8\nend\n"
	want := `--- a/S
+++ b/S
@@ -1,5 +1,5 @@
 ---
-name: a
+name: x
 description: b
 ---
 
@@ -11,4 +11,4 @@
 6
 7
 8
-end
\ No newline at end of file
+end
`
	if got := unified("a/S", "b/S", before, after); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := unified("a", "b", before, before); got != "" {
		t.Errorf("no difference is %q", got)
	}
	// Only the ends of lines: a difference all the same.
	if got := unified("a", "b", "x\r\n", "x\n"); !strings.Contains(got, "-x\r\n+x\n") {
		t.Errorf("changed line ends: %q", got)
	}
	if got := unified("a", "b", "", "x\n"); !strings.Contains(got, "@@ -0,0 +1 @@\n+x\n") {
		t.Errorf("from nothing: %q", got)
	}
}

// Applying a difference to the text before gives the text after, and what is outside of
// the hunks is the same in both.
func TestUnifiedApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n"})
		before := strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, "before"), "")
		after := strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, "after"), "")
		if rapid.Bool().Draw(t, "cut") {
			before = strings.TrimSuffix(before, "\n")
		}
		d := unified("a", "b", before, after)
		if got := applyUnified(t, before, d); got != after {
			t.Fatalf("%q and the difference\n%s\ngive %q, want %q", before, d, got, after)
		}
	})
}

// applyUnified is a strict reader of the form: heads have to be right to the number.
func applyUnified(t *rapid.T, before, diff string) string {
	lines := splitLines(before)
	var out []string
	at := 0 // lines of before that are done
	ds := splitLines(diff)
	for i := 2; i < len(ds); {
		var o, ol, n, nl int
		head := ds[i]
		o, ol = parseSpan(head[strings.Index(head, "-")+1:])
		n, nl = parseSpan(head[strings.Index(head, "+")+1:])
		if ol == 0 {
			o++
		}
		if nl == 0 {
			n++
		}
		for at < o-1 {
			out = append(out, lines[at])
			at++
		}
		if len(out) != n-1 {
			t.Fatalf("the hunk %q begins at line %d of the new text", head, len(out)+1)
		}
		for i++; ol+nl > 0; i++ {
			text := ds[i][1:]
			if i+1 < len(ds) && strings.HasPrefix(ds[i+1], `\`) {
				text = strings.TrimSuffix(text, "\n")
			}
			switch ds[i][0] {
			case ' ':
				if lines[at] != text {
					t.Fatalf("%q is not line %d", text, at+1)
				}
				out = append(out, text)
				at, ol, nl = at+1, ol-1, nl-1
			case '-':
				if lines[at] != text {
					t.Fatalf("%q is not line %d", text, at+1)
				}
				at, ol = at+1, ol-1
			case '+':
				out = append(out, text)
				nl--
			}
			if i+1 < len(ds) && strings.HasPrefix(ds[i+1], `\`) {
				i++
			}
		}
	}
	return strings.Join(append(out, lines[at:]...), "")
}

func parseSpan(s string) (line, n int) {
	n = 1
	if k, _ := fmt.Sscanf(s, "%d,%d", &line, &n); k == 0 {
		return 0, 0
	}
	return line, n
}

// A difference beyond the bound of the search is still right, only longer.
func TestUnifiedOfLargeChanges(t *testing.T) {
	var a, b strings.Builder
	for i := range 3 * maxEdits {
		fmt.Fprintf(&a, "old %d\n", i)
		fmt.Fprintf(&b, "new %d\n", i)
	}
	d := unified("a", "b", a.String()+"same\n", b.String()+"same\n")
	if strings.Count(d, "\n-old") != 3*maxEdits || strings.Count(d, "\n+new") != 3*maxEdits || !strings.HasSuffix(d, "\n same\n") {
		t.Error("a large change is not shown whole")
	}
}
