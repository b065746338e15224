// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"io"
)

// A scripts runs scripts of skills.
type scripts struct {
	unsandboxed bool
	fake        func(ctx context.Context, r scriptRun, out io.Writer) end // of tests; nil: run it
}

// sandboxed reports whether scripts run in a sandbox.
func (x *scripts) sandboxed() bool { return !x.unsandboxed }

// ready says what stands in the way of a run, before the user is asked.
func (x *scripts) ready(scriptRun) error { return nil }

// run runs a script with its output going to out.
func (x *scripts) run(ctx context.Context, r scriptRun, out io.Writer) end {
	if x.fake != nil {
		return x.fake(ctx, r, out)
	}
	return end{err: errors.New("not built yet")}
}
