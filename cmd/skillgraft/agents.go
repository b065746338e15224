// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
)

func agentsCommand() *cobra.Command {
	var asJSON, check bool
	cmd := &cobra.Command{
		Use:   "agents [NAME|FILE]...",
		Short: "List the agents whose ways are known, and what you get with each",
		Long: `List the agents whose ways with skills are known, and what you get with each
behind "skillgraft run". With NAME, tell all that is known of that one.

What is known of an agent is called its profile: how it is recognised, what marks a
skill in its list, where it looks for skills itself, and how it takes one. An agent
that is not among them works as well: each skill is written into the prompt.

A profile of yours is a file in $XDG_CONFIG_HOME/skillgraft/agents, or in ~/.config,
that ends in .yaml; it counts before the built-in ones. Or name it with --profile
FILE. docs/profiles.md describes the format, examples/profiles has one to start from,
and --check says whether a file is right. --check reads the files named and nothing
else.

Exit status: 0; 1 when --check found something wrong; 2 for wrong usage, such as a
name that is not known.`,
		Example: `  skillgraft agents
  skillgraft agents kimi
  skillgraft agents --json | jq -r '.[] | [.name, .invokes] | @tsv'
  skillgraft agents --check my-agent.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !check {
				return cli.Agents(args, asJSON, cli.Std(cmd))
			}
			if len(args) == 0 {
				return cli.Usagef("--check needs the FILE of a profile\nSee: skillgraft agents --help")
			}
			if asJSON {
				return cli.Usagef("--check and --json exclude each other")
			}
			return cli.CheckProfiles(args, cli.Std(cmd))
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return cli.ProfileNames(), cobra.ShellCompDirectiveDefault
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an array")
	cmd.Flags().BoolVar(&check, "check", false, "say whether files of profiles are right")
	return cmd
}
