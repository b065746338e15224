// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/format"
)

func toPromptCommand() *cobra.Command {
	var o format.ReadOptions
	cmd := &cobra.Command{
		Use:   "to-prompt [flags] [PATH...]",
		Short: "Print skills as the block that a model's prompt has",
		Long: `Print the <available_skills> block by which a model can choose skills: name,
description and location of each. The output is, byte for byte, that of the
format's reference tool where that tool reads the files, but that the location
is escaped, too.

Without a PATH, the block has the skills of the working directory that a model
may invoke, as an agent's own prompt would.

Exit status: 0; 1 when a skill could not be read, which is said on standard
error; 2 when the command could not do its work.`,
		Example: `  skillgraft to-prompt skills/review skills/deploy
  skillgraft to-prompt >> prompt.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return format.ToPrompt(ctx, o, args, cli.Std(cmd))
		},
	}
	o.Choices.AddRootFlags(cmd.Flags())
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print an array of objects")
	return cmd
}
