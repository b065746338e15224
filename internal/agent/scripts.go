// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// scripts runs scripts of skills.
type scripts struct {
	unsandboxed bool
	fake        func(ctx context.Context, r scriptRun, out io.Writer) end // of tests; nil: run it
}

// sandboxed reports whether scripts run in a sandbox.
func (x *scripts) sandboxed() bool { return !x.unsandboxed }

var errNoSandbox = errors.New("scripts are not run here, since there is no sandbox for them. Start the agent with --allow-unsandboxed-scripts to have them run with all of your rights, when the user agrees")

// ready says what stands in the way of a run, before the user is asked.
func (x *scripts) ready(r scriptRun) error {
	if x.fake != nil {
		return nil
	}
	if !x.unsandboxed {
		return errNoSandbox
	}
	_, err := interpreter(r.script, r.content)
	return err
}

// run runs a script with its output going to out.
func (x *scripts) run(ctx context.Context, r scriptRun, out io.Writer) end {
	if x.fake != nil {
		return x.fake(ctx, r, out)
	}
	words, err := interpreter(r.script, r.content)
	if err != nil {
		return end{err: err}
	}
	scratch, err := os.MkdirTemp("", "skillgraft-script-")
	if err != nil {
		return end{err: err}
	}
	defer os.RemoveAll(scratch)
	words = append(append(words, filepath.Join(r.dir, filepath.FromSlash(r.script))), r.args...)
	return runCommand(ctx, r.limit, out, func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Dir, cmd.Stdin = scratch, strings.NewReader(r.stdin)
		return cmd
	})
}
