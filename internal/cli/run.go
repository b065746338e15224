// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/proxy"
)

// Streams are the three standard ones.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// RunProxy puts an agent behind the proxy on the streams, until one of the two
// sides leaves. Nothing but the protocol goes to Out.
func RunProxy(ctx context.Context, c Choices, agent []string, std Streams, log *slog.Logger) error {
	stage, done, err := c.Graft(ctx, agent, log)
	if err != nil {
		return err
	}
	defer done()
	err = proxy.Run(ctx, proxy.Options{In: std.In, Out: std.Out, Err: std.Err, Agent: agent, Graft: stage, Log: log})
	var signal *SignalError
	if errors.As(err, &signal) {
		return Silent(Status(err)) // whoever sent it knows
	}
	return err
}

// Std are the streams of a command.
func Std(cmd *cobra.Command) Streams {
	return Streams{In: cmd.InOrStdin(), Out: cmd.OutOrStdout(), Err: cmd.ErrOrStderr()}
}

// NeedAgent is for commands that are nothing without an agent's command line, which
// stands behind --. A word before that is refused: taken for the agent, the value of
// a flag that takes none would be started as a program.
func NeedAgent(cmd *cobra.Command, args []string) error {
	_, agent, err := SplitAgent(cmd, args, 0)
	if err != nil || len(agent) > 0 {
		return err
	}
	return Usagef("no agent was named: put its command behind --, as in: %s -- claude-agent-acp\nSee: %[1]s --help", cmd.CommandPath())
}
