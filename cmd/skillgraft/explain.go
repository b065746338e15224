// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/format"
	"github.com/skillgraft/skillgraft/skill"
)

func explainCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [RULE...]",
		Short: "Say what a rule asks for, why, and how it looks",
		Long: `Every finding and many an error end with the id of a rule, such as FMT-6. Say what
that rule asks for, what it is good for, and show a wrong and a right example.
Without RULE, list all of them.

Exit status: 0, or 2 when there is no such rule.`,
		Example: `  skillgraft explain FMT-6
  skillgraft explain fmt-4 dsc-5
  skillgraft explain --json | jq -r '.[].id'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return format.Explain(args, asJSON, cli.Std(cmd))
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, r := range skill.Rules() {
				ids = append(ids, r.ID+"\t"+r.Title)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an array")
	return cmd
}
