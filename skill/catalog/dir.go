// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
)

// An entry is a name in a directory with its type.
type entry struct {
	name string
	mode fs.FileMode // type bits only
}

// A listing is what is in a directory.
type listing struct {
	// file is the entry that makes the directory a skill, as the disk spells it (FMT-1);
	// its name is empty when there is none. Its type does not matter here: a FIFO by that
	// name is a skill that cannot be loaded, and is reported as such.
	file entry
	// entries are the others in order of names, up to a bound. They are not complete
	// when the directory is a skill, which is not searched (DSC-2).
	entries []entry
}

// collector makes a listing of entries as the system gives them.
type collector struct {
	listing
	skill bool // the directory may be a skill
}

// add takes one entry and reports whether more are wanted.
func (c *collector) add(name string, mode fs.FileMode) bool {
	if c.skill {
		switch name {
		case "SKILL.md":
			c.file = entry{"SKILL.md", mode}
			return false
		case "skill.md":
			c.file = entry{"skill.md", mode}
			return true
		}
	}
	if len(c.entries) < maxEntries {
		c.entries = append(c.entries, entry{name, mode})
	}
	return true
}

func (c *collector) done(err error) (listing, error) {
	if err == nil && len(c.entries) == maxEntries && c.file.name == "" {
		err = fmt.Errorf("more than %d entries; the rest is left out", maxEntries)
	}
	slices.SortFunc(c.entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return c.listing, err
}
