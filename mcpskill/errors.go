// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"fmt"

	"github.com/skillgraft/skillgraft/skill"
)

// An ID is what a skill is known by: the host's own label of the server, and the uri
// there (MCP-3). What a server says its own name is plays no part.
type ID struct {
	Label string
	URI   string
}

// String is for people.
func (id ID) String() string {
	return skill.Sanitize(id.Label) + " " + skill.Sanitize(clip(id.URI, 200))
}

// A RuleError says that a server or what it serves breaks a rule. Nothing of what it
// is about may be used.
type RuleError struct {
	// Rule is the id of the rule, such as "MCP-4".
	Rule string
	// ID is what it is about. URI may be empty: then it is about the server.
	ID ID
	// Reason is one line, without control characters.
	Reason string
	// Err is the underlying error, if there is one.
	Err error
}

// Error returns label, reason and rule.
func (e *RuleError) Error() string {
	return fmt.Sprintf("MCP server %s: %s (%s)", skill.Sanitize(e.ID.Label), e.Reason, e.Rule)
}

// Unwrap returns e.Err.
func (e *RuleError) Unwrap() error { return e.Err }

// A ChangedError says that a skill is another one now than the entry that was at
// hand: look at it again, and have it approved again (MCP-4, MCP-5).
type ChangedError struct {
	ID ID
	// Now is the entry that the server has now.
	Now *Entry
}

// Error says what to do.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("the skill %s has changed on the server; it has to be approved again (MCP-5)", e.ID)
}

// A DeniedError says that the user did not approve a skill.
type DeniedError struct{ ID ID }

// Error names the skill.
func (e *DeniedError) Error() string {
	return fmt.Sprintf("the skill %s was not approved; it was not loaded (MCP-5)", e.ID)
}

func clean(format string, args ...any) string {
	return skill.Sanitize(clip(fmt.Sprintf(format, args...), 600))
}
