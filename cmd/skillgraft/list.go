// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/doctor"
)

func listCommand() *cobra.Command {
	var o doctor.VisitOptions
	var l doctor.ListOptions
	cmd := &cobra.Command{
		Use:   "list [flags] [-- AGENT [ARGS...]]",
		Short: "List the skills here, or those of an agent's session",
		Long: `List the skills that a session here would have: from the working directory and,
inside of a git repository, the directories above it, from additional
directories, from your home directory, and from what --root names. Each skill is
shown with its file, and with what another skill of the same name does to it.
Below stands what was left out, and why. --all adds what else was noticed, and
the folders that were looked in; --tree shows where the skills lie.

With AGENT, start that agent as "skillgraft run" does, and list what its session
really offers: skills, and apart from them the agent's own commands.

Exit status: 0 when all is well, 1 when a skill had to be left out or the agent
failed, 2 for wrong usage, 128 plus its number after a signal.`,
		Example: `  skillgraft list
  skillgraft list --all --tree
  skillgraft list --cwd ~/src/app --json | jq -r '.skills[].name'
  skillgraft list -- claude-agent-acp`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if _, o.Agent, err = cli.SplitAgent(cmd, args, 0); err != nil {
				return err
			}
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return doctor.List(ctx, o, l, cli.Std(cmd))
		},
	}
	visitFlags(cmd, &o)
	cmd.Flags().BoolVar(&l.JSON, "json", false, "print an object")
	cmd.Flags().BoolVar(&l.All, "all", false, "also show every warning, copies, and the folders that were looked in")
	cmd.Flags().BoolVar(&l.Tree, "tree", false, "show where the skills lie")
	return cmd
}

// visitFlags are the flags of the commands that look at skills and agents.
func visitFlags(cmd *cobra.Command, o *doctor.VisitOptions) {
	o.Place.AddFlags(cmd.Flags())
	o.Choices.AddAgentFlags(cmd)
	o.Choices.AddVerboseFlag(cmd.Flags())
	cmd.Flags().StringVar(&o.Login, "login", "", "log in by this `METHOD` of the agent first")
	cmd.Flags().DurationVar(&o.Wait, "wait", 0, "how long the agent's list must stay the same to be complete (default 1s); after ten times that it is taken as it is")
}
