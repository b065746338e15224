// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/format"
)

func showCommand() *cobra.Command {
	var o format.ShowOptions
	cmd := &cobra.Command{
		Use:   "show [flags] [NAME | PATH]...",
		Short: "Show a skill: its fields, findings, files and text, and what agents get",
		Long: `Show what there is to know about a skill: its fields, what is wrong with it, the
files beside it, what each known agent gets when you choose it, and its
instructions, on a terminal set for reading.

NAME is one that "skillgraft list" shows. PATH is a SKILL.md, the directory of a
skill, or a directory of skills. Without either, all skills of the working
directory are shown, without their instructions.

Exit status: 0; 1 when a skill that was shown has an error; 2 when there is no
such skill.`,
		Example: `  skillgraft show review
  skillgraft show ./skills/review --json | jq .agents
  skillgraft show user:review`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return format.Show(ctx, o, args, cli.Std(cmd))
		},
	}
	o.Choices.AddRootFlags(cmd.Flags())
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print an array")
	cmd.Flags().BoolVar(&o.Body, "body", false, "show the instructions also of several skills")
	return cmd
}
