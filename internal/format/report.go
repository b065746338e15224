// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

// A Checked is one file, or one way to files, and what there is to say about it.
type Checked struct {
	// Path is the file as shown: relative when the argument was.
	Path string
	// Skill is false for what is not a SKILL.md: a folder that could not be searched.
	Skill bool
	// Src are the file's bytes; nil when it could not be read.
	Src []byte
	// Findings are those that are left.
	Findings []skill.Finding
	// Fixed is what was mended; nil for nothing.
	Fixed *Fixed
}

// A Summary counts what was printed.
type Summary struct {
	Skills   int `json:"skills"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
	// Strict says that warnings were made errors.
	Strict bool `json:"strict"`
	// Fixable is how many errors and warnings --fix would mend, and Optional how many more
	// it would when asked to decide.
	Fixable  int `json:"fixable"`
	Optional int `json:"optionallyFixable"`
	// Mended counts findings that were mended, or in a dry run would be, and Failed the
	// files that could not be written.
	Mended int `json:"mended"`
	Failed int `json:"failed"`

	rules []string // of the errors and warnings, each once, in order of appearance
}

func (s *Summary) add(c *Checked) {
	if c.Skill {
		s.Skills++
	}
	for _, f := range c.Findings {
		switch f.Severity {
		case skill.Error:
			s.Errors++
		case skill.Warning:
			s.Warnings++
		default:
			s.Notes++
			continue
		}
		if !slices.Contains(s.rules, f.Rule) {
			s.rules = append(s.rules, f.Rule)
		}
		switch {
		case f.Fix == nil:
		case f.Fix.Optional:
			s.Optional++
		default:
			s.Fixable++
		}
	}
	if c.Fixed != nil {
		s.Mended += len(c.Fixed.Mended)
		if c.Fixed.Failed != "" {
			s.Failed++
			s.Mended -= len(c.Fixed.Mended)
		}
	}
}

// String is the summary in a line.
func (s *Summary) String() string {
	checked := count(s.Skills, "skill") + " checked"
	if s.Errors == 0 && s.Warnings == 0 {
		return checked + ": no errors, no warnings"
	}
	return fmt.Sprintf("%s: %s, %s", checked, count(s.Errors, "error"), count(s.Warnings, "warning"))
}

// A Printer shows what was checked, in the order in which it was found.
type Printer interface {
	// Print takes one file. It may keep the findings, not the source.
	Print(*Checked) error
	// End is called once, after the last file.
	End(*Summary) error
}

// PrinterOptions set up a [Printer].
type PrinterOptions struct {
	Out   io.Writer
	Color bool
	// Clean is called before something is written, to take a line of progress away.
	Clean func()
	// Version is the program's, for formats that name it.
	Version string
	// DryRun says that what is shown as mended was not written.
	DryRun bool
}

// Formats are the names of the formats.
func Formats() []string { return []string{"text", "json", "sarif", "github"} }

// NewPrinter makes the printer of a format.
func NewPrinter(name string, o PrinterOptions) (Printer, error) {
	switch name {
	case "text":
		return newText(o), nil
	case "json":
		return newJSON(o), nil
	case "sarif":
		return newSARIF(o), nil
	case "github":
		return newGitHub(o), nil
	}
	return nil, cli.Usagef("there is no format %q: the known ones are %s", name, strings.Join(Formats(), ", "))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
