// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

func askSignals() []os.Signal { return []os.Signal{syscall.SIGTERM} }

func escape(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
