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

--model names its language model. anthropic:NAME takes the key from
ANTHROPIC_API_KEY; openai:NAME any server of Chat Completions at
OPENAI_BASE_URL, such as a local one, with the key in OPENAI_API_KEY if it wants
one. Without --model and $SKILLGRAFT_MODEL it is one of Anthropic's if there is a
key. Without a model the agent is offline and says so: it shows the instructions
of the skills that a prompt names, or of the one that fits its words, and runs a
script of them when the prompt asks for that.

The model is told of a workspace's skills only when you trust that; you are asked
once. Before a file is changed or anything is run you are asked, too, unless
--mode says otherwise. Scripts of skills run in a sandbox; where the system has
none they do not, unless you allow that by the flag's name.

Sessions are kept in $XDG_STATE_HOME/skillgraft/agent, so that they can be
resumed; --state names another directory, or none.

Exit status: 0 when the client has left, 1 after a failure, 2 for wrong usage,
128 plus its number after a signal.`,
		Example: `  skillgraft agent
  skillgraft agent --model anthropic:claude-sonnet-5-5
  OPENAI_BASE_URL=http://localhost:11434/v1 skillgraft agent --model openai:qwen3
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
	o.Choices.AddTrustFlag(f)
	o.BuiltIn.AddFlags(f)
	f.StringVar(&o.State, "state", "", "keep sessions in this `DIR`ectory, or none")
	f.TextVar(&o.Level, "level", agent.LevelInline, "where skills are taken: inline, skill or none")
	_ = f.MarkHidden("level") // for testing clients; fails only for a flag that does not exist
	return cmd
}
