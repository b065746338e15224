// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"fmt"
	"strings"
	"unicode"
)

// repair quotes the one-line top-level values that keep a block from being YAML, one at a
// time and only where the library stopped (FMT-13). It returns nil when that is not what
// is wrong. Each repaired line is reported.
func repair(block string, firstLine int, failed *blockError, report func(Finding)) *Value {
	if len(block) > maxRepairBlock {
		return nil
	}
	lines := strings.SplitAfter(block, "\n")
	done := map[int]bool{}
	var notes []Finding
	for range maxRepairs {
		i, next := repairOne(lines, done, failed)
		if i < 0 {
			return nil
		}
		done[i] = true
		key, _, _ := strings.Cut(lines[i], ":")
		notes = append(notes, Finding{Rule: "FMT-13", Severity: Warning, Line: firstLine + i, Column: 1,
			Message: fmt.Sprintf("the value of %s was read as if it were quoted; put it in quotes", Sanitize(key))})
		if next == nil {
			v, _ := readYAML(strings.Join(lines, ""), firstLine)
			for _, f := range notes {
				report(f)
			}
			return v
		}
		failed = next
	}
	return nil
}

// repairOne quotes one value in place and returns its line and the error that is then
// left. A candidate counts only when the block becomes valid or the library gets further;
// otherwise the line is put back.
func repairOne(lines []string, done map[int]bool, failed *blockError) (int, *blockError) {
	for _, i := range candidates(lines, failed) {
		quoted, ok := quoteLine(lines, i)
		if !ok || done[i] {
			continue
		}
		was := lines[i]
		lines[i] = quoted
		_, err := readYAML(strings.Join(lines, ""), 1)
		if err == nil {
			return i, nil
		}
		if err.line > failed.line {
			return i, err
		}
		lines[i] = was
	}
	return -1, nil
}

// candidates lists the lines that may hold the failing value, likeliest first: the line of
// the error, the line where the unfinished construct began (an unclosed quote), and the
// last key before the error.
func candidates(lines []string, e *blockError) []int {
	var out []int
	add := func(i int) {
		if i < 0 || i >= len(lines) {
			return
		}
		for _, o := range out {
			if o == i {
				return
			}
		}
		out = append(out, i)
	}
	add(e.line - 1)
	add(e.contextLine - 1)
	for i := min(e.line-2, len(lines)-1); i >= 0; i-- {
		if key, _, ok := strings.Cut(lines[i], ":"); ok && isKey(key) {
			add(i)
			break
		}
	}
	return out
}

// quoteLine returns line i with its value in double quotes, if it is a top-level field with
// a value. A value that goes on in the next line is not YAML when its first line is quoted,
// so that nothing of it can be lost.
func quoteLine(lines []string, i int) (string, bool) {
	l, brk := strings.CutSuffix(lines[i], "\n")
	key, value, ok := strings.Cut(l, ":")
	if !ok || !isKey(key) || value == "" || value[0] != ' ' && value[0] != '\t' {
		return "", false
	}
	if value = strings.Trim(value, " \t"); value == "" {
		return "", false
	}
	out := key + ": " + quote(value)
	if brk {
		out += "\n"
	}
	return out, true
}

// quote writes s as a YAML double-quoted scalar whose value is exactly s.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
