// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// bytePipe starts an agent and copies bytes both ways, looking at none. No proxy
// can be faster: it has the same two processes, and reads and writes the same
// bytes.
func bytePipe(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return errors.New("pipe: name the agent's command after --")
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr = stderr
	toAgent, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	fromAgent, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	// This goroutine ends with the client's side or with the process: nothing can
	// interrupt a read of stdin.
	go func() {
		_ = throughUserSpace(toAgent, stdin)
		_ = toAgent.Close()
	}()
	copied := throughUserSpace(stdout, fromAgent)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return copied
}

// throughUserSpace copies without the kernel's help: io.Copy would have two
// pipes spliced, which no proxy that looks at the bytes can do.
func throughUserSpace(dst io.Writer, src io.Reader) error {
	_, err := io.Copy(struct{ io.Writer }{dst}, struct{ io.Reader }{src})
	return err
}
