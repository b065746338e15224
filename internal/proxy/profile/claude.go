// SPDX-License-Identifier: Apache-2.0

package profile

// claude is claude-agent-acp, measured with 0.101.0. It lists skills as commands
// that nothing marks, and runs a command only when the last block of the prompt
// starts with it; an embedded resource keeps it from running.
func claude() *Profile {
	return &Profile{
		Name:     "claude",
		Title:    "Claude Agent",
		Infos:    []string{"@agentclientprotocol/claude-agent-acp", "claude-agent-acp"},
		Commands: []string{"claude-agent-acp", "claude-code-acp"},
		Mark:     Mark{ByName: true},
		Reads: Folders{
			Workspace:  []string{".claude/skills"},
			Additional: []string{".claude/skills"},
			User:       []string{".claude/skills"},
		},
		Form: Slash{},
	}
}
