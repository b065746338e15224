// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// killWait is how long the output of an ended command is waited for: something that it
// left behind may hold it.
const killWait = 2 * time.Second

// runShell runs a command line in the system's shell.
func runShell(ctx context.Context, command, dir string, limit time.Duration, out io.Writer) end {
	return runCommand(ctx, limit, out, func(ctx context.Context) *exec.Cmd {
		cmd := shell(ctx, command)
		cmd.Dir = dir
		return cmd
	})
}

// runCommand runs a command, with everything that it starts ended at the end. Keys of
// model servers are not in its environment.
func runCommand(ctx context.Context, limit time.Duration, out io.Writer, command func(ctx context.Context) *exec.Cmd) end {
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := command(timed)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, out, killWait
	cmd.Env = withoutKeys(os.Environ())
	ended := inGroup(cmd)
	err := cmd.Run()
	ended()
	e := end{timeout: timed.Err() != nil && ctx.Err() == nil}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		e.code, e.signal = exit.ExitCode(), signalOf(exit.ProcessState)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		e.err = err
	}
	return e
}

func withoutKeys(env []string) []string {
	var out []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		switch strings.ToUpper(name) {
		case "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY":
			continue
		}
		out = append(out, v)
	}
	return out
}
