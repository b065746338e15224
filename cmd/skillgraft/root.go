// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/buildinfo"
	"github.com/skillgraft/skillgraft/internal/cli"
)

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "skillgraft",
		Short: "Agent Skills for every ACP agent",
		Long: `skillgraft gives every agent that speaks the Agent Client Protocol real Agent
Skills. Put "skillgraft run --" before the agent's command in your editor's
settings, and the skills of your project and your home directory can be chosen
there.`,
		Example: `  skillgraft run -- claude-agent-acp          the agent, with skills, for an editor
  skillgraft list                             which skills there are here
  skillgraft prompt --skill review "This branch"
  skillgraft chat -- claude-agent-acp         talk to it here
  skillgraft doctor -- claude-agent-acp       why is a skill missing?`,
		Version:       buildinfo.Read().Version,
		Args:          cli.UnknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
	}
	cmd.SetVersionTemplate(buildinfo.Read().String() + "\n")
	cmd.AddCommand(runCommand(), promptCommand(), chatCommand(), listCommand(), doctorCommand(), agentCommand(), versionCommand(), recorderCommand())
	cmd.AddCommand(validateCommand(), explainCommand(), showCommand(), newCommand(), readPropertiesCommand(), toPromptCommand())
	cmd.AddCommand(conformCommand(), agentsCommand())
	cmd.SetHelpCommand(helpCommand())
	cmd.AddCommand(trustCommand(), mcpCommand(), mcpToolsCommand())
	cmd.InitDefaultCompletionCmd()
	strictCompletion(cmd)
	return cmd
}

// strictCompletion makes wrong words behind "completion" wrong usage, as they are
// behind every other command: cobra's own one answers them with its help.
func strictCompletion(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args = cli.UnknownCommand
		c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		for _, shell := range c.Commands() {
			shell.Args = cli.NoArgs
		}
	}
}
