// SPDX-License-Identifier: Apache-2.0

package format

import (
	"io"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

// jsonPrinter writes one object at the end.
type jsonPrinter struct {
	w   io.Writer
	out jsonReport
}

// jsonReport is what --format json prints. It has every finding, notes included.
type jsonReport struct {
	Files   []jsonFile `json:"files"`
	Summary *Summary   `json:"summary"`
}

type jsonFile struct {
	Path string `json:"path"`
	// Skill is false for a folder or link that something had to be said about.
	Skill    bool            `json:"skill"`
	Findings []skill.Finding `json:"findings"`
	Fixed    *Fixed          `json:"fixed,omitempty"`
}

func newJSON(o PrinterOptions) *jsonPrinter {
	return &jsonPrinter{w: o.Out, out: jsonReport{Files: []jsonFile{}}}
}

// Print implements [Printer].
func (p *jsonPrinter) Print(c *Checked) error {
	p.out.Files = append(p.out.Files, jsonFile{c.Path, c.Skill, append([]skill.Finding{}, c.Findings...), c.Fixed})
	return nil
}

// End implements [Printer].
func (p *jsonPrinter) End(s *Summary) error {
	p.out.Summary = s
	return cli.WriteJSON(p.w, p.out)
}
