// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"io/fs"
)

const (
	userInvocable = "user-invocable"
	disableModel  = "disable-model-invocation"
)

// A Skill is a loaded skill: what its frontmatter says and where it lies. It holds no
// body. A Skill is immutable and safe for concurrent use; its methods that read files read
// them anew each time.
type Skill struct {
	// Name is the one identifier of the skill everywhere: the name field as written, or
	// the directory's name when there is none (FMT-14).
	Name string
	// Description is the description field, written for a model. It is never blank.
	Description string
	// File is the absolute path of the SKILL.md with links resolved and in the spelling
	// of the disk (FMT-1, ACP-A6). Empty for a skill that is not a file, see [LoadFS].
	File string
	// Dir is the absolute path of the skill's directory with links resolved: the base of
	// relative paths in the body and the limit of what the skill may read (ACT-7). Empty
	// when File is.
	Dir string
	// Frontmatter is the whole head.
	Frontmatter *Frontmatter
	// Findings are the warnings that the skill was loaded with.
	Findings []Finding

	// anchor is the directory under which every later open stays, links included: Dir,
	// or the root that was given to LoadIn.
	anchor string
	// fsys and path are set instead of File for a skill from LoadFS.
	fsys    fs.FS
	path    string
	maxFile int64
}

// UserInvocable reports whether the user may invoke the skill: unless user-invocable says
// something else than true (ACT-10).
func (s *Skill) UserInvocable() bool { return invocableByUser(s.Frontmatter) }

// ModelInvocable reports whether the model may invoke the skill on its own: unless
// disable-model-invocation says something else than false (ACT-10).
func (s *Skill) ModelInvocable() bool { return invocableByModel(s.Frontmatter) }

func invocableByUser(fm *Frontmatter) bool {
	if fm == nil || !fm.Has(userInvocable) {
		return true
	}
	yes, ok := fm.Get(userInvocable).Bool()
	return ok && yes
}

func invocableByModel(fm *Frontmatter) bool {
	if fm == nil || !fm.Has(disableModel) {
		return true
	}
	off, ok := fm.Get(disableModel).Bool()
	return ok && !off
}

// DisplayDescription returns the description to show to people: the short form if the
// skill has one, on one line, sanitized (ACP-A5).
func (s *Skill) DisplayDescription() string {
	if s.Frontmatter != nil {
		if short := Sanitize(s.Frontmatter.ShortDescription()); short != "" {
			return short
		}
	}
	return Sanitize(s.Description)
}
