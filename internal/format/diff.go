// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// diffContext is how many unchanged lines stand around a change.
	diffContext = 3
	// maxEdits bounds the search for the shortest difference. It takes space by the
	// square of it; beyond, what differs is shown as one block.
	maxEdits = 1000
)

// An edit is one line of a comparison.
type edit struct {
	op   byte // ' ', '-' or '+'
	line string
}

// unified returns the difference of two texts in the unified form, and "" when there
// is none. Lines keep their ends in the comparison, so that a changed one is seen.
func unified(oldName, newName, before, after string) string {
	if before == after {
		return ""
	}
	edits := compare(splitLines(before), splitLines(after))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
	oldLine, newLine := 1, 1
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i, oldLine, newLine = i+1, oldLine+1, newLine+1
			continue
		}
		start := max(i-diffContext, 0)
		end := hunkEnd(edits, i)
		oldLine -= i - start
		newLine -= i - start
		oldLen, newLen := 0, 0
		for _, e := range edits[start:end] {
			if e.op != '+' {
				oldLen++
			}
			if e.op != '-' {
				newLen++
			}
		}
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(oldLine, oldLen), span(newLine, newLen))
		for _, e := range edits[start:end] {
			b.WriteByte(e.op)
			b.WriteString(e.line)
			if !strings.HasSuffix(e.line, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
		oldLine, newLine, i = oldLine+oldLen, newLine+newLen, end
	}
	return b.String()
}

// hunkEnd is where the hunk ends that the change at i begins: after the context of
// the last change that is not further than two contexts from the one before.
func hunkEnd(edits []edit, i int) int {
	last := i
	for j := i; j < len(edits) && j-last <= 2*diffContext; j++ {
		if edits[j].op != ' ' {
			last = j
		}
	}
	return min(last+1+diffContext, len(edits))
}

// span is a range of lines as a hunk's head has it.
func span(line, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", line-1)
	case 1:
		return fmt.Sprint(line)
	}
	return fmt.Sprintf("%d,%d", line, n)
}

func splitLines(s string) []string {
	return slices.Collect(strings.Lines(s))
}

// compare lists the lines of both texts in order. What both begin and end with is set
// aside first, since a fix changes a few lines of a long file.
func compare(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	out := keep(nil, a[:head])
	out = append(out, shortest(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return keep(out, a[len(a)-tail:])
}

func keep(out []edit, lines []string) []edit {
	for _, l := range lines {
		out = append(out, edit{' ', l})
	}
	return out
}

// shortest finds a shortest list of edits from a to b by the greedy method: trace[d]
// holds how far each diagonal gets with d edits.
func shortest(a, b []string) []edit {
	size := len(a) + len(b)
	limit := min(size, maxEdits)
	v := make([]int, 2*limit+3)
	mid := limit + 1
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(v))
		for k := -d; k <= d; k += 2 {
			x := v[mid+k-1] + 1
			if k == -d || k != d && v[mid+k-1] < v[mid+k+1] {
				x = v[mid+k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			v[mid+k] = x
			if x >= len(a) && x-k >= len(b) {
				return walkBack(a, b, trace, mid)
			}
		}
	}
	var out []edit
	for _, l := range a {
		out = append(out, edit{'-', l})
	}
	for _, l := range b {
		out = append(out, edit{'+', l})
	}
	return out
}

func walkBack(a, b []string, trace [][]int, mid int) []edit {
	var out []edit
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		v, k := trace[d], x-y
		from := k - 1
		if k == -d || k != d && v[mid+k-1] < v[mid+k+1] {
			from = k + 1
		}
		fromX := v[mid+from]
		fromY := fromX - from
		for x > fromX && y > fromY && x > 0 && y > 0 {
			x, y = x-1, y-1
			out = append(out, edit{' ', a[x]})
		}
		if d == 0 {
			break
		}
		if x == fromX {
			y--
			out = append(out, edit{'+', b[y]})
		} else {
			x--
			out = append(out, edit{'-', a[x]})
		}
	}
	slices.Reverse(out)
	return out
}
