// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/conform"
)

func conformMCPCommand() *cobra.Command {
	var o cli.MCPUseOptions
	var filters []string
	var format string
	cmd := &cobra.Command{
		Use:   "mcp [flags] (URL | -- SERVER [ARGS...])",
		Short: "Check an MCP server that serves skills",
		Long: `Connect to a server that serves skills over the Model Context Protocol, by its Skills
extension, and check what it answers: listing, entries, reading, directories. All
files of all skills are read. A server that wants a bearer token gets that of the
environment variable ` + cli.MCPTokenEnv + `.`,
		Example: `  skillgraft conform mcp http://127.0.0.1:8000
  skillgraft conform mcp --revision 2025-11-25 -- skillgraft mcp --root ~/team-skills`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Args(cmd, args, 0); err != nil {
				return err
			}
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return cli.ConformMCP(ctx, o, filters, format, cli.Std(cmd))
		},
	}
	o.AddServerFlags(cmd.Flags())
	cmd.Flags().StringArrayVar(&filters, "filter", nil, "run the checks of this `ID`, group or rule only; may be repeated")
	cmd.Flags().StringVar(&format, "format", string(conform.Text), "write the report as `FORMAT`: "+strings.Join(conform.Formats(), ", "))
	return cmd
}
