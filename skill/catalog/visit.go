// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
)

// visitor visits directories for one worker. It keeps open what they lie in, which is the
// same for all children of a directory.
type visitor struct {
	at parent
	// rare is what at stands for, when the loader has to open something itself.
	rare   *os.Root
	anchor string // of rare
	// now is a time before the visit, which may be that of the visits before it too.
	now   int64
	out   []found // space for what is found, several at a time
	space skill.Scratch
	// opts are those of the loads in read, and opened what the last one has opened.
	opts   skill.LoadOptions
	opened fs.FileInfo
	names  [8192]byte
}

func (v *visitor) close() {
	v.at.close()
	v.closeRare()
}

func (v *visitor) closeRare() {
	if v.rare != nil {
		v.rare.Close()
		v.rare = nil
	}
}

// root returns a root to load from what has to be opened by the loader, such as a link.
func (v *visitor) root(anchor, dir string) (*os.Root, error) {
	if v.rare != nil && v.anchor == anchor && v.rare.Name() == dir {
		return v.rare, nil
	}
	v.closeRare()
	root, err := openBelow(anchor, dir)
	if err != nil {
		return nil, err
	}
	v.rare, v.anchor = root, anchor
	return root, nil
}

// openBelow opens a directory that is anchor or lies below it. Every step from the anchor on
// is opened by [os.Root], so that nothing on the way can be a link to outside.
func openBelow(anchor, dir string) (*os.Root, error) {
	root, err := os.OpenRoot(anchor)
	if err != nil || dir == anchor {
		return root, err
	}
	defer root.Close()
	steps, err := filepath.Rel(anchor, dir)
	if err != nil {
		return nil, err
	}
	return root.OpenRoot(steps)
}

// visit looks at one directory: a skill, or a place where skills are.
func (v *visitor) visit(w *walker, t dirTask) (res dirResult) {
	report := func(file, format string, args ...any) {
		res.finds = append(res.finds, skill.Finding{Rule: "DSC-6", Severity: skill.Warning, File: file, Message: fmt.Sprintf(format, args...)})
	}
	in, name := t.step()
	skills := t.depth > 0 || w.root.self
	err := v.at.moveTo(t.anchor, in)
	if err == nil && skills {
		if f := v.known(w, t, name); f != nil {
			return dirResult{ok: true, skill: f}
		}
	}
	var d dir
	if err == nil {
		d, err = v.at.dir(name)
	}
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			report(t.path, "cannot be searched: %s", cause(err))
			res.ok = true
		}
		return res
	}
	defer d.close()
	l, err := d.list(skills, v.names[:])
	if err != nil {
		report(t.path, "cannot be searched: %s", cause(err))
	}
	res.ok = true
	if l.file.name != "" {
		res.skill = v.load(w, t, d, l.file)
		return res
	}
	deeper := t.depth < w.opts.MaxDepth
	for _, e := range l.entries {
		name := e.name
		isDir, isLink := e.mode.IsDir(), e.mode&fs.ModeSymlink != 0
		switch {
		case strings.HasPrefix(name, ".") || name == "node_modules":
		case (isDir || isLink) && deeper:
			sub := t.sub(name)
			if isLink {
				res.links = append(res.links, sub)
				break
			}
			if res.subs == nil {
				res.subs = make([]dirTask, 0, len(l.entries))
			}
			res.subs = append(res.subs, sub)
		case !isDir && t.depth > 0 && strings.EqualFold(name, fileName):
			report(join(t.path, name), "not a skill, because the file must be called SKILL.md; rename it")
		}
	}
	return res
}

const fileName = "SKILL.md"

// known loads a skill whose file is where it should be, without listing its directory. It
// returns nil when there is more to find out.
func (v *visitor) known(w *walker, t dirTask, name string) *found {
	now, ok := v.at.stat(name)
	if !ok {
		return nil
	}
	f := v.found(w, t, fileName)
	if f.loaded = w.cache.get(f.key); f.loaded != nil && f.fresh(now) {
		return f
	}
	file := v.at.file(name)
	if file == nil {
		return nil
	}
	defer file.Close()
	v.read(f, file)
	return f
}

// load reads a skill's head, or takes it from the cache if its file has not changed.
func (v *visitor) load(w *walker, t dirTask, d dir, e entry) *found {
	f := v.found(w, t, e.name)
	f.link = !e.mode.IsRegular()
	if f.loaded = w.cache.get(f.key); f.loaded != nil {
		if now, ok := d.stat(e.name, f.path); ok && f.fresh(now) {
			return f
		}
	}
	if !f.link {
		// If it cannot be opened, the loader finds out why.
		if file := d.open(e.name); file != nil {
			defer file.Close()
			v.read(f, file)
			return f
		}
	}
	l := &loaded{at: v.now}
	f.loaded = l
	in, name := t.step()
	root, err := v.root(t.anchor, in)
	if err != nil {
		l.err = &skill.LoadError{File: f.path, Err: err, Findings: []skill.Finding{{Rule: "DSC-6", File: f.path, Skip: true,
			Message: "cannot read the file: " + cause(err)}}}
		return f
	}
	var opened fs.FileInfo
	l.skill, l.err = skill.LoadIn(root, name, &skill.LoadOptions{DirName: f.key.dirName, Entry: dirEntry{e, root, name}, Anchor: t.anchor,
		Follow: w.leads, Scratch: &v.space, Stat: func(fi fs.FileInfo) { opened = fi }})
	if opened != nil {
		file := f.key.file
		if l.skill != nil {
			file = l.skill.File
		}
		l.stat = statOf(file, opened)
	}
	// A link's own times say nothing about its target: that is read each time.
	f.keep = !f.link
	return f
}

// read reads the head of an open file.
func (v *visitor) read(f *found, file *headFile) {
	l := &loaded{at: v.now}
	f.loaded, f.keep = l, true
	if v.opts.Stat == nil {
		v.opts.Scratch, v.opts.Stat = &v.space, func(fi fs.FileInfo) { v.opened = fi }
	}
	v.opened, v.opts.DirName, v.opts.Anchor = nil, f.key.dirName, f.key.anchor
	l.skill, l.err = skill.LoadFile(file, f.key.file, &v.opts)
	if v.opened != nil {
		l.stat = statOf(f.key.file, v.opened)
	}
}

// found returns a new one for the file that makes a directory a skill.
func (v *visitor) found(w *walker, t dirTask, file string) *found {
	if len(v.out) == 0 {
		v.out = make([]found, batch)
	}
	f := &v.out[0]
	v.out = v.out[1:]
	f.root, f.key = &w.root, cacheKey{file: t.file(file), dirName: base(t.path), anchor: t.anchor}
	if f.path = f.key.file; t.path != t.real {
		f.path = join(t.path, file)
	}
	return f
}

// dirEntry is an entry as the loader knows it.
type dirEntry struct {
	entry
	root *os.Root
	rel  string
}

func (e dirEntry) Name() string      { return e.name }
func (e dirEntry) IsDir() bool       { return e.mode.IsDir() }
func (e dirEntry) Type() fs.FileMode { return e.mode }
func (e dirEntry) Info() (fs.FileInfo, error) {
	return e.root.Lstat(filepath.Join(e.rel, e.name))
}
