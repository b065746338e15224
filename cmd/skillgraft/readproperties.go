// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/format"
)

func readPropertiesCommand() *cobra.Command {
	var o format.ReadOptions
	cmd := &cobra.Command{
		Use:   "read-properties [flags] [PATH...]",
		Short: "Print the properties of skills as JSON, as the reference tool does",
		Long: `Print the properties of a skill: name, description, license, compatibility,
allowed-tools and metadata. For one skill the output is, byte for byte, that of
the format's reference tool where that tool reads the file.

For several skills, a directory of skills, or without a PATH, the output is an
array of such objects. --json prints an array of all that the frontmatters have,
with path and warnings.

Exit status: 0; 1 when a skill could not be read, which is said on standard
error; 2 when the command could not do its work.`,
		Example: `  skillgraft read-properties skills/review
  skillgraft read-properties skills | jq -r '.[].name'
  skillgraft read-properties --json skills/review | jq '.[0].frontmatter'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return format.Properties(ctx, o, args, cli.Std(cmd))
		},
	}
	o.Choices.AddRootFlags(cmd.Flags())
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print all that the frontmatters have, as an array")
	return cmd
}
