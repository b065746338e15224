// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/skillgraft/skillgraft/skill/catalog"
)

// A Bundle is one skill that a source has: where it stands in the server's namespace,
// and its files.
type Bundle struct {
	// Path is the skill's path, such as "acme/billing/refunds". Its last segment has to
	// be the skill's name.
	Path string
	// Files has the skill's directory at its root. It is read whenever a peer asks for a
	// file, by several goroutines at once.
	Files fs.FS
	// Dynamic says that the files are made on demand: no digests are published, and hosts
	// may decline to load the skill.
	Dynamic bool
	// Unlisted keeps the skill out of skills/list. skills/get answers for it.
	Unlisted bool
}

// A Source says which skills there are now. It is called again whenever the server
// looks, by one goroutine at a time.
type Source func(context.Context) ([]Bundle, error)

// FS is a source of every directory in dir of fsys that has a SKILL.md; its path in
// dir is the skill's path. A skill's own directory is not searched for further ones
// here: the server finds nested skills in it.
//
// For a directory of the operating system use [DirFS]: os.DirFS follows links
// to anywhere.
func FS(fsys fs.FS, dir string) Source {
	return func(ctx context.Context) ([]Bundle, error) {
		var out []Bundle
		err := fs.WalkDir(fsys, dir, func(p string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				if p == dir {
					return err
				}
				return nil // the rest is served
			case !d.IsDir():
				return nil
			case p != dir && hiddenName(d.Name()):
				return fs.SkipDir
			}
			if info, err := fs.Stat(fsys, path.Join(p, mainFile)); err != nil || !info.Mode().IsRegular() {
				return nil
			}
			sub, err := fs.Sub(fsys, p)
			if err != nil {
				return err
			}
			rel := strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
			if p == dir || dir == "." && p == "." {
				rel = path.Base(p)
			} else if dir == "." {
				rel = p
			}
			out = append(out, Bundle{Path: rel, Files: sub})
			return fs.SkipDir
		})
		return out, err
	}
}

// Catalog is a source of the skills of a catalog, which finds them by the rules of
// discovery. A skill of a configured root has its path below that root; others
// have their name. Where two would be the same, the one with less precedence
// stands below its qualifier.
func Catalog(cat *catalog.Catalog) Source {
	return func(ctx context.Context) ([]Bundle, error) {
		snap, err := cat.Refresh(ctx)
		if err != nil {
			if !errors.Is(err, catalog.ErrClosed) {
				return nil, err
			}
			snap = cat.Snapshot()
		}
		var out []Bundle
		taken := map[string]bool{}
		for _, e := range snap.All() {
			if e.Dir == "" {
				continue // made in memory
			}
			p := e.Skill.Name
			if e.Scope == catalog.Extra {
				if rel, err := filepath.Rel(e.Root, filepath.Dir(e.Path)); err == nil && rel != "." && filepath.IsLocal(rel) {
					p = filepath.ToSlash(rel)
				}
			}
			if q := e.Qualifier; taken[p] && q != "" {
				p = path.Join(q, p)
			}
			taken[p] = true
			out = append(out, Bundle{Path: p, Files: DirFS(e.Dir)})
		}
		return out, nil
	}
}

// Join is a source of what all of them have. Of two bundles with one path the first is
// served and the other reported.
func Join(sources ...Source) Source {
	return func(ctx context.Context) ([]Bundle, error) {
		var out []Bundle
		for _, s := range sources {
			b, err := s(ctx)
			if err != nil {
				return nil, err
			}
			out = append(out, b...)
		}
		return out, nil
	}
}

// hiddenName tells the files and directories that are never part of a served skill:
// version control, editors' droppings, settings with secrets, installed packages.
func hiddenName(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }
