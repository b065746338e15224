// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
)

// textPrinter writes for people, as compilers do: place, severity, message and rule;
// below, the source line with a caret at the place, and what --fix would make of it.
//
//	skills/tea/SKILL.md:3:24: error: ... (FMT-4)
//	  3 | description: Plan meals: breakfast
//	    |                        ^
//	    = --fix would put the value in quotes
type textPrinter struct {
	w     *bufio.Writer
	clean func()
	style style
	dry   bool
}

func newText(o PrinterOptions) *textPrinter {
	return &textPrinter{w: bufio.NewWriter(o.Out), clean: o.Clean, style: style{on: o.Color}, dry: o.DryRun}
}

// Print implements [Printer].
func (p *textPrinter) Print(c *Checked) error {
	if len(c.Findings) == 0 && c.Fixed == nil {
		return nil
	}
	if p.clean != nil {
		p.clean()
	}
	if c.Fixed != nil {
		p.fixed(c)
	}
	for _, f := range c.Findings {
		p.finding(c, f)
	}
	return p.w.Flush()
}

func (p *textPrinter) finding(c *Checked, f skill.Finding) {
	p.w.WriteString(p.style.bold(place(f)))
	fmt.Fprintf(p.w, " %s: %s", p.style.severity(f.Severity), skill.Sanitize(f.Message))
	if f.Rule != "" {
		fmt.Fprintf(p.w, " (%s)", f.Rule)
	}
	p.w.WriteByte('\n')
	number := fmt.Sprint(f.Line)
	gutter := strings.Repeat(" ", len(number)+1)
	if line, ok := sourceLine(c.Src, f.Line); ok && f.Line > 0 && c.Src != nil {
		e := excerptOf(line, f.Column)
		fmt.Fprintf(p.w, "  %s | %s\n", number, e.text)
		if f.Column > 0 && e.caret >= 0 {
			fmt.Fprintf(p.w, "  %s| %s%s\n", gutter, strings.Repeat(" ", e.caret), p.style.mark("^"))
		}
	}
	if f.Fix != nil {
		fmt.Fprintf(p.w, "  %s= %s would %s\n", gutter, fixFlag(f), skill.Sanitize(f.Fix.Message))
	}
}

// fixed shows what was changed, line by line.
func (p *textPrinter) fixed(c *Checked) {
	for line := range strings.Lines(c.Fixed.Diff) {
		text := printable(strings.TrimRight(line, "\r\n"))
		switch {
		case strings.HasPrefix(line, "+"):
			text = p.style.wrap("32", text)
		case strings.HasPrefix(line, "-"):
			text = p.style.wrap("31", text)
		}
		fmt.Fprintln(p.w, text)
	}
	if c.Fixed.Failed != "" {
		fmt.Fprintf(p.w, "%s %s: not changed: %s\n", p.style.bold(safePath(c.Path)+":"), p.style.severity(skill.Error), skill.Sanitize(c.Fixed.Failed))
	}
}

// place is where a finding is, with a colon at the end.
func place(f skill.Finding) string {
	s := safePath(f.File) + ":"
	if f.Line > 0 {
		s += fmt.Sprintf("%d:", f.Line)
		if f.Column > 0 {
			s += fmt.Sprintf("%d:", f.Column)
		}
	}
	return s
}

// End implements [Printer].
func (p *textPrinter) End(s *Summary) error {
	if p.clean != nil {
		p.clean()
	}
	if s.Errors+s.Warnings+s.Mended > 0 {
		p.w.WriteByte('\n')
	}
	fmt.Fprintln(p.w, s)
	switch {
	case s.Mended > 0 && p.dry:
		fmt.Fprintf(p.w, "%s would be mended without --dry-run\n", count(s.Mended, "finding"))
	case s.Mended > 0:
		fmt.Fprintf(p.w, "%s mended\n", count(s.Mended, "finding"))
	case s.Fixable > 0:
		fmt.Fprintf(p.w, "%s can be mended by --fix; --fix --dry-run only shows how\n", count(s.Fixable, "finding"))
	}
	if len(s.rules) > 0 {
		fmt.Fprintf(p.w, "why is that so? skillgraft explain %s\n", strings.Join(s.rules, " "))
	}
	return p.w.Flush()
}

// safePath is a path on one line, with what cannot be seen as a question mark, so that
// a path which was shown is not another one. A colon in front would be taken for a
// command in the logs of some builders.
func safePath(path string) string {
	safe := strings.Map(func(r rune) rune {
		if r != ' ' && skill.Sanitize(string(r)) == "" {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(path, "?"))
	if strings.HasPrefix(safe, ":") {
		return "./" + safe
	}
	return safe
}

// style writes colours, if it is on.
type style struct{ on bool }

func (s style) wrap(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string  { return s.wrap("1", text) }
func (s style) faint(text string) string { return s.wrap("2", text) }
func (s style) mark(text string) string  { return s.wrap("1;32", text) }

func (s style) severity(sev skill.Severity) string {
	switch sev {
	case skill.Error:
		return s.wrap("1;31", "error")
	case skill.Warning:
		return s.wrap("1;33", "warning")
	}
	return s.wrap("1;36", "info")
}
