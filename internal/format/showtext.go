// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

const (
	minWidth, maxWidth = 40, 100 // columns of a rendered body
	shownFiles         = 20
)

// printShown shows skills to people.
func printShown(all []*Shown, body bool, std cli.Streams) error {
	w := bufio.NewWriter(std.Out)
	p := shower{w: w, style: style{on: colored(std)}, width: widthOf(std), terminal: cli.IsTerminal(std.Out)}
	for i, s := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		p.show(s)
		if body && s.OwnName != "" {
			p.body(s.Body)
		}
	}
	return w.Flush()
}

// widthOf is how wide a text is shown.
func widthOf(std cli.Streams) int {
	if f, ok := std.Out.(*os.File); ok && cli.IsTerminal(f) {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return min(max(n, minWidth), maxWidth)
		}
	}
	return maxWidth
}

type shower struct {
	w        *bufio.Writer
	style    style
	width    int
	terminal bool
	column   int // width of the names of fields
}

// fieldColumn is how wide the names of fields are shown; a longer one pushes its value
// to the right.
const fieldColumn = 24

func (p *shower) show(s *Shown) {
	p.column = len("invoked by")
	for _, f := range s.fields {
		p.column = min(max(p.column, cellsIn(skill.Sanitize(f.key))), fieldColumn)
	}
	name := s.Name
	if name == "" {
		name = s.OwnName
	}
	if name == "" {
		fmt.Fprintf(p.w, "%s\n", p.style.bold(safePath(s.Path)+" cannot be used as a skill"))
		p.findings(s)
		return
	}
	fmt.Fprintln(p.w, p.style.bold(skill.Sanitize(name)))
	p.text("  ", s.Description)
	fmt.Fprintln(p.w)
	p.field("file", safePath(s.Path))
	p.field("directory", safePath(s.Dir))
	if s.Scope != "" {
		p.field("scope", s.Scope)
	}
	if s.ShadowedBy != "" {
		p.field("shadowed", fmt.Sprintf("%q means %s", skill.Sanitize(s.OwnName), safePath(s.ShadowedBy)))
	}
	p.field("invoked by", invokers(s))
	for _, f := range s.fields {
		p.field(skill.Sanitize(f.key), skill.Sanitize(f.value))
	}
	p.field("body", fmt.Sprintf("%s, about %s", count(strings.Count(s.Body, "\n"), "line"), count(tokens(s.Body), "token")))
	p.findings(s)
	p.files(s)
	p.agents(s)
}

// tokens is a rough count: four characters of English a token.
func tokens(body string) int { return (len([]rune(body)) + 3) / 4 }

func invokers(s *Shown) string {
	switch {
	case s.User && s.Model:
		return "you and the model"
	case s.User:
		return "you only (disable-model-invocation)"
	case s.Model:
		return "the model only (user-invocable: false)"
	}
	return "nobody: its frontmatter excludes both you and the model"
}

func (p *shower) field(name, value string) {
	column := p.column + 4
	lines := wrap(value, p.width-column)
	if len(lines) == 0 {
		lines = []string{""}
	}
	for i, l := range lines {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(p.w, "  %s%s\n", p.style.faint(fmt.Sprintf("%-*s  ", p.column, name)), l)
	}
}

func (p *shower) text(indent, text string) {
	for _, l := range wrap(skill.Sanitize(text), p.width-len(indent)) {
		fmt.Fprintln(p.w, indent+l)
	}
}

func (p *shower) head(text string) { fmt.Fprintf(p.w, "\n%s\n", p.style.bold(text)) }

func (p *shower) findings(s *Shown) {
	if len(s.Findings) == 0 {
		return
	}
	p.head("Findings")
	for _, f := range s.Findings {
		where := ""
		if f.Line > 0 {
			where = fmt.Sprintf("line %d: ", f.Line)
		}
		p.text("  ", fmt.Sprintf("%s: %s%s (%s)", f.Severity, where, f.Message, f.Rule))
	}
}

func (p *shower) files(s *Shown) {
	if s.FilesTotal == 0 {
		return
	}
	p.head(fmt.Sprintf("Files beside it (%d)", s.FilesTotal))
	for i, f := range s.Files {
		if i == shownFiles {
			break
		}
		fmt.Fprintf(p.w, "  %s\n", safePath(f))
	}
	if more := s.FilesTotal - min(len(s.Files), shownFiles); more > 0 {
		fmt.Fprintf(p.w, "  and %d more\n", more)
	}
}

// agents says what agents get of the skill. The words are the same for all; what
// differs comes from their profiles.
func (p *shower) agents(s *Shown) {
	p.head("What an agent behind \"skillgraft run\" gets when you choose it")
	for _, a := range s.Agents {
		fmt.Fprintf(p.w, "  %s\n", a.Title)
		for _, l := range useLines(s, a) {
			fmt.Fprintf(p.w, "    %s\n", safePath(l))
		}
	}
	fmt.Fprintf(p.w, "  an agent that takes skill blocks itself\n    the block\n")
}

func useLines(s *Shown, a AgentUse) (lines []string) {
	if a.Reads {
		lines = append(lines, "reads "+a.Folder+" itself")
	}
	const expanded = "the instructions, written into the prompt"
	or := func(form string) string {
		if form == "" {
			return expanded
		}
		return form
	}
	switch {
	case !s.User:
		return append(lines, "nothing: you cannot choose it")
	case a.Front == "" && a.Inside == "":
		return append(lines, expanded)
	}
	return append(lines, "before a text: "+or(a.Front), "inside a text: "+or(a.Inside))
}

// body shows the instructions: on a terminal rendered, elsewhere as they are.
func (p *shower) body(body string) {
	fmt.Fprintf(p.w, "\n%s\n\n", p.style.faint(strings.Repeat("-", min(p.width, 60))))
	if p.terminal {
		p.w.WriteString(render(body, p.width, p.style))
		return
	}
	p.w.WriteString(strings.TrimLeft(body, "\n"))
	if !strings.HasSuffix(body, "\n") {
		p.w.WriteByte('\n')
	}
}
