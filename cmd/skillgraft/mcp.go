// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
)

func mcpCommand() *cobra.Command {
	var o cli.MCPServeOptions
	cmd := &cobra.Command{
		Use:   "mcp [flags]",
		Short: "Serve skills over MCP, and look at servers that do",
		Long: `Serve skills over the Model Context Protocol, by its Skills extension: at standard
input and output, or over HTTP with --http. Any host that knows the extension can
list and read them.

Served are the skills below each --root, with all their files, or without one those
that "skillgraft list" finds here. Left out, and reported, is a skill that is not
valid or has more than 512 files or 16 MiB; links that lead out of a skill, and files
whose name begins with a dot, are never served. Changes on the disk are seen.

Over HTTP the server answers to the names of this machine alone, unless --allow-host
says more, and to no web page, unless --allow-origin does. With the environment
variable ` + cli.MCPTokenEnv + ` set, clients have to send it as a bearer token.
Nothing is kept between two requests: any number of servers over the same files can
stand behind one load balancer, which can ask /healthz.

Exit status: 0 when the client has left, 1 after a failure, 2 for wrong usage,
128 plus its number after a signal.`,
		Example: `  skillgraft mcp --root ~/team-skills
  ` + cli.MCPTokenEnv + `=secret skillgraft mcp --root /srv/skills --http 0.0.0.0:8000 --allow-host skills.example.com
  skillgraft mcp verify http://127.0.0.1:8000`,
		Args: cli.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, closeLog, err := cli.OpenLog(cmd.ErrOrStderr(), "")
			if err != nil {
				return err
			}
			defer closeLog()
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return cli.MCPServe(ctx, o, cli.Std(cmd), log)
		},
	}
	o.AddFlags(cmd.Flags())
	cmd.AddCommand(
		mcpUse("list", "", "List the skills of a server", "What breaks a rule is left out and said on standard error; then the exit status is 1.", cli.MCPList),
		mcpUse("get", " URI", "Show a skill's entry: its files with digests, and what it asks for", "The uri is that of the skill's SKILL.md. It need not be in the server's list.", cli.MCPGet),
		mcpUse("read", " URI", "Write a file of a server, as it comes", "Nothing is verified and nothing is loaded: this is for people who look at a server.", cli.MCPRead),
		mcpUse("verify", "", "Read every file of every skill and check it against its entry", "Sizes, digests and each field of the frontmatter are compared, as a host does before\nit uses a skill. The exit status is 1 when something is wrong.", cli.MCPVerify),
	)
	return cmd
}

// mcpUse is a command that looks at a server.
func mcpUse(name, words, short, long string, run func(context.Context, cli.MCPUseOptions, cli.Streams) error) *cobra.Command {
	var o cli.MCPUseOptions
	n, example := 0, ""
	if words != "" {
		n, example = 1, " skill://git-workflow/SKILL.md"
	}
	cmd := &cobra.Command{
		Use:   name + " [flags] (URL" + words + " |" + words + " -- COMMAND [ARGS...])",
		Short: short,
		Long: short + `. The server is a URL, or a command that is started
and speaks at its standard input and output.

` + long + `

A server that wants a bearer token gets that of the environment variable
` + cli.MCPTokenEnv + `. Exit status: 0; 1 after a failure; 2 for wrong usage.`,
		Example: "  skillgraft mcp " + name + " http://127.0.0.1:8000" + example + "\n  skillgraft mcp " + name + example + " -- skillgraft mcp --root ~/team-skills",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Args(cmd, args, n); err != nil {
				return err
			}
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return run(ctx, o, cli.Std(cmd))
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}
