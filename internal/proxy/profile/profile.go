// SPDX-License-Identifier: Apache-2.0

// Package profile holds what each known agent does with skills of its own: how
// it is recognised, what marks a skill in its list, which folders it reads, and
// how one of its skills is invoked. Profiles are data, one file an agent in the
// folder agents, in the same format as a user's own; what the data means is
// written once, in mark.go, recognise.go and form.go.
//
// A profile describes, it never decides: where it does not hold, the graft
// stage expands the skill into the prompt, which works with every agent.
package profile

import "slices"

// A Profile is what is known about one agent. The zero value is an agent that
// knows nothing of skills.
type Profile struct {
	Name   string // what --profile takes
	Title  string // for people
	Source string // where all this comes from

	Recognise Recognise
	Mark      Mark
	Reads     Folders

	// Form is the agent's own way of invoking one of its skills; nil when it has
	// none that is known.
	Form Form

	Replay Replay
	// ReplayAdds are beginnings of texts that a replay shows in the user's messages
	// although nobody wrote them.
	ReplayAdds []string

	Notices Notices
}

// Folders are client folders such as ".claude/skills", by where they lie.
type Folders struct {
	Workspace  []string // under the working directory and its ancestors
	Additional []string // under the session's additional directories
	User       []string // under the home directory
}

// All lists every folder once, in order.
func (f Folders) All() []string {
	var all []string
	for _, list := range [][]string{f.Workspace, f.Additional, f.User} {
		for _, name := range list {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// Replay says what a replay shows of a prompt that was sent in the agent's own form.
type Replay string

// The known kinds of [Replay].
const (
	ReplaysSent     Replay = "sent"     // the text that was sent
	ReplaysExpanded Replay = "expanded" // the skill's instructions in its place
)

// Notices says when the agent learns of a skill that changed on the disk.
type Notices string

// The known kinds of [Notices].
const (
	NoticesAtOnce   Notices = "pushed"    // it sends a list by itself
	NoticesNextTurn Notices = "next-turn" // with the next prompt
	NoticesNever    Notices = "never"     // in the next session
)
