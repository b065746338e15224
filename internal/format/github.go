// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
)

// githubPrinter writes workflow commands, which GitHub shows as annotations at the
// lines of a pull request.
type githubPrinter struct{ w *bufio.Writer }

func newGitHub(o PrinterOptions) *githubPrinter { return &githubPrinter{bufio.NewWriter(o.Out)} }

// Print implements [Printer].
func (p *githubPrinter) Print(c *Checked) error {
	for _, f := range c.Findings {
		p.w.WriteString(annotation(f))
	}
	return p.w.Flush()
}

// End implements [Printer].
func (p *githubPrinter) End(s *Summary) error {
	fmt.Fprintln(p.w, s) // a plain line of the log
	return p.w.Flush()
}

// annotation is one workflow command: "::error file=F,line=L,col=C,title=T::message".
func annotation(f skill.Finding) string {
	command := "notice"
	switch f.Severity {
	case skill.Error:
		command = "error"
	case skill.Warning:
		command = "warning"
	}
	var props []string
	add := func(name, value string) { props = append(props, name+"="+escapeProperty(value)) }
	if f.File != "" {
		add("file", filepath.ToSlash(safePath(f.File)))
	}
	if f.Line > 0 {
		add("line", fmt.Sprint(f.Line))
		if f.Column > 0 {
			add("col", fmt.Sprint(f.Column))
		}
	}
	add("title", f.Rule)
	return "::" + command + " " + strings.Join(props, ",") + "::" + escapeData(f.Message) + "\n"
}

// escapeData writes what would end a command or begin an escape as the runner reads
// it back.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty also escapes what would end a property.
func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
