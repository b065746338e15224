// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/doctor"
)

func doctorCommand() *cobra.Command {
	var o doctor.VisitOptions
	var show, text string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [flags] [-- AGENT [ARGS...]]",
		Short: "Find out why a skill is missing, and what an agent is given",
		Long: `Show where skills are looked for, what is found there and what is left out. With
AGENT, start that agent, too, and show what it says of itself, which profile fits
it, and which skills its session lists behind "skillgraft run".

--show prints the prompt that the agent would get for a skill, exactly: the
prompt goes the real way and is held back just before the agent. Without AGENT it
is what an agent gets that knows nothing of skills. --text is the text behind the
skill; as for "skillgraft prompt", {{skill:NAME}} in it is another one.

Nothing is written, and no prompt reaches the agent.

Exit status: 0 when all is well, 1 when there is something to be done, 2 for
wrong usage, 128 plus its number after a signal.`,
		Example: `  skillgraft doctor
  skillgraft doctor -- claude-agent-acp
  skillgraft doctor --show review --text "this branch" -- codex-acp`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if _, o.Agent, err = cli.SplitAgent(cmd, args, 0); err != nil {
				return err
			}
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			switch {
			case cmd.Flags().Changed("show"):
				return doctor.Show(ctx, o, show, text, asJSON, cli.Std(cmd))
			case text != "":
				return cli.Usagef("--text goes with --show")
			}
			return doctor.Doctor(ctx, o, asJSON, cli.Std(cmd))
		},
	}
	visitFlags(cmd, &o)
	f := cmd.Flags()
	f.StringVar(&show, "show", "", "print the prompt that the agent would get for the skill of this `NAME`")
	f.StringVar(&text, "text", "", "the text behind that skill")
	f.BoolVar(&asJSON, "json", false, "print an object; with --show the array of blocks")
	return cmd
}

// recorderCommand stands between the proxy and the agent when doctor asks. It is
// not for people.
func recorderCommand() *cobra.Command {
	return &cobra.Command{
		Use:    doctor.RecorderCommand + " [-- AGENT [ARGS...]]",
		Short:  "Stand before an agent and keep its prompts (used by doctor)",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, agent, err := cli.SplitAgent(cmd, args, 0)
			if err != nil {
				return err
			}
			return doctor.Record(cmd.Context(), agent, cli.Std(cmd))
		},
	}
}
