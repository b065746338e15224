// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/skill"
)

// Execute runs a command and returns the exit status. An error is shown on errw,
// fit for a terminal whatever it quotes.
func Execute(ctx context.Context, root *cobra.Command, errw io.Writer) int {
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return Usagef("%w\nSee: %s --help", err, cmd.CommandPath())
	})
	cmd, err := root.ExecuteContextC(ctx)
	var exit *ExitError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &exit) && exit.Err == nil:
		return exit.Status
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		lines[i] = line[:indent] + skill.Sanitize(line)
	}
	fmt.Fprintf(errw, "%s: %s\n", cmd.CommandPath(), strings.Join(lines, "\n"))
	return Status(err)
}

// NoArgs is for commands that take none.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Usagef("%q is not expected here\nSee: %s --help", args[0], cmd.CommandPath())
}

// UnknownCommand refuses what should have been the name of a command, and says
// which one was meant, if any is near.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	msg := fmt.Sprintf("there is no command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		msg += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return Usagef("%s\nSee: %s --help", msg, cmd.CommandPath())
}
