// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
)

func chatCommand() *cobra.Command {
	var o cli.ChatOptions
	cmd := &cobra.Command{
		Use:   "chat [flags] [-- AGENT [ARGS...]]",
		Short: "Talk to an agent at the terminal, with skills",
		Long: `Talk to an agent, line by line. Its answers go to standard output, and what it
does meanwhile to standard error. Without AGENT the built-in one answers.

A line that starts with /NAME invokes the skill of that name, and {{skill:NAME}}
marks a place for one in a line. /skills lists them, /model and /mode show and set
the agent's options, /help says the rest. The agent's questions are asked here.

Ctrl-C cancels what the agent is doing; Ctrl-D or /quit ends. Without a terminal
each line of standard input is one prompt.

Exit status: 0 at the end, 1 after a failure, 2 for wrong usage, 7 when the agent
wants you to log in, 126 or 127 when the agent cannot be run or found.`,
		Example: `  skillgraft chat
  skillgraft chat --model anthropic:claude-sonnet-5-5
  skillgraft chat -- claude-agent-acp`,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, agent, err := cli.SplitAgent(cmd, args, 0)
			if err != nil {
				return err
			}
			o.Agent = agent
			return cli.Chat(cmd.Context(), o, cli.Std(cmd))
		},
	}
	f := cmd.Flags()
	o.Place.AddFlags(f)
	o.Choices.AddProxyFlags(cmd)
	o.BuiltIn.AddFlags(f)
	o.Choices.AddVerboseFlag(f)
	f.StringVar(&o.Login, "login", "", "log in by this `METHOD` of the agent first")
	return cmd
}
