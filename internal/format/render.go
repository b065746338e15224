// SPDX-License-Identifier: Apache-2.0

package format

import (
	"regexp"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
)

// render writes a body of Markdown for a terminal: paragraphs and list items broken to
// width, headings marked, code as it stands. It works line by line, in time that grows
// with the length, whatever the text is; what it does not know stays as it was written. No
// character gets through that controls a terminal.
func render(body string, width int, s style) string {
	r := renderer{width: width, style: s}
	for line := range strings.Lines(body) {
		r.line(strings.TrimRight(line, " \t\r\n"))
	}
	r.flush()
	return strings.TrimRight(r.out.String(), "\n") + "\n"
}

type renderer struct {
	width int
	style style
	out   strings.Builder
	// para is the paragraph or list item that is being read, lead what stands before
	// its first line; the other ones are indented as far.
	para []string
	lead string
	// fence is what ends the code block that is being read, or "".
	fence string
}

func (r *renderer) line(line string) {
	t := strings.TrimLeft(line, " \t")
	switch {
	case r.fence != "":
		if strings.HasPrefix(t, r.fence) && strings.Trim(t, r.fence[:1]) == "" {
			r.fence = ""
		}
		r.code(line)
	case strings.HasPrefix(t, "```"), strings.HasPrefix(t, "~~~"):
		r.flush()
		r.fence = t[:len(t)-len(strings.TrimLeft(t, t[:1]))]
		r.code(line)
	case t == "":
		r.flush()
		if s := r.out.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
			r.out.WriteByte('\n')
		}
	case heading(t):
		r.flush()
		r.out.WriteString(r.style.wrap("1;4", skill.Sanitize(t)) + "\n")
	case strings.HasPrefix(t, "|"), strings.HasPrefix(t, "<"), r.para == nil && strings.HasPrefix(expandTabs(line), "    "):
		r.flush()
		r.code(line)
	default:
		if mark := listMark.FindString(line); mark != "" {
			r.flush()
			r.lead = expandTabs(mark)
			t = line[len(mark):]
		} else if r.para == nil {
			r.lead = expandTabs(line[:len(line)-len(t)])
		}
		r.para = append(r.para, t)
	}
}

// flush ends a paragraph.
func (r *renderer) flush() {
	if r.para == nil {
		return
	}
	text := skill.Sanitize(strings.Join(r.para, " "))
	lead := r.lead
	for _, l := range wrap(text, max(r.width-cellsIn(lead), 20)) {
		r.out.WriteString(lead + r.inline(l) + "\n")
		lead = strings.Repeat(" ", cellsIn(lead))
	}
	r.para, r.lead = nil, ""
}

// code writes a line as it is, apart from what a terminal would obey.
func (r *renderer) code(line string) {
	line = expandTabs(line)
	t := strings.TrimLeft(line, " ")
	var b strings.Builder
	for _, c := range strings.ToValidUTF8(t, "?") {
		if c == ' ' || skill.Sanitize(string(c)) != "" {
			b.WriteRune(c)
		}
	}
	r.out.WriteString(line[:len(line)-len(t)] + r.style.faint(b.String()) + "\n")
}

// inline marks code and bold text where a line has both ends of it.
func (r *renderer) inline(line string) string {
	if !r.style.on {
		return line
	}
	return marked.ReplaceAllStringFunc(line, func(m string) string {
		if m[0] == '`' {
			return r.style.wrap("36", m)
		}
		return r.style.wrap("1", strings.Trim(m, "*"))
	})
}

func heading(t string) bool {
	rest := strings.TrimLeft(t, "#")
	return len(t) > len(rest) && len(t)-len(rest) <= 6 && (rest == "" || rest[0] == ' ')
}

var (
	listMark = regexp.MustCompile(`^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+`)
	marked   = regexp.MustCompile("`[^`]+`|\\*\\*[^*]+\\*\\*")
)

func expandTabs(s string) string { return strings.ReplaceAll(s, "\t", "    ") }
