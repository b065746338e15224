// SPDX-License-Identifier: Apache-2.0

package acp

// Skills reports whether the client understands skill entries (ACP-C1). It may
// be called on nil.
func (c *ClientCapabilities) Skills() bool {
	return c != nil && c.Session != nil && c.Session.Commands != nil && c.Session.Commands.Skill != nil
}

// SkillClient is the least that a client which understands skills advertises.
func SkillClient() *ClientCapabilities {
	return &ClientCapabilities{Session: &ClientSessionCapabilities{
		Commands: &ClientCommandCapabilities{Skill: &Capability{}},
	}}
}

// Sessions reports whether the agent has sessions at all. It may be called on
// nil.
func (c *AgentCapabilities) Sessions() bool { return c != nil && c.Session != nil }

// SkillSupport is where the agent takes skill blocks (ACP-C2). It may be called
// on nil.
func (c *AgentCapabilities) SkillSupport() SkillSupport {
	if c == nil || c.Session == nil || c.Session.Prompt == nil || c.Session.Prompt.Skill == nil {
		return SkillSupport{}
	}
	return SkillSupport{Skill: true, Inline: c.Session.Prompt.Skill.Inline != nil}
}

// SkillSupport is what an agent has advertised about skill blocks: one that
// stands first (Skill), or any number anywhere (Skill and Inline).
type SkillSupport struct {
	Skill  bool
	Inline bool
}

// Capability is what an agent with this support advertises as
// session.prompt.skill: nil when there is none.
func (s SkillSupport) Capability() *SkillCapability {
	switch {
	case !s.Skill:
		return nil
	case s.Inline:
		return &SkillCapability{Inline: &Capability{}}
	}
	return &SkillCapability{}
}
