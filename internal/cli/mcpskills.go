// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/mcpskill"
)

// What --mcp-skills can be.
const (
	mcpSkillsHTTP = "http"
	mcpSkillsAll  = "all"
	mcpSkillsOff  = "off"
)

// AddMCPSkillsFlag adds the flag about the skills of MCP servers.
func (c *Choices) AddMCPSkillsFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.MCPSkills, "mcp-skills", mcpSkillsHTTP, "use the skills of MCP `SERVERS` that the client names: http, all (also programs, which are then started twice), off")
	_ = cmd.RegisterFlagCompletionFunc("mcp-skills", cobra.FixedCompletions([]string{mcpSkillsHTTP, mcpSkillsAll, mcpSkillsOff}, cobra.ShellCompDirectiveNoFileComp)) // fails only for a flag that does not exist
}

// mcpSkills is nil when they are off. What was approved, and what was read, is kept in
// the user's state, which no discovery of skills looks into (MCP-8).
func (c Choices) mcpSkills(log *slog.Logger) (*graft.MCPSkills, error) {
	switch c.MCPSkills {
	case "", mcpSkillsOff:
		return nil, nil
	case mcpSkillsHTTP, mcpSkillsAll:
	default:
		return nil, Usagef("--mcp-skills %q is none of http, all and off", c.MCPSkills)
	}
	o := &graft.MCPSkills{Stdio: c.MCPSkills == mcpSkillsAll}
	dir, err := journal.DefaultDir()
	if err != nil {
		log.Warn("it is asked each time before a skill of an MCP server is used, since there is no place to remember it", "error", err)
		return o, nil
	}
	dir = filepath.Join(filepath.Dir(dir), "mcp")
	o.Approvals = mcpskill.OpenApprovals(filepath.Join(dir, "approvals.json"))
	o.Cache = mcpskill.OpenCache(filepath.Join(dir, "cache"), 0)
	return o, nil
}
