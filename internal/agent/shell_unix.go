// SPDX-License-Identifier: Apache-2.0

//go:build unix

package agent

import (
	"context"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

func shell(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", "-c", command)
}

// inGroup gives a command a process group of its own, which a cancellation ends as a
// whole. ended ends what is left of it.
func inGroup(cmd *exec.Cmd) (ended func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kill := func() error {
		if cmd.Process == nil {
			return nil
		}
		return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // ESRCH: nothing is left, as wanted
	}
	cmd.Cancel = kill
	return func() { _ = kill() }
}

func signalOf(s *os.ProcessState) string {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return unix.SignalName(ws.Signal())
	}
	return ""
}
