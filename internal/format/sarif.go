// SPDX-License-Identifier: Apache-2.0

package format

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

// The part of SARIF 2.1.0 that a report needs. Names and meanings are the standard's.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Version        string      `json:"version,omitempty"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
		FullDescription  sarifMessage `json:"fullDescription"`
		Help             sarifHelp    `json:"help"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex *int            `json:"ruleIndex,omitempty"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifFix struct {
		Description     sarifMessage  `json:"description"`
		ArtifactChanges []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		ArtifactLocation sarifArtifact      `json:"artifactLocation"`
		Replacements     []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		DeletedRegion   sarifRegion   `json:"deletedRegion"`
		InsertedContent *sarifMessage `json:"insertedContent,omitempty"`
	}
)

const (
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sarifVersion = "2.1.0"
	homePage     = "https://github.com/skillgraft/skillgraft"
)

// sarifPrinter writes one log at the end.
type sarifPrinter struct {
	w     io.Writer
	rules map[string]int
	log   sarifLog
}

func newSARIF(o PrinterOptions) *sarifPrinter {
	p := &sarifPrinter{w: o.Out, rules: map[string]int{}}
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "skillgraft", InformationURI: homePage, Version: o.Version, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{ExecutionSuccessful: true}},
		// Ours are counted in code points; without a word on it readers count UTF-16.
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	p.log = sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{run}}
	return p
}

// Print implements [Printer].
func (p *sarifPrinter) Print(c *Checked) error {
	run := &p.log.Runs[0]
	for _, f := range c.Findings {
		r := sarifResult{
			RuleID: f.Rule, RuleIndex: p.rule(f.Rule), Level: sarifLevel(f.Severity), Message: sarifMessage{f.Message},
			Locations: []sarifLocation{{sarifPhysical{ArtifactLocation: sarifArtifact{artifactURI(f.File)}}}},
		}
		if f.Line > 0 {
			r.Locations[0].PhysicalLocation.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Column}
		}
		if f.Fix != nil && c.Src != nil {
			r.Fixes = []sarifFix{sarifFixOf(f, c.Src)}
		}
		run.Results = append(run.Results, r)
	}
	return nil
}

// End implements [Printer].
func (p *sarifPrinter) End(*Summary) error { return cli.WriteJSON(p.w, p.log) }

// rule is the index of a rule among those of the run, which has those that are needed.
func (p *sarifPrinter) rule(id string) *int {
	driver := &p.log.Runs[0].Tool.Driver
	i, have := p.rules[id]
	if !have {
		r, known := skill.Explain(id)
		if !known {
			return nil
		}
		i = len(driver.Rules)
		p.rules[id] = i
		driver.Rules = append(driver.Rules, sarifRule{
			ID: id, ShortDescription: sarifMessage{r.Title}, FullDescription: sarifMessage{r.Why},
			Help: sarifHelp{Text: explained(r), Markdown: explainedMarkdown(r)},
		})
	}
	return &i
}

func sarifLevel(s skill.Severity) string {
	switch s {
	case skill.Error:
		return "error"
	case skill.Warning:
		return "warning"
	}
	return "note"
}

func sarifFixOf(f skill.Finding, src []byte) sarifFix {
	change := sarifChange{ArtifactLocation: sarifArtifact{artifactURI(f.File)}}
	for _, e := range f.Fix.Edits {
		r := sarifReplacement{DeletedRegion: regionOf(src, e.Start, e.End)}
		if e.New != "" {
			r.InsertedContent = &sarifMessage{e.New}
		}
		change.Replacements = append(change.Replacements, r)
	}
	return sarifFix{sarifMessage{f.Fix.Message}, []sarifChange{change}}
}

// regionOf turns byte offsets into lines and columns.
func regionOf(src []byte, start, end int) sarifRegion {
	var r sarifRegion
	r.StartLine, r.StartColumn = position(src, start)
	r.EndLine, r.EndColumn = position(src, end)
	return r
}

// position is the line and column, in code points, of an offset; a byte order mark is
// not counted.
func position(src []byte, offset int) (line, column int) {
	before := strings.TrimPrefix(string(src[:min(offset, len(src))]), "\ufeff")
	// A CR directly before an LF is no end of its own; one at the offset is.
	before = strings.ReplaceAll(before, "\r\n", "\n")
	before = strings.ReplaceAll(before, "\r", "\n")
	line = 1 + strings.Count(before, "\n")
	return line, 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// artifactURI is a path as a URI: relative to the working directory, which is the
// root of the sources for whoever reads the log, or absolute.
func artifactURI(path string) string {
	slash := filepath.ToSlash(path)
	if filepath.IsAbs(path) {
		if !strings.HasPrefix(slash, "/") {
			slash = "/" + slash // a drive letter
		}
		return (&url.URL{Scheme: "file", Path: slash}).String()
	}
	// As a URL the first segment could be taken for a scheme, which String prevents.
	return (&url.URL{Path: slash}).String()
}
