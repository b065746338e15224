// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"path/filepath"
	"strings"
)

const separator = string(filepath.Separator)

// dirTask is a directory to visit.
type dirTask struct {
	path   string // as found
	real   string // the start of skill
	skill  string // the file that would make it a skill: most have it, so that the path is made once
	anchor string // under which it is opened
	depth  int
}

func newTask(path, real, anchor string, depth int) dirTask {
	return dirTask{path: path, real: real, skill: join(real, fileName), anchor: anchor, depth: depth}
}

// sub is the task for a directory in the task's own.
func (t *dirTask) sub(name string) dirTask {
	sep := separator
	if strings.HasSuffix(t.real, separator) {
		sep = "" // the root of a file system
	}
	s := dirTask{skill: t.real + sep + name + separator + fileName, anchor: t.anchor, depth: t.depth + 1}
	s.real = s.skill[:len(s.skill)-len(separator+fileName)]
	if s.path = s.real; t.path != t.real {
		s.path = join(t.path, name)
	}
	return s
}

// file is the path of a file in the directory.
func (t *dirTask) file(name string) string {
	if name == fileName {
		return t.skill
	}
	return join(t.real, name)
}

// step is the directory that the task's lies in, and the one step from there.
func (t *dirTask) step() (dir, name string) {
	if t.real == t.anchor {
		return t.anchor, "."
	}
	dir, name = filepath.Split(t.real)
	if len(dir) > len(filepath.VolumeName(dir))+1 {
		dir = dir[:len(dir)-1] // not the root of a file system
	}
	return dir, name
}

// join is filepath.Join for a clean directory and one name, without looking at them again.
func join(dir, name string) string {
	if strings.HasSuffix(dir, separator) {
		return dir + name // the root of a file system
	}
	return dir + separator + name
}

// base is filepath.Base for a clean path.
func base(path string) string {
	if i := strings.LastIndexByte(path, filepath.Separator); i >= 0 && i+1 < len(path) {
		return path[i+1:]
	}
	return filepath.Base(path)
}
