// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package mcpskill

import "os/exec"

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
