// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
)

func mcpToolsCommand() *cobra.Command {
	var o cli.MCPToolsOptions
	cmd := &cobra.Command{
		Use:   "mcp-tools [flags]",
		Short: "Offer a session's skills to a model, as an MCP server",
		Long: `Be a server of the Model Context Protocol at standard input and output, by which
a model can use the skills of a session. "skillgraft run --model-skills" puts it
into the sessions of an agent; it can also stand in the settings of any program
that takes such servers.

  activate_skill    gives the instructions of a skill. Its description lists the
                    skills with what they are for
  read_skill_file   reads a file in a skill's directory

Skills with disable-model-invocation are yours alone and not offered, nor are
those of a workspace that you do not trust: see "skillgraft trust". Without
skills there are no tools. The list follows the disk.

Exit status: 0 when the client has left, 1 after a failure, 2 for wrong usage,
128 plus its number after a signal.`,
		Example: `  skillgraft mcp-tools --workspace ~/src/app
  skillgraft mcp-tools --root ~/team-skills --user-skills=false`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, closeLog, err := cli.OpenLog(cmd.ErrOrStderr(), "")
			if err != nil {
				return err
			}
			defer closeLog()
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return cli.MCPTools(ctx, o, cli.Std(cmd), log)
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}
