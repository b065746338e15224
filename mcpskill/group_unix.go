// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpskill

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the program in a process group of its own, so that what it starts
// can be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
