// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// childLimit ends a process that hangs. It is far above what any of them takes.
const childLimit = 15 * time.Minute

// A command is how a process is started.
type command struct {
	env  []string
	dir  string
	attr *syscall.SysProcAttr
}

// run starts a process with the input on stdin and decodes what it prints.
func (c command) run(ctx context.Context, input, output any, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, childLimit)
	defer cancel()
	in, err := json.Marshal(input)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Env, cmd.Dir, cmd.SysProcAttr = bytes.NewReader(in), append(os.Environ(), c.env...), c.dir, c.attr
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, strings.TrimSpace(stderr.String()))
	}
	return json.Unmarshal(out, output)
}

// measure takes a sample of one role in a process of its own.
func measure(ctx context.Context, self, role string, j *job) (sample, error) {
	var s sample
	err := command{}.run(ctx, j, &s, self, role)
	return s, err
}
