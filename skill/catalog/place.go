// SPDX-License-Identifier: Apache-2.0

package catalog

import "fmt"

// A Root is a directory that a scan looked for skills in, or would have, and what came of
// it. Where a workspace or home directory itself cannot be used, it stands for its folders.
type Root struct {
	// Scope and Path are the root's as it was configured: a base directory with links
	// resolved, and a client folder in it.
	Scope Scope  `json:"scope"`
	Path  string `json:"path"`
	// Real is the directory with links resolved; empty when there is none.
	Real string `json:"real,omitempty"`
	// State is what came of it, and Reason says why in a few words unless it was searched.
	State  RootState `json:"state"`
	Reason string    `json:"reason,omitempty"`
	// Trusted is false for a workspace that the user does not trust.
	Trusted bool `json:"trusted"`
	// Skills is how many skills lie under it, shadowed ones included and also those that
	// an earlier root has too. Skipped is how many files are none (FMT-14). Dirs is how
	// many directories were looked at, and Truncated is set when there were more (DSC-2).
	Skills    int  `json:"skills"`
	Skipped   int  `json:"skipped,omitempty"`
	Dirs      int  `json:"dirs,omitempty"`
	Truncated bool `json:"truncated,omitempty"`
}

// A RootState is what came of a [Root].
type RootState uint8

const (
	// RootSearched is a directory that was searched.
	RootSearched RootState = iota
	// RootMissing is one that does not exist.
	RootMissing
	// RootNotDir is something else by that name.
	RootNotDir
	// RootUnreadable is one that could not be reached (DSC-6).
	RootUnreadable
	// RootRefused is a link out of an untrusted workspace (DSC-5).
	RootRefused
	// RootSame is another way to a root that comes earlier, or is the user's (DSC-3).
	RootSame
	// RootInvalid is a path that is not used, such as a relative one (DSC-1).
	RootInvalid
)

// String returns "searched", "missing", "not a directory", "unreadable", "refused", "same"
// or "invalid".
func (s RootState) String() string {
	names := [...]string{"searched", "missing", "not a directory", "unreadable", "refused", "same", "invalid"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("RootState(%d)", uint8(s))
}

// MarshalText returns the same text as String, for JSON output.
func (s RootState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// missed is a place that is no root.
func missed(scope Scope, path string, state RootState, reason string) *Root {
	return &Root{Scope: scope, Path: path, State: state, Reason: reason}
}
