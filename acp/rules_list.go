// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"fmt"
	"strings"
	"unicode"
)

// A RuleError says that what an agent is about to advertise breaks a rule.
type RuleError struct {
	Rule   string // as in ACP-A4
	Name   string // the entry's name
	Reason string
}

func (e *RuleError) Error() string {
	return fmt.Sprintf("available command %s: %s [%s]", showName(e.Name), e.Reason, e.Rule)
}

// CheckCommands holds a list that an agent is about to advertise against the
// rules ACP-C3, ACP-A3 and ACP-A4. The error is a *[RuleError] for the first
// entry that breaks one.
func CheckCommands(list []AvailableCommand, support SkillSupport) error {
	seen := make(map[string]bool, len(list))
	for _, c := range list {
		if _, ok := c.(*UnknownCommand); ok {
			continue // not ours to judge
		}
		name := c.EntryName()
		fail := func(rule, reason string) error { return &RuleError{Rule: rule, Name: name, Reason: reason} }
		s, isSkill := c.(*Skill)
		switch {
		case isSkill && !support.Skill:
			return fail("ACP-C3", "an agent that offers skills has to advertise session.prompt.skill; set AgentOptions.Skills")
		case name == "":
			return fail("ACP-A4", "the name is empty")
		case strings.ContainsFunc(name, unicode.IsSpace):
			return fail("ACP-A4", "the name has white space; use - instead")
		case seen[name]:
			return fail("ACP-A4", "the name stands twice; qualify one of the two")
		case isSkill && strings.TrimSpace(s.Description) == "":
			return fail("ACP-A3", "the description is empty")
		case isSkill && s.Path != "" && !IsAbsolutePath(s.Path):
			return fail("ACP-A3", "the path is not absolute")
		}
		seen[name] = true
	}
	return nil
}

// ForClient is the list as a client with these capabilities may see it: one that
// does not understand skills gets them as commands (ACP-A1, ACP-A2).
func ForClient(list []AvailableCommand, client *ClientCapabilities) []AvailableCommand {
	if client.Skills() || list == nil {
		return list
	}
	out := make([]AvailableCommand, len(list))
	for i, c := range list {
		if s, ok := c.(*Skill); ok {
			c = s.AsCommand()
		}
		out[i] = c
	}
	return out
}

// Negotiate is an agent's answer to the version that a client asks for: the
// highest supported one that is not above it. ok is false when there is none.
func Negotiate(requested int, supported ...int) (version int, ok bool) {
	for _, v := range supported {
		if v <= requested && (!ok || v > version) {
			version, ok = v, true
		}
	}
	return version, ok
}
