// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"syscall"

	"github.com/skillgraft/skillgraft/internal/proxy"
	"github.com/skillgraft/skillgraft/internal/proxy/process"
)

// Exit statuses that several commands share. A shell's own conventions are kept
// for what is not ours to number: 126 and 127 for a command that cannot be
// started, 128+n for the signal n.
const (
	ExitOK      = 0
	ExitFailure = 1
	ExitUsage   = 2

	exitNotStartable = 126
	exitNotFound     = 127
	exitSignal       = 128
)

// An ExitError is an error with the exit status that it means. Err may be nil:
// then all that is to say was said.
type ExitError struct {
	Status int
	Err    error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// Usagef is an error in how a command was called.
func Usagef(format string, args ...any) error {
	return &ExitError{Status: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// Silent is an exit status that needs no words.
func Silent(status int) error { return &ExitError{Status: status} }

// Status is the exit status for the end of a command.
func Status(err error) int {
	var exit *ExitError
	var agent *proxy.AgentError
	var start *process.StartError
	var signal *SignalError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &exit):
		return exit.Status
	case errors.As(err, &signal):
		return signal.status()
	case errors.As(err, &agent):
		return agentStatus(agent.Exit)
	case errors.As(err, &start):
		// What the shells do: 127 for what is not there, 126 for what is
		// there and does not run.
		if errors.Is(start, exec.ErrNotFound) || errors.Is(start, fs.ErrNotExist) {
			return exitNotFound
		}
		return exitNotStartable
	case errors.Is(err, context.Canceled):
		return exitSignal + int(syscall.SIGINT)
	}
	return ExitFailure
}

func agentStatus(e process.Exit) int {
	switch {
	case e.Code >= 0:
		return e.Code
	case e.Signal != "":
		return exitSignal + signalNumber(e.Signal)
	}
	return ExitFailure
}
