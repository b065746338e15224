// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"os"
	"os/exec"
)

func shell(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/C", command)
}

// inGroup has nothing to add here: what a command leaves behind may run on.
func inGroup(*exec.Cmd) (ended func()) { return func() {} }

func signalOf(*os.ProcessState) string { return "" }
