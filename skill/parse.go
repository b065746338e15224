// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"fmt"
	"slices"
	"strings"
)

// ParseOptions are the choices of [Parse]. A nil pointer means the zero value.
type ParseOptions struct {
	// File is the path that findings name.
	File string
	// Dir is the name of the skill's directory, which the name field must equal (FMT-5).
	// Empty means that it is not known, and the comparison is left out.
	Dir string
	// Head says that src is only the start of a longer file: the body is not returned,
	// and the last character may be cut.
	Head bool

	// load is set by the loader, which has no use for fixes, and may have space.
	load  bool
	space *Scratch
}

// A Document is a parsed SKILL.md.
type Document struct {
	// Frontmatter is the lenient result: with values repaired where that was needed. It
	// is nil when there is none that could be used.
	Frontmatter *Frontmatter
	// Repaired is true when the block is not YAML as it stands (FMT-13). A strict reader
	// has no frontmatter then.
	Repaired bool
	// Body is everything after the closing fence, with "\n" line breaks; empty for a
	// head. BodyLine is the line of its first character.
	Body     string
	BodyLine int
	// Findings are the validator's, in the order of the file's parts.
	Findings []Finding

	fenceLine int
	// unclosed tells the loader that reading further may help.
	unclosed bool
}

// Usable reports whether a loader can use the document: no finding says to skip it.
func (d *Document) Usable() bool { return d.Frontmatter != nil && !skips(d.Findings) }

func skips(fs []Finding) bool { return slices.ContainsFunc(fs, func(f Finding) bool { return f.Skip }) }

// Valid reports whether a validator accepts the document: no finding is an error.
func (d *Document) Valid() bool {
	for _, f := range d.Findings {
		if f.Severity == Error {
			return false
		}
	}
	return d.Frontmatter != nil
}

const notYAML = "the frontmatter is not valid YAML: "

// Parse reads the bytes of a SKILL.md. It never fails: what is wrong is in the findings.
// src is not kept or changed. The same bytes give the same result for validator and
// loader (FMT-1 to FMT-11, FMT-13).
func Parse(src []byte, opts *ParseOptions) *Document {
	if opts == nil {
		opts = new(ParseOptions)
	}
	d := new(Document)
	if opts.space != nil {
		d.Findings = opts.space.findings[:0] // the loader copies them
	}
	report := func(f Finding) {
		if len(d.Findings) >= maxFindings && (!f.Skip || skips(d.Findings)) {
			return // what costs the skill is never left out
		}
		if opts.load && (f.author || f.Severity == Info) {
			return // a loader leaves these out; see lenient
		}
		f.File = opts.File
		if f.Line > 0 && f.Column == 0 {
			f.Column = 1
		}
		d.Findings = append(d.Findings, f)
	}
	text, bom, bad := decode(src, opts.Head)
	if bad >= 0 {
		report(notUTF8(src, bad))
		return d
	}
	if bom {
		f := Finding{Rule: "FMT-3", Severity: Info, Line: 1, Column: 1,
			Message: "the file starts with a byte order mark, which is ignored; save it without one"}
		if !opts.load && !opts.Head {
			n := len(byteOrderMark)
			for strings.HasPrefix(string(src[n:min(n+len(byteOrderMark), len(src))]), byteOrderMark) {
				n += len(byteOrderMark) // some tools add one at each save
			}
			f.Fix = &Fix{Message: "remove the byte order mark", Edits: []Edit{{End: n}}}
		}
		report(f)
	}
	var x *fixer
	if !opts.load && !opts.Head {
		x = &fixer{src: src}
	}
	p := split(text, func(f Finding) {
		if f.Rule == "FMT-14" {
			f.Fix = x.prelude(text)
		}
		report(f)
	})
	if x != nil {
		x.parts = p
	}
	if p.open {
		d.unclosed = true
		report(Finding{Rule: "FMT-2", Line: p.blockLine - 1, Column: 1, Skip: true, kind: kindUnclosed,
			Message: "the frontmatter is not closed; end it with a line that is exactly ---"})
	}
	if !p.found {
		return d
	}
	d.fenceLine = p.blockLine - 1
	if !opts.Head {
		d.Body, d.BodyLine = string(text[p.bodyStart:]), p.bodyLine
	}
	root, err := readSimple(p.block, p.blockLine, opts.space), (*blockError)(nil)
	lent := root != nil && opts.space != nil
	if root == nil {
		root, err = readYAML(p.block, p.blockLine)
	}
	if err != nil {
		// The strict error comes first: a reader of the findings learns why there was a
		// repair before learning what it did.
		f := Finding{Rule: "FMT-4", Line: p.blockLine - 1, Message: notYAML + err.msg + "; quote the value or fix the indentation"}
		if err.shape {
			f.Message, f.kind = err.msg+"; write fields, each as name: value", kindShape
		}
		if err.line > 0 {
			f.Line, f.Column = p.blockLine-1+err.line, err.column
			if words := plainWords(lineOf(p.block, err.line), err.column); words != "" && !err.shape {
				f.parser, f.Message = f.Message, notYAML+words
			}
		}
		report(f)
		at := len(d.Findings) - 1
		var all *Fix // the strict error is gone when every repaired line is mended
		if !err.shape {
			root = repair(p.block, p.blockLine, err, func(f Finding) {
				f.Fix = x.quoteLine(f.Line)
				all = joinFixes(all, f.Fix)
				report(f)
			})
			d.Findings[at].Fix = all
		}
		if root == nil {
			d.Findings[at].Skip = true
			return d
		}
		d.Repaired = true
	}
	d.Frontmatter = newFrontmatter(root, p.block, p.blockLine)
	c := checker{fm: d.Frontmatter, dir: opts.Dir, report: report, fix: x, load: opts.load, fence: p.blockLine - 1}
	if d.Repaired {
		c.fix = nil // quoting comes first; what else there is shows in the mended file
	}
	c.all()
	if lent {
		d.Frontmatter.forget()
	}
	return d
}

func describe(r rune) string { return fmt.Sprintf("U+%04X", r) }
