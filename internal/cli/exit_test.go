// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/client"
	"github.com/skillgraft/skillgraft/internal/proxy"
	"github.com/skillgraft/skillgraft/internal/proxy/process"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStatus(t *testing.T) {
	ended := func(e process.Exit) error { return &proxy.AgentError{Exit: e} }
	for _, tc := range []struct {
		name string
		err  error
		want int
	}{
		{"fine", nil, 0},
		{"any error", errors.New("x"), 1},
		{"usage", Usagef("x"), 2},
		{"wrapped", fmt.Errorf("x: %w", Silent(7)), 7},
		{"the agent's own", ended(process.Exit{Code: 42}), 42},
		{"the agent ended well, and too early", ended(process.Exit{Code: 0}), 0},
		{"the agent was killed", ended(process.Exit{Code: -1, Signal: "SIGKILL"}), 128 + 9},
		{"not found", &process.StartError{Err: exec.ErrNotFound}, 127},
		{"not there", &process.StartError{Err: fs.ErrNotExist}, 127},
		{"not to be run", &process.StartError{Err: fs.ErrPermission}, 126},
		{"signal", fmt.Errorf("x: %w", &SignalError{syscall.SIGTERM}), 128 + 15},
		{"cancelled", context.Canceled, 130},
	} {
		if got := Status(tc.err); got != tc.want {
			t.Errorf("%s: %d, not %d", tc.name, got, tc.want)
		}
	}
}

// The statuses that the help of prompt documents.
func TestStopStatus(t *testing.T) {
	for reason, want := range map[string]int{
		acp.StopEndTurn: 0, "": 0, acp.StopRefusal: 3, acp.StopMaxTokens: 4, acp.StopMaxTurnRequests: 5,
		acp.StopCancelled: 130, acp.StopError: 1, "_other": 6,
	} {
		if got := Status(stopError(client.Outcome{StopReason: reason})); got != want {
			t.Errorf("%q: %d, not %d", reason, got, want)
		}
	}
	for _, tc := range []struct {
		err  error
		want int
	}{
		{&client.AuthError{}, 7},
		{&proxy.AgentError{Exit: process.Exit{Code: 3}}, 1}, // not taken for a refusal
		{&process.StartError{Err: exec.ErrNotFound}, 127},
		{&SignalError{syscall.SIGPIPE}, 141},
	} {
		if got := Status(promptError(tc.err)); got != tc.want {
			t.Errorf("%v: %d, not %d", tc.err, got, tc.want)
		}
	}
}

func TestExecuteShowsHostileErrorsSafely(t *testing.T) {
	for _, tc := range []struct {
		err    error
		status int
		want   string
	}{
		{errors.New("a\x1b[2Jb\n  indented\u202e\n"), 1, "x: a[2Jb\n  indented\n\n"},
		{Silent(5), 5, ""},
		{nil, 0, ""},
	} {
		var out strings.Builder
		cmd := &cobra.Command{Use: "x", RunE: func(*cobra.Command, []string) error { return tc.err }, SilenceErrors: true, SilenceUsage: true}
		cmd.SetArgs(nil)
		if got := Execute(context.Background(), cmd, &out); got != tc.status || out.String() != tc.want {
			t.Errorf("%v: %d and %q, not %d and %q", tc.err, got, out.String(), tc.status, tc.want)
		}
	}
}
