// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LoadOptions are the choices of [Load], [LoadIn] and [LoadFS]. A nil pointer means the
// zero value.
type LoadOptions struct {
	// MaxFile is the size in bytes over which a file is skipped; zero means [MaxFile].
	MaxFile int64
	// DirName is the directory's name as it was found, where that is not the last element
	// of the path that is loaded: a link's own name, say. It is what the name field is
	// compared with and replaced by.
	DirName string
	// Entry is the file's entry in a directory listing that the caller has at hand. Nil
	// means to list the directory.
	Entry fs.DirEntry
	// Stat is called with what fstat says about the file before it is read, if that
	// comes to pass. It lets a caller tell later whether the file has changed.
	Stat func(fs.FileInfo)
	// Scratch is for callers that load many skills.
	Scratch *Scratch
	// Anchor is the directory under which every later open by the skill stays, links
	// included. It must be absolute, without links, and contain the directory that is
	// loaded. Empty means the root that is loaded from.
	Anchor string
	// Follow decides about a SKILL.md that is a link out of its directory. It is given
	// the target with all links resolved, and answers with the directory under which the
	// target may be opened. Nil, or false, refuses such links (DSC-5): a skill in a
	// directory that others write to could else show any file of the user.
	Follow func(target string) (root string, ok bool)
}

// A LoadError is why a skill was skipped (FMT-14).
type LoadError struct {
	// File is the file or directory in question.
	File string
	// Findings say what is wrong; at least one has Skip set.
	Findings []Finding
	// Err is the underlying error of the file system, if that was the reason.
	Err error
}

// Error returns the first reason for skipping.
func (e *LoadError) Error() string {
	for _, f := range e.Findings {
		if f.Skip {
			return "skill: " + f.String()
		}
	}
	return "skill: cannot load " + Sanitize(e.File)
}

// Unwrap returns e.Err.
func (e *LoadError) Unwrap() error { return e.Err }

func skip(rule, file string, err error, format string, args ...any) *LoadError {
	return &LoadError{File: file, Err: err, Findings: []Finding{{
		Rule: rule, File: file, Skip: true, Message: fmt.Sprintf(format, args...)}}}
}

// Load reads the head of the skill in directory dir, which may be a link: the skill then
// lies where the link points to. The error is a [*LoadError] when the skill has to be
// skipped. Load runs nothing, writes nothing and does not wait for FIFOs (DSC-7, DSC-8).
func Load(dir string, opts *LoadOptions) (*Skill, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, skip("DSC-6", dir, err, "cannot find the directory: %s", reason(err))
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, skip("DSC-6", dir, err, "cannot find the directory: %s", reason(err))
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, skip("DSC-6", dir, err, "cannot open the directory: %s", reason(err))
	}
	defer root.Close()
	o := LoadOptions{}
	if opts != nil {
		o = *opts
	}
	if o.DirName == "" {
		o.DirName = filepath.Base(abs)
	}
	return LoadIn(root, ".", &o)
}

// LoadIn is [Load] for the directory rel under root. Nothing outside of root is opened, now
// or by a later [Skill.Activate], even if something on the way becomes a link, except what
// opts.Follow allows. root must have been opened by an absolute path without links, which
// is what the skill's paths are built from; rel must contain no links either.
func LoadIn(root *os.Root, rel string, opts *LoadOptions) (*Skill, error) {
	l := loader{anchor: root.Name()}
	if opts != nil {
		l.opts = *opts
	}
	if l.opts.MaxFile <= 0 {
		l.opts.MaxFile = MaxFile
	}
	l.dir = filepath.Join(root.Name(), rel)
	if l.opts.Anchor != "" {
		l.anchor = l.opts.Anchor
	}
	if l.opts.DirName == "" {
		l.opts.DirName = filepath.Base(l.dir)
	}
	e := l.opts.Entry
	if e == nil {
		d, err := root.Open(rel)
		if err != nil {
			return nil, skip("DSC-6", l.dir, err, "cannot open the directory: %s", reason(err))
		}
		e, err = findFile(d)
		d.Close()
		if err != nil {
			return nil, skip("FMT-1", l.dir, err, "no SKILL.md in this directory: %s", reason(err))
		}
	}
	l.name = e.Name()
	l.file = filepath.Join(l.dir, l.name)
	// The type in a listing saves opening devices, whose mere opening may do things; what
	// decides is the type of what has been opened.
	if e.Type()&fs.ModeSymlink == 0 {
		return l.loadFile(root, rel+string(filepath.Separator)+l.name, e.Type())
	}
	return l.loadLink(root)
}

type loader struct {
	opts   LoadOptions
	anchor string
	dir    string // absolute directory that will be the skill's
	file   string // absolute file
	name   string // of the file in dir, which may be a link
}

// loadLink loads a SKILL.md that is a symbolic link.
func (l *loader) loadLink(root *os.Root) (*Skill, error) {
	target, err := filepath.EvalSymlinks(l.file)
	if err != nil {
		return nil, skip("DSC-5", l.file, err, "a link that leads nowhere: %s", reason(err))
	}
	found := l.file
	_, inside := within(l.dir, target)
	rel, _ := within(root.Name(), target)
	if inside {
		// Opened by its real path under the same root: if it becomes a link to
		// elsewhere in the meantime, the root refuses it.
		l.file = target
	} else {
		outer, ok := "", false
		if l.opts.Follow != nil {
			outer, ok = l.opts.Follow(target)
		}
		if !ok {
			return nil, skip("DSC-5", found, nil, "a link to %s, outside of the skill's directory; copy the file, link the whole directory, or trust the workspace", Sanitize(target))
		}
		if rel, ok = within(outer, target); !ok {
			return nil, skip("DSC-5", found, nil, "a link to %s, which is not under %s", Sanitize(target), Sanitize(outer))
		}
		if root, err = os.OpenRoot(outer); err != nil {
			return nil, skip("DSC-5", found, err, "cannot open the link's target: %s", reason(err))
		}
		defer root.Close()
		l.anchor, l.file = outer, target
		// A link to a whole skill's file moves the skill there, with its bundled files.
		// A target by another name is a file in a store, whose directory is not ours.
		if isSkillFile(filepath.Base(target)) {
			l.dir = filepath.Dir(target)
		}
	}
	fi, err := root.Lstat(rel)
	if err != nil {
		return nil, skip("DSC-6", found, err, "cannot read the file: %s", reason(err))
	}
	if !fi.Mode().IsRegular() {
		return nil, skip("FMT-14", found, nil, "a link to %s, which is not a regular file; replace it by one", Sanitize(target))
	}
	return l.loadFile(root, rel, fi.Mode())
}

func (l *loader) loadFile(root *os.Root, rel string, mode fs.FileMode) (*Skill, error) {
	if !mode.IsRegular() {
		return nil, skip("FMT-14", l.file, nil, "not a regular file; replace it by one")
	}
	f, err := root.OpenFile(rel, openFlags, 0)
	if err != nil {
		return nil, skip("DSC-6", l.file, err, "cannot read the file: %s", reason(err))
	}
	defer f.Close()
	return l.read(f)
}

// LoadFile is [Load] for a caller that has the defining file open at its start: found by its
// name in its directory, not through a link, and opened without waiting for it. path is
// where it lies, absolute, clean and without links. Its directory is the skill's, and the
// anchor unless opts says otherwise. The caller closes the file.
func LoadFile(f fs.File, path string, opts *LoadOptions) (*Skill, error) {
	l := loader{file: path}
	if opts != nil {
		l.opts = *opts
	}
	if l.opts.MaxFile <= 0 {
		l.opts.MaxFile = MaxFile
	}
	l.dir, l.name = filepath.Split(path)
	if n := len(l.dir) - 1; n > len(filepath.VolumeName(l.dir)) {
		l.dir = l.dir[:n]
	}
	if l.anchor = l.opts.Anchor; l.anchor == "" {
		l.anchor = l.dir
	}
	if l.opts.DirName == "" {
		l.opts.DirName = filepath.Base(l.dir)
	}
	return l.read(f)
}

// read loads the skill of an open file.
func (l *loader) read(f fs.File) (*Skill, error) {
	doc, err := l.readHead(f)
	if err != nil {
		return nil, err
	}
	s, err := l.finish(doc, l.name)
	if err != nil {
		return nil, err
	}
	s.File, s.Dir, s.anchor = l.file, l.dir, l.anchor
	return s, nil
}

// readHead reads as much of an open file as its frontmatter needs (DSC-7).
func (l *loader) readHead(f fs.File) (*Document, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, skip("DSC-6", l.file, err, "cannot read the file: %s", reason(err))
	}
	if !fi.Mode().IsRegular() {
		return nil, skip("FMT-14", l.file, nil, "not a regular file; replace it by one")
	}
	if l.opts.Stat != nil {
		l.opts.Stat(fi)
	}
	size := fi.Size()
	if size > l.opts.MaxFile {
		return nil, skip("FMT-14", l.file, nil, "the file has %d bytes, at most %d are read; move material into files beside it", size, l.opts.MaxFile)
	}
	var src []byte
	if l.opts.Scratch != nil {
		src = l.opts.Scratch.head[:0]
	}
	for want := min(size, firstRead); ; want = min(size, MaxHead) {
		have := len(src)
		src = slices.Grow(src, int(want)-have)[:want]
		n, err := io.ReadFull(f, src[have:])
		src = src[:have+n]
		if l.opts.Scratch != nil {
			l.opts.Scratch.head = src
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, skip("DSC-6", l.file, err, "cannot read the file: %s", reason(err))
		}
		doc := Parse(src, &ParseOptions{File: l.file, Dir: l.opts.DirName, Head: int64(len(src)) < size, load: true, space: l.opts.Scratch})
		if !doc.unclosed || err != nil || want >= min(size, MaxHead) {
			if doc.unclosed && size > int64(len(src)) {
				doc.Findings[len(doc.Findings)-1].Message = fmt.Sprintf("the frontmatter is not closed within %d bytes; end it with a line that is exactly ---", MaxHead)
			}
			return doc, nil
		}
	}
}

// finish makes a skill of a document or says why not.
func (l *loader) finish(doc *Document, name string) (*Skill, error) {
	if space := l.opts.Scratch; space != nil {
		space.findings = doc.Findings
	}
	if !doc.Usable() {
		return nil, &LoadError{File: l.file, Findings: slices.Clone(doc.Findings)}
	}
	s := &Skill{
		Name: doc.Frontmatter.Name, Description: doc.Frontmatter.Description,
		Frontmatter: doc.Frontmatter, Findings: lenient(doc.Findings), maxFile: l.opts.MaxFile,
	}
	if s.Name == "" {
		s.Name = l.opts.DirName
	}
	if name != fileName {
		s.Findings = append(s.Findings, Finding{Rule: "FMT-1", Severity: Warning, File: l.file,
			Message: "the file is called " + Sanitize(name) + "; rename it to SKILL.md, other agents do not find it"})
	}
	return s, nil
}

// LoadFS is [Load] for a skill in a file system that is not the operating system's, such as
// one built into a program. The skill has no File and no Dir.
func LoadFS(fsys fs.FS, dir string, opts *LoadOptions) (*Skill, error) {
	l := loader{}
	if opts != nil {
		l.opts = *opts
	}
	if l.opts.MaxFile <= 0 {
		l.opts.MaxFile = MaxFile
	}
	if l.opts.DirName == "" {
		l.opts.DirName = filepath.Base(dir)
	}
	d, err := fsys.Open(dir)
	if err != nil {
		return nil, skip("DSC-6", dir, err, "cannot open the directory: %s", reason(err))
	}
	defer d.Close()
	rd, ok := d.(fs.ReadDirFile)
	if !ok {
		return nil, skip("DSC-6", dir, nil, "not a directory")
	}
	e, err := findFile(rd)
	if err != nil {
		return nil, skip("FMT-1", dir, err, "no SKILL.md in this directory: %s", reason(err))
	}
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		return nil, skip("DSC-6", dir, err, "cannot open the directory: %s", reason(err))
	}
	l.file = e.Name()
	f, err := sub.Open(l.file)
	if err != nil {
		return nil, skip("DSC-6", dir, err, "cannot read the file: %s", reason(err))
	}
	defer f.Close()
	doc, err := l.readHead(f)
	if err != nil {
		return nil, err
	}
	s, err := l.finish(doc, l.file)
	if err != nil {
		return nil, err
	}
	s.fsys, s.path = sub, l.file
	return s, nil
}

// fileName is the one right spelling (FMT-1).
const fileName = "SKILL.md"

// isSkillFile reports whether a file of this name defines a skill: SKILL.md, or skill.md
// where that is the only one.
func isSkillFile(name string) bool { return name == fileName || name == "skill.md" }

// findFile returns the entry of the defining file in a directory, with the spelling of the
// disk. On a disk that ignores case, opening SKILL.md would also open skill.md, so only a
// listing tells, and gives the same answer on every system (FMT-1).
func findFile(d fs.ReadDirFile) (fs.DirEntry, error) {
	var lower fs.DirEntry
	for {
		es, err := d.ReadDir(256)
		for _, e := range es {
			switch e.Name() {
			case fileName:
				return e, nil
			case "skill.md":
				lower = e
			}
		}
		if errors.Is(err, io.EOF) || err == nil && len(es) == 0 {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if lower == nil {
		return nil, fs.ErrNotExist
	}
	return lower, nil
}

// within returns target relative to dir if it lies in or below it. Both must be absolute
// and free of links; this is never the check that keeps an open inside, os.Root is.
func within(dir, target string) (string, bool) {
	rel, err := filepath.Rel(dir, target)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

// reason is the cause of a file system error without the path, which the finding has.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return strings.TrimSpace(Sanitize(err.Error()))
}
