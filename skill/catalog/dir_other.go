// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package catalog

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A dir is an open directory. Its files are opened by the loader, under its root.
type dir struct{ f *os.File }

// A parent is an open directory that one worker opens directories in, by single steps. The
// zero value is closed.
type parent struct {
	anchor string
	root   *os.Root
}

// moveTo opens the directory path below anchor.
func (p *parent) moveTo(anchor, path string) (err error) {
	if p.root != nil && p.anchor == anchor && p.root.Name() == path {
		return nil
	}
	p.close()
	p.anchor = anchor
	p.root, err = openBelow(anchor, path)
	return err
}

func (p *parent) close() {
	if p.root != nil {
		p.root.Close()
		p.root = nil
	}
}

// dir opens the directory name. It goes by path: names are all that a listing gives, and
// what they stand for is opened by a root.
func (p *parent) dir(name string) (dir, error) {
	f, err := os.OpenFile(filepath.Join(p.root.Name(), name), dirFlags, 0)
	return dir{f}, err
}

// stat and file say that the directory has to be listed.
func (p *parent) stat(string) (stat, bool) { return stat{}, false }
func (p *parent) file(string) *headFile    { return nil }

func (d dir) close() { d.f.Close() }

// list lists the directory.
func (d dir) list(skill bool, _ []byte) (listing, error) {
	c := collector{skill: skill}
	for {
		es, err := d.f.ReadDir(256)
		for _, e := range es {
			if !c.add(e.Name(), e.Type()) {
				return c.done(nil)
			}
		}
		if errors.Is(err, io.EOF) {
			return c.done(nil)
		}
		if err != nil || len(c.entries) == maxEntries {
			return c.done(err)
		}
	}
}

// stat returns what there is to say of a file in the directory, links not followed.
func (d dir) stat(_, path string) (stat, bool) {
	fi, err := os.Lstat(path)
	if err != nil {
		return stat{}, false
	}
	return statOf(path, fi), true
}

// open leaves it to the loader to open the file.
func (d dir) open(string) *headFile { return nil }

// A headFile is a file that was opened without the loader, of which there are none here.
type headFile struct{ fs.File }
