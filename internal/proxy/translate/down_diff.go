// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"strconv"
	"strings"

	"github.com/skillgraft/skillgraft/acp"
)

// downDiff makes diffs of version 1, which hold a file's whole text before and
// after, of one of version 2, which holds a patch. That works where the patch
// tells the whole file; everything else is shown as a text: what is done to which
// file, and the patch.
func downDiff(d *acp.Diff) [][]byte {
	var patch []downFilePatch
	if d.Patch != nil && d.Patch.Format == acp.DiffFormatGitPatch {
		patch = downSplitPatch(d.Patch.Text)
	}
	var out [][]byte
	var words []string
	var rest strings.Builder
	for _, c := range d.Changes {
		path, word := downChange(c)
		section := downSection(patch, path)
		if section != nil && !section.used {
			section.used = true
			if before, after, ok := section.wholeFile(); ok {
				out = append(out, downFileDiff(path, before, after))
				continue
			}
			rest.WriteString(section.text)
		}
		words = append(words, word)
	}
	if len(words) > 0 {
		text := words[0]
		if len(words) > 1 {
			text = "- " + strings.Join(words, "\n- ")
		}
		switch {
		case d.Patch == nil:
		case patch == nil:
			text += "\n\n" + downFenced("", d.Patch.Text) // a form that is not known here
		case rest.Len() > 0:
			text += "\n\n" + downFenced("diff", rest.String())
		}
		out = append(out, downTextContent(text))
	}
	if len(out) == 1 && d.Meta != nil {
		out[0] = append(out[0][:len(out[0])-1], `,"_meta":`...)
		out[0] = append(append(out[0], d.Meta...), '}')
	}
	return out
}

// downChange is the file that a change leaves behind, and the change in words.
func downChange(c acp.DiffChange) (path, word string) {
	switch c := c.(type) {
	case *acp.DiffAdd:
		return c.Path, "Add " + downCode(c.Path)
	case *acp.DiffDelete:
		return c.Path, "Delete " + downCode(c.Path)
	case *acp.DiffModify:
		return c.Path, "Change " + downCode(c.Path)
	case *acp.DiffMove:
		return c.Path, "Move " + downCode(c.OldPath) + " to " + downCode(c.Path)
	case *acp.DiffCopy:
		return c.Path, "Copy " + downCode(c.OldPath) + " to " + downCode(c.Path)
	}
	return "", "Another change (" + downCode(c.DiffOperation()) + ")"
}

func downFileDiff(path string, before *string, after string) []byte {
	var o object
	o.text("type", "diff")
	o.text("path", path)
	if before != nil {
		o.text("oldText", *before)
	}
	o.text("newText", after)
	return o.bytes()
}

// A downFilePatch is the section of a patch that is about one file.
type downFilePatch struct {
	text     string // all of it
	old, new string // its paths, /dev/null for none
	plain    bool   // nothing but text changes: no rename, no binary
	hunks    []downHunk
	used     bool
}

// A downHunk is the lines of a hunk, each with its mark in front and its line end.
type downHunk struct {
	oldStart, oldLines, newStart, newLines int
	lines                                  []string
	oldEnds, newEnds                       bool // marked: no newline at the end of the file
}

// downSection finds the section about a file.
func downSection(patch []downFilePatch, path string) *downFilePatch {
	for i := range patch {
		if p := &patch[i]; path != "" && (p.new == path || p.new == "/dev/null" && p.old == path) {
			return p
		}
	}
	return nil
}

// downSplitPatch reads a patch as git writes it.
func downSplitPatch(text string) []downFilePatch {
	var out []downFilePatch
	var p *downFilePatch
	left := downHunk{} // lines of the hunk that are still to come
	from, to := 0, 0   // of the section
	for line := range strings.Lines(text) {
		bare := strings.TrimSuffix(line, "\n")
		inHunk := p != nil && len(p.hunks) > 0 && (left.oldLines > 0 || left.newLines > 0 || strings.HasPrefix(line, `\`))
		if !inHunk && strings.HasPrefix(line, "diff --git ") {
			out = append(out, downFilePatch{plain: true})
			p = &out[len(out)-1]
			from = to
		}
		to += len(line)
		if p == nil {
			continue
		}
		p.text = text[from:to]
		if inHunk {
			p.hunks[len(p.hunks)-1].add(line, &left)
			continue
		}
		switch {
		case strings.HasPrefix(bare, "--- "):
			p.old = downPatchPath(bare[4:])
		case strings.HasPrefix(bare, "+++ "):
			p.new = downPatchPath(bare[4:])
		case strings.HasPrefix(bare, "@@ "):
			h, ok := downHunkHead(bare)
			p.plain = p.plain && ok
			p.hunks = append(p.hunks, h)
			left = h
		case strings.HasPrefix(bare, "diff --git "), strings.HasPrefix(bare, "index "),
			strings.HasPrefix(bare, "new file mode "), strings.HasPrefix(bare, "deleted file mode "):
		default:
			p.plain = false // a rename, a mode, something binary
		}
	}
	if left.oldLines > 0 || left.newLines > 0 {
		p.plain = false
	}
	return out
}

// add takes the next line of a hunk. left counts what is to come.
func (h *downHunk) add(line string, left *downHunk) {
	mark := line[0]
	switch mark {
	case '\\':
		if len(h.lines) > 0 {
			last := &h.lines[len(h.lines)-1]
			h.oldEnds = h.oldEnds || (*last)[0] != '+'
			h.newEnds = h.newEnds || (*last)[0] != '-'
			*last = strings.TrimSuffix(*last, "\n")
		}
		return
	case '\n': // an empty line whose blank was lost on the way
		mark, line = ' ', " \n"
	}
	if mark != '+' {
		left.oldLines--
	}
	if mark != '-' {
		left.newLines--
	}
	h.lines = append(h.lines, line)
}

// downHunkHead reads "@@ -1,3 +1,4 @@".
func downHunkHead(line string) (h downHunk, ok bool) {
	f := strings.Fields(line)
	if len(f) < 4 || f[3] != "@@" || f[1][0] != '-' || f[2][0] != '+' {
		return h, false
	}
	var okOld, okNew bool
	h.oldStart, h.oldLines, okOld = downRange(f[1][1:])
	h.newStart, h.newLines, okNew = downRange(f[2][1:])
	return h, okOld && okNew
}

func downRange(s string) (start, lines int, ok bool) {
	first, count, two := strings.Cut(s, ",")
	start, err := strconv.Atoi(first)
	if lines = 1; err == nil && two {
		lines, err = strconv.Atoi(count)
	}
	return start, lines, err == nil && start >= 0 && lines >= 0
}

// downPatchPath is the path in a "---" or "+++" line. Paths are absolute; the
// letters that git puts in front are tolerated.
func downPatchPath(s string) string {
	if s, _, _ = strings.Cut(s, "\t"); strings.HasPrefix(s, `"`) {
		u, err := strconv.Unquote(s)
		if err != nil {
			return ""
		}
		s = u
	}
	if rest := strings.TrimPrefix(strings.TrimPrefix(s, "a/"), "b/"); rest != s && acp.IsAbsolutePath(rest) {
		return rest
	}
	return s
}

// wholeFile is the file before and after, when the patch tells all of it: the
// only hunk starts at the first line and reaches the last one. That is marked,
// or follows from there being less context behind the change than the three lines
// that git gives.
func (p *downFilePatch) wholeFile() (before *string, after string, ok bool) {
	if !p.plain || len(p.hunks) != 1 {
		return nil, "", false
	}
	h := p.hunks[0]
	var old, new strings.Builder
	lead, trail, changed := 0, 0, false
	for _, line := range h.lines {
		switch line[0] {
		case ' ':
			old.WriteString(line[1:])
			new.WriteString(line[1:])
			trail++
			if !changed {
				lead++
			}
		case '-':
			old.WriteString(line[1:])
			trail, changed = 0, true
		case '+':
			new.WriteString(line[1:])
			trail, changed = 0, true
		default:
			return nil, "", false
		}
	}
	starts := h.oldStart <= 1 && h.newStart <= 1
	ends := h.oldEnds || h.newEnds || trail < max(3, lead)
	if !starts || !ends {
		return nil, "", false
	}
	if p.old != "/dev/null" {
		text := old.String()
		before = &text
	}
	return before, new.String(), true
}
