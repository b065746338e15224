// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
)

func runCommand() *cobra.Command {
	var choices cli.Choices
	var logFile string
	cmd := &cobra.Command{
		Use:   "run [flags] -- AGENT [ARGS...]",
		Short: "Give an agent skills: stand between a client and the agent",
		Long: `Start the agent and stand between it and the client, which is at standard input
and output. The client can then choose skills, wherever in a prompt it wants to:

  .agents/skills and .claude/skills in the session's directory and, inside of a
  git repository, in the directories above it; the same in the session's
  additional directories, in the home directory, and what --root names.

What the client and the agent say to each other besides is passed on byte for
byte. An agent that has skills of its own keeps them.

Links that lead out of the workspace are followed only when you trust it, because
a repository could otherwise show any of your files as a skill. The client is
asked once where that matters; see "skillgraft trust". --trust=always and
--trust=never ask nobody.

Only your choice runs a skill. With --model-skills the model is offered them as
well: each session gets an MCP server with a tool that gives a skill's
instructions, and one that reads its files. It offers what lies in trusted
workspaces, in your home directory and in --root.

MCP servers that the client names for a session and that serve skills over HTTP have
them listed, too, with where they come from. The client is asked before one is used,
and again when its files have changed; what such a skill asks for in allowed-tools is
not granted. --mcp-skills=all also starts servers that are programs, which the agent
then starts a second time, and --mcp-skills=off leaves all of them alone. No session
waits for a server.

Standard output carries the protocol only. Warnings and what the agent writes to
its standard error go to standard error.

Exit status: 0 when the client has left; the agent's own one, or 128 plus the
number of the signal, when the agent ended by itself; 126 or 127 when the agent
cannot be run or found; 2 for wrong usage; 128 plus its number after a signal.`,
		Example: `  skillgraft run -- claude-agent-acp
  skillgraft run --root ~/team-skills -- npx -y @agentclientprotocol/codex-acp
  skillgraft run --model-skills -- gemini --acp
  skillgraft run --log /tmp/skillgraft.log -- my-agent --acp`,
		Args: cli.NeedAgent,
		RunE: func(cmd *cobra.Command, agent []string) error { // NeedAgent has seen that all are the agent's
			log, closeLog, err := cli.OpenLog(cmd.ErrOrStderr(), logFile)
			if err != nil {
				return err
			}
			defer closeLog()
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return cli.RunProxy(ctx, choices, agent, cli.Std(cmd), log)
		},
	}
	cmd.Flags().SetInterspersed(false) // an agent before -- is named as the mistake, not the flags behind it
	choices.AddProxyFlags(cmd)
	cmd.Flags().StringVar(&logFile, "log", "", "append everything that there is to say to this `FILE`")
	return cmd
}
