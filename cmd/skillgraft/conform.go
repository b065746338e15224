// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/conform"
)

func conformCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conform",
		Short: "Check any agent, client or proxy against the rules",
		Long: `Check an agent, a client or a proxy, written by anyone in any language, against
the numbered rules of the protocol and of skills. The checker plays the other
side on the wire, and says for each rule: pass, fail with the messages that show
it, a warning where the rule is advice, or why it does not apply.

Exit status of the checks: 0 when nothing failed, 1 when something did, 2 when
they could not be run, 128 plus its number after a signal.`,
		Args: cli.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(conformAgentCommand(), conformClientCommand(), conformProxyCommand(), conformMCPCommand(), conformListCommand(), conformEndCommand())
	return cmd
}

func conformAgentCommand() *cobra.Command {
	var o cli.ConformOptions
	cmd := &cobra.Command{
		Use:   "agent [flags] -- AGENT [ARGS...]",
		Short: "Check an agent",
		Long: `Start the agent, once for each check, and be its client, one that knows skills
and one that does not. The workspace has skills in .agents/skills and in
.claude/skills. No model is needed: an agent that cannot answer is checked on
everything that comes before the answer.`,
		Example: `  skillgraft conform agent -- skillgraft agent
  skillgraft conform agent --level inline --format junit -- skillgraft run -- my-agent
  skillgraft conform agent --filter ACP-P --filter replay -- my-agent --acp`,
		Args: cli.NeedAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Command = args
			return runConform(cmd, conform.KindAgent, o)
		},
	}
	cmd.Flags().SetInterspersed(false)
	o.AddFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.Level, "level", "auto", "the agent has to take skills here: `skill`, inline, none or auto (as it says)")
	cmd.Flags().StringVar(&o.Login, "login", "", "log in by this `METHOD` of the agent first")
	return cmd
}

func runConform(cmd *cobra.Command, kind conform.Kind, o cli.ConformOptions) error {
	ctx, stop := cli.UntilSignal(cmd.Context())
	defer stop()
	return cli.Conform(ctx, kind, o, cli.Std(cmd))
}

func conformListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [agent | client | proxy | mcp]",
		Short: "Show the checks, with the ids of their rules",
		Args:  cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{
			string(conform.KindAgent), string(conform.KindClient), string(conform.KindProxy), string(conform.KindMCP),
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			kinds := cmd.ValidArgs
			if len(args) == 1 {
				kinds = args
			}
			for _, kind := range kinds {
				for _, c := range conform.Checks(conform.Kind(kind)) {
					note := ""
					if c.Should {
						note += " (advice)"
					}
					if c.Answer {
						note += " (needs an agent that works)"
					}
					fmt.Fprintf(cmd.OutOrStdout(), "%-6s  %-20s %-9s %s%s\n", kind, c.ID, c.Rule, c.Title, note)
				}
			}
			return nil
		},
	}
}

func conformClientCommand() *cobra.Command {
	var o cli.ConformOptions
	cmd := &cobra.Command{
		Use:   "client [flags] -- CLIENT [ARGS... with {agent}]",
		Short: "Check a client",
		Long: `Start the client, once for each check, and be its agent: one whose list of skills
comes early, late, malformed, hostile or changes.

Put {agent} where the client's command names its agent. It becomes a command with
arguments, by which the client reaches the checker; inside of an argument it
becomes a text for a shell. The rest of the command has to make the client open
one session and send one prompt with the skill conform-skill, by itself.`,
		Example: `  skillgraft conform client -- skillgraft prompt --skill conform-skill "Go on" -- {agent}
  skillgraft conform client -- my-client --agent "{agent}" --prompt '/conform-skill go on'`,
		Args: cli.NeedAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Command = args
			return runConform(cmd, conform.KindClient, o)
		},
	}
	cmd.Flags().SetInterspersed(false)
	o.AddFlags(cmd.Flags())
	return cmd
}

func conformProxyCommand() *cobra.Command {
	var o cli.ConformOptions
	cmd := &cobra.Command{
		Use:   "proxy [flags] -- PROXY [ARGS... with {agent}]",
		Short: "Check a proxy",
		Long: `Start the proxy, once for each check, and be both the client in front of it and
the agent behind it. What each side wrote is compared with what the other side
got, byte for byte.

Put {agent} where the proxy's command names its agent.`,
		Example: `  skillgraft conform proxy -- skillgraft run -- {agent}`,
		Args:    cli.NeedAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Command = args
			return runConform(cmd, conform.KindProxy, o)
		},
	}
	cmd.Flags().SetInterspersed(false)
	o.AddFlags(cmd.Flags())
	return cmd
}

// conformEndCommand is what {agent} stands for. It is not for people.
func conformEndCommand() *cobra.Command {
	return &cobra.Command{
		Use:    cli.ConformEndCommand()[1] + " SOCKET",
		Short:  "Be the agent that a peer under check starts",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return cli.ConformEnd(ctx, args[0], cli.Std(cmd))
		},
	}
}
