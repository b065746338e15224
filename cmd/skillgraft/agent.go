// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/agent"
	"github.com/skillgraft/skillgraft/internal/cli"
)

func agentCommand() *cobra.Command {
	var o cli.AgentOptions
	cmd := &cobra.Command{
		Use:   "agent [flags]",
		Short: "Be an agent: the built-in one, with skills at any place of a prompt",
		Long: `Be an agent for the client at standard input and output, in version 2 of the
protocol, with skills of its own.

This agent is offline: no language model is connected, and it says so. Of each
skill that a prompt invokes it says what a model would be told to follow, which
makes it good for trying skills and for testing clients.

Sessions are kept in $XDG_STATE_HOME/skillgraft/agent, so that they can be
resumed; --state names another directory, or none.

Exit status: 0 when the client has left, 1 after a failure, 2 for wrong usage,
128 plus its number after a signal.`,
		Example: `  skillgraft agent
  skillgraft agent --root ~/team-skills --state none`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, closeLog, err := cli.OpenLog(cmd.ErrOrStderr(), "")
			if err != nil {
				return err
			}
			defer closeLog()
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return cli.Agent(ctx, o, cli.Std(cmd), log)
		},
	}
	f := cmd.Flags()
	o.Choices.AddRootFlags(f)
	f.StringVar(&o.State, "state", "", "keep sessions in this `DIR`ectory, or none")
	f.TextVar(&o.Level, "level", agent.LevelInline, "where skills are taken: inline, skill or none")
	_ = f.MarkHidden("level") // for testing clients; fails only for a flag that does not exist
	return cmd
}
