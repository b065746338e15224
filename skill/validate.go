// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ValidateOptions are the choices of [Validate]. A nil pointer means the zero value.
type ValidateOptions struct {
	// Profile is whose view is taken; empty means [ProfileSpec].
	Profile Profile
	// Strict makes an error of every warning, a field outside of the format among them
	// (FMT-10). What is only worth knowing stays so.
	Strict bool
	// MaxFile is the size in bytes over which a file is an error; zero means [MaxFile].
	MaxFile int64
}

// A Report is what [Validate] found.
type Report struct {
	// File is the SKILL.md, by the way the caller named it and in the spelling of the
	// disk. It is the directory when there is none in it.
	File string
	// Dir is the name of the skill's directory, by which the name is judged (FMT-5).
	Dir string
	// Source is what was read, which the places and fixes of the findings refer to. It is
	// nil when there was nothing to read.
	Source []byte
	// Document is the parsed source, or nil.
	Document *Document
	// Findings are in the order of the file; those of [ProfileSkillsRef] in that tool's.
	Findings []Finding
}

// Valid reports whether no finding is an error.
func (r *Report) Valid() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Error })
}

// Validate examines the skill at path, a directory or its SKILL.md, by the strict reading
// of the format and with advice to its author (FMT-1 to FMT-14). What is wrong with the
// skill is in the report; an error means that path cannot be looked at. Validate reads the
// defining file, lists the files beside it, reads the first bytes of scripts, and changes and runs nothing. Nothing
// outside of the skill's directory is read, also through links.
func Validate(path string, opts *ValidateOptions) (*Report, error) {
	v := validation{}
	if opts != nil {
		v.opts = *opts
	}
	if v.opts.MaxFile <= 0 {
		v.opts.MaxFile = MaxFile
	}
	if v.opts.Profile == "" {
		v.opts.Profile = ProfileSpec
	}
	profile, ok := profiles()[v.opts.Profile]
	if !ok {
		return nil, fmt.Errorf("skill: there is no profile %q; use one of %s", Sanitize(string(v.opts.Profile)), strings.Join(profileNames(), ", "))
	}
	root, entry, err := v.find(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if v.read(root, entry); v.r.Source != nil {
		v.r.Document = Parse(v.r.Source, &ParseOptions{File: v.r.File, Dir: v.r.Dir, Head: v.head})
		v.r.Findings = append(v.r.Findings, withoutEchoes(v.r.Document.Findings)...)
		if !v.head {
			v.advise(root)
		}
	}
	profile(&v)
	for i := range v.r.Findings {
		if f := &v.r.Findings[i]; f.Line == 0 && v.r.Source != nil {
			f.Line, f.Column = 1, 1 // of the whole file (FMT-12)
		}
	}
	if v.opts.Strict {
		for i := range v.r.Findings {
			if f := &v.r.Findings[i]; f.Severity == Warning {
				f.Severity = Error
			}
		}
	}
	if v.opts.Profile == ProfileSkillsRef {
		return &v.r, nil // that tool's order
	}
	slices.SortStableFunc(v.r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &v.r, nil
}

// withoutEchoes leaves out what FMT-13 says about a line that FMT-4 already calls broken:
// how a loader copes with it is no second fault.
func withoutEchoes(findings []Finding) []Finding {
	var out []Finding
	for _, f := range findings {
		echo := f.Rule == "FMT-13" && slices.ContainsFunc(findings, func(o Finding) bool {
			return o.Rule == "FMT-4" && o.Severity == Error && o.Line == f.Line && o.Fix != nil
		})
		if !echo {
			out = append(out, f)
		}
	}
	return out
}

// validation is one run of Validate.
type validation struct {
	opts ValidateOptions
	r    Report
	head bool // only the start of a file that is too large was read
}

func (v *validation) report(f Finding) {
	f.File = cmp.Or(f.File, v.r.File)
	v.r.Findings = append(v.r.Findings, f)
}

// find opens the skill's directory and returns the entry of the defining file in it, or nil
// when there is none.
func (v *validation) find(path string) (*os.Root, fs.DirEntry, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("skill: cannot look at %s: %s; give a skill's directory or its SKILL.md", Sanitize(path), reason(err))
	}
	dir, name := path, ""
	if !fi.IsDir() {
		dir, name = filepath.Dir(path), filepath.Base(path)
	}
	abs, err := filepath.Abs(dir)
	if err == nil {
		v.r.Dir = filepath.Base(abs)
		// Only by its real path can a directory that is a link be opened as a root.
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("skill: cannot find %s: %s", Sanitize(path), reason(err))
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, nil, fmt.Errorf("skill: cannot open %s: %s", Sanitize(dir), reason(err))
	}
	entry, err := v.pick(root, name)
	if err != nil {
		root.Close()
		return nil, nil, fmt.Errorf("skill: cannot list %s: %s", Sanitize(dir), reason(err))
	}
	v.r.File = dir
	if entry != nil {
		v.r.File = filepath.Join(dir, entry.Name())
	}
	return root, entry, nil
}

// pick returns the entry called name, or the defining file if name is empty, by the
// spelling of the disk.
func (v *validation) pick(root *os.Root, name string) (fs.DirEntry, error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if name == "" || isSkillFile(name) {
		e, err := findFile(d)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil || name == "" || e.Name() == name || e.Name() == "skill.md" {
			return e, err
		}
		if _, err := d.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
	es, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var fold fs.DirEntry
	for _, e := range es {
		if e.Name() == name {
			return e, nil
		}
		if strings.EqualFold(e.Name(), name) {
			fold = e // a disk that ignores case
		}
	}
	return fold, nil
}

// read reads the defining file, or reports why it cannot be one.
func (v *validation) read(root *os.Root, e fs.DirEntry) {
	if e == nil {
		v.report(Finding{Rule: "FMT-1", Skip: true, Message: "no SKILL.md in this directory; add one that starts with a frontmatter"})
		return
	}
	switch name := e.Name(); {
	case name == fileName:
	case name == "skill.md":
		v.report(Finding{Rule: "FMT-1", Severity: Warning, Message: "the file is called skill.md; rename it to SKILL.md, other agents do not find it"})
	default:
		v.report(Finding{Rule: "FMT-1", Skip: true, Message: "a skill's file must be called SKILL.md, in a directory of the skill's name; rename it"})
	}
	rel := e.Name()
	if e.Type()&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(filepath.Join(root.Name(), rel))
		if err != nil {
			v.report(Finding{Rule: "DSC-5", Skip: true, Message: "a link that leads nowhere: " + reason(err)})
			return
		}
		inside, ok := within(root.Name(), target)
		if !ok {
			v.report(Finding{Rule: "DSC-5", Skip: true, Message: "a link to " + Sanitize(target) + ", outside of the skill's directory; copy the file, or link the whole directory"})
			return
		}
		rel = inside
	}
	f, err := root.OpenFile(rel, openFlags, 0)
	if err != nil {
		v.report(Finding{Rule: "DSC-6", Skip: true, Message: "cannot read the file: " + reason(err)})
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil:
		v.report(Finding{Rule: "DSC-6", Skip: true, Message: "cannot read the file: " + reason(err)})
		return
	case !fi.Mode().IsRegular():
		v.report(Finding{Rule: "FMT-14", Skip: true, Message: "not a regular file; make SKILL.md a file"})
		return
	}
	limit := v.opts.MaxFile
	if fi.Size() > limit {
		v.report(Finding{Rule: "FMT-14", Skip: true,
			Message: fmt.Sprintf("the file has %d bytes, at most %d are read; move details into files of their own", fi.Size(), limit)})
		v.head, limit = true, MaxHead
	}
	b, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		v.report(Finding{Rule: "DSC-6", Skip: true, Message: "cannot read the file: " + reason(err)})
		return
	}
	if b == nil {
		b = []byte{}
	}
	v.r.Source = b
}
