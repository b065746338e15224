// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"os"
	"path/filepath"
	"slices"
)

// A watchSet is which directories to watch, and in each the names that matter; a nil list
// means all. A workspace directory is watched for the few names that lead to skills, so that
// an editor's saving there costs nothing.
type watchSet map[string][]string

func (w watchSet) add(dir string, names ...string) {
	have, ok := w[dir]
	switch {
	case len(names) == 0:
		w[dir] = nil
	case ok && have == nil:
	case !ok:
		w[dir] = names[:len(names):len(names)] // shared until something is added
	default:
		for _, n := range names {
			if !slices.Contains(have, n) {
				have = append(have, n)
			}
		}
		w[dir] = have
	}
}

// addFile watches one file by its directory, because editors replace files when they save.
func (w watchSet) addFile(path string) { w.add(filepath.Dir(path), filepath.Base(path)) }

// A watchPlan is a watchSet before anybody has asked for it. Skills are most of it, and nobody
// asks when they are too many to watch.
type watchPlan struct {
	set    watchSet
	skills []string // directories of skills
}

// all returns the whole set.
func (p *watchPlan) all() watchSet {
	for _, dir := range p.skills {
		p.set.add(dir, fileName, "skill.md")
	}
	p.skills = nil
	return p.set
}

// matters reports whether a change of name in dir may change what a scan finds. The
// directory itself always matters.
func (w watchSet) matters(dir, name string) bool {
	names, ok := w[dir]
	return ok && (names == nil || slices.Contains(names, name))
}

// exists tells a directory that cannot be watched from one that is gone.
func exists(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}
