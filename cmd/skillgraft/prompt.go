// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
)

func promptCommand() *cobra.Command {
	var o cli.PromptOptions
	cmd := &cobra.Command{
		Use:   "prompt [flags] [TEXT | -] [-- AGENT [ARGS...]]",
		Short: "Say a prompt to an agent, with skills in it",
		Long: `Say one prompt to an agent and print its answer as it comes. What the agent does
meanwhile goes to standard error.

--skill puts a skill in front of the text; {{skill:NAME}} marks a place for one
in the text. "skillgraft list" has the names. With - the text is read from
standard input. Without AGENT the built-in one answers. An agent that knows
nothing of skills gets them as with "skillgraft run".

When the agent asks for a permission, you are asked at the terminal. Without a
terminal the answer is no, unless --allow was given.

Ctrl-C cancels the work; a second one ends at once.

Exit status, by the agent's stop reason: 0 end_turn, 3 refusal, 4 max_tokens,
5 max_turn_requests, 130 cancelled, 6 any other one. Besides: 1 failure, 2 wrong
usage, 7 the agent wants you to log in, 126 or 127 when the agent cannot be run
or found.`,
		Example: `  skillgraft prompt --skill review "What about this branch?"
  skillgraft prompt "Fix the bug, then {{skill:commit}} it." -- claude-agent-acp
  git diff | skillgraft prompt --skill review --literal - -- codex-acp
  skillgraft prompt --json --deny "Hello" -- claude-agent-acp | jq .sessionUpdate`,
		RunE: func(cmd *cobra.Command, args []string) error {
			own, agent, err := cli.SplitAgent(cmd, args, 1)
			if err != nil {
				return err
			}
			o.Agent = agent
			if len(own) == 1 {
				o.Text, o.FromInput = own[0], own[0] == "-"
			}
			return cli.Prompt(cmd.Context(), o, cli.Std(cmd))
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.Skills, "skill", "s", nil, "put the skill of this `NAME` in front of the text; may be repeated")
	o.Place.AddFlags(f)
	o.Choices.AddProxyFlags(cmd)
	o.BuiltIn.AddFlags(f)
	f.BoolVar(&o.Literal, "literal", false, "the text has no {{skill:NAME}} marks")
	f.BoolVar(&o.JSON, "json", false, "print each update of the session on a line, as the agent sends it")
	f.BoolVar(&o.Allow, "allow", false, "allow what the agent asks for")
	f.BoolVar(&o.Deny, "deny", false, "deny what the agent asks for")
	o.Choices.AddVerboseFlag(f)
	f.StringVar(&o.Login, "login", "", "log in by this `METHOD` of the agent first")
	return cmd
}
