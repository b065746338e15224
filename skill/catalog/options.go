// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"path/filepath"

	"github.com/skillgraft/skillgraft/skill"
)

// Bounds of a scan (DSC-2), where [Options] does not say otherwise.
const (
	// DefaultMaxDepth is how many levels below a root a skill's directory may sit.
	DefaultMaxDepth = 6
	// DefaultMaxDirs is how many directories are visited under one root.
	DefaultMaxDirs = 2000

	// maxEntries is how many entries of one directory are looked at.
	maxEntries = 20000
	// maxClimb bounds the way up to a git root.
	maxClimb = 64
)

// Options say where skills are looked for.
type Options struct {
	// Workspace holds the working directory and then the additional directories, in
	// the client's order. Paths must be absolute; others are reported and left out.
	Workspace []string
	// Home is the user's home directory. Empty means that there is no user scope: the
	// caller decides, this package does not ask the environment (DSC-6).
	Home string
	// NoUser leaves the user scope out even if Home is set. Home still keeps the user's
	// folders from counting as a workspace's.
	NoUser bool
	// Extra are configured roots, directories that hold skills or are one themselves.
	// They must come from the user or the client, never from a workspace.
	Extra []string
	// ClientFolders are the folders looked for in each workspace directory and in Home,
	// with slashes. Nil means .agents/skills and .claude/skills.
	ClientFolders []string
	// BuiltIn are skills of the program, the last in precedence; see [skill.LoadFS].
	BuiltIn []*skill.Skill
	// Trusted says whether the user trusts a workspace directory, given with links
	// resolved. It is asked for the git root, or the directory itself where there is
	// none. Nil means that none is trusted. A [Store] asks when a catalog is opened;
	// to apply another answer, open it anew.
	Trusted func(dir string) bool
	// MaxDepth and MaxDirs bound the walk under each root; zero means the defaults.
	MaxDepth, MaxDirs int
}

func (o Options) withDefaults() Options {
	if o.ClientFolders == nil {
		o.ClientFolders = []string{".agents/skills", ".claude/skills"}
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	if o.MaxDirs <= 0 {
		o.MaxDirs = DefaultMaxDirs
	}
	return o
}

// A Scope is where a skill comes from. Lower values take precedence.
type Scope uint8

const (
	// Workspace is a directory that the user works in; others may write to it.
	Workspace Scope = iota
	// User is the user's home directory.
	User
	// Extra is a configured root.
	Extra
	// BuiltIn is the program itself.
	BuiltIn
)

// String returns "workspace", "user", "extra" or "builtin".
func (s Scope) String() string {
	switch s {
	case Workspace:
		return "workspace"
	case User:
		return "user"
	case Extra:
		return "extra"
	case BuiltIn:
		return "builtin"
	}
	return "unknown"
}

// MarshalText returns the same text as String, for JSON output.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// contains reports whether path is dir or lies beneath it. Both must be real paths. It
// chooses a root to open under; it is not what keeps the open there.
func contains(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
