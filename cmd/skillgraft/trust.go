// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
)

func trustCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Say which workspaces you trust",
		Long: `Say which workspaces you trust. A repository is somebody else's text until you
do, and its skills are looked at with care:

                                             not trusted    trusted
  its skills can be chosen by you            yes            yes
  links that lead out of it are followed     no             yes
  the model is told of its skills by
  "run --model-skills"                       no             yes

Nothing in a skill runs because a workspace is trusted, nor because it was loaded.

A workspace is the git repository that a session is in, else the session's
directory. Trust covers a directory with all that lies in it. What is remembered
is the directory's real path: a link in its place is another directory.

The list is $XDG_CONFIG_HOME/skillgraft/trust.json, or in ~/.config. It counts
only as long as nobody else can write to it.`,
		Example: `  skillgraft trust add
  skillgraft trust list
  skillgraft trust remove ~/src/app`,
		Args: cli.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(trustAddCommand(), trustRemoveCommand(), trustListCommand())
	return cmd
}

func trustAddCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "add [flags] [PATH]",
		Short: "Trust a workspace: the one here, or PATH with all that lies in it",
		Long: `Trust a workspace: PATH with all that lies in it. Without PATH it is the git
repository that you are in, else the working directory.

Look at what is there first: skillgraft list --all. The root of the file system
and your home directory are refused, since everything you ever fetch would be
trusted with them; --force does it nevertheless.

Sessions that are open already are not looked at again.

Exit status: 0, also when it was trusted before; 1 when it was refused; 2 for
wrong usage.`,
		Example: `  skillgraft trust add
  skillgraft trust add ~/src/app`,
		Args: atMostOnePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.TrustAdd(first(args), force, cli.Std(cmd))
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also the root of the file system or your home directory")
	return cmd
}

func trustRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove [PATH]",
		Short: "Trust a workspace no longer",
		Long: `Trust a workspace no longer: PATH, which need not exist any more. Without PATH it
is the git repository that you are in, else the working directory.

Sessions that are open already are not looked at again.

Exit status: 0; 1 when it was not trusted; 2 for wrong usage.`,
		Example: `  skillgraft trust remove
  skillgraft trust remove ~/src/app`,
		Args: atMostOnePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.TrustRemove(first(args), cli.Std(cmd))
		},
	}
}

func trustListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [flags] [PATH]",
		Short: "List the trusted workspaces, or the one by which PATH is trusted",
		Long: `List the trusted workspaces. With PATH, show the one by which it is trusted.

Exit status: 0; 1 when PATH is not trusted or the list cannot be read; 2 for
wrong usage.`,
		Example: `  skillgraft trust list
  skillgraft trust list . || skillgraft trust add
  skillgraft trust list --json | jq -r '.trusted[].path'`,
		Args: atMostOnePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.TrustList(first(args), asJSON, cli.Std(cmd))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an object")
	return cmd
}

func atMostOnePath(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 1:
		return cli.Usagef("%q is not expected here: one path at a time\nSee: %s --help", args[1], cmd.CommandPath())
	case len(args) == 1 && args[0] == "":
		return cli.Usagef("the path is empty: leave it out to mean the workspace here\nSee: %s --help", cmd.CommandPath())
	}
	return nil
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
