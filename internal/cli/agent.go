// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"

	"github.com/skillgraft/skillgraft/internal/agent"
	"github.com/skillgraft/skillgraft/internal/buildinfo"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
)

// AgentOptions are the choices of the agent command.
type AgentOptions struct {
	Choices
	State string // a directory, "none", or empty for the default
	Level agent.Level
}

// NoState is the value of --state for sessions that end with the connection.
const NoState = "none"

// Agent is the built-in agent on the streams.
func Agent(ctx context.Context, o AgentOptions, std Streams, log *slog.Logger) error {
	opts, err := o.options(log)
	if err != nil {
		return err
	}
	err = agent.Serve(ctx, newStdio(std), opts)
	var signal *SignalError
	if errors.As(context.Cause(ctx), &signal) {
		return Silent(signal.status())
	}
	return err
}

func (o AgentOptions) options(log *slog.Logger) (*agent.Options, error) {
	where, err := o.Catalog()
	if err != nil {
		return nil, err
	}
	opts := &agent.Options{Catalog: where, Level: o.Level, Version: buildinfo.Read().Version, Log: log}
	switch o.State {
	case NoState:
	case "":
		dir, err := journal.DefaultDir()
		if err != nil {
			log.Warn("sessions are kept in memory only; set XDG_STATE_HOME to keep them", "error", err)
			break
		}
		opts.StateDir = filepath.Join(filepath.Dir(dir), "agent")
	default:
		if opts.StateDir, err = filepath.Abs(o.State); err != nil {
			return nil, err
		}
	}
	return opts, nil
}

// builtin starts the built-in agent in this process. It needs no proxy: skills
// are its own. Nothing of the session is kept.
func builtin(ctx context.Context, c Choices, log *slog.Logger) (*Link, error) {
	opts, err := AgentOptions{Choices: c, State: NoState}.options(log)
	if err != nil {
		return nil, err
	}
	client, server := net.Pipe()
	l := &Link{ReadWriteCloser: client, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		_ = agent.Serve(ctx, server, opts) // the client sees the end
	}()
	return l, nil
}

// stdio is a stream over standard input and output. A read of standard input
// cannot be interrupted, so a goroutine reads it that may outlive the stream; it
// holds nothing but its buffer.
type stdio struct {
	*io.PipeReader
	io.Writer
}

func newStdio(std Streams) *stdio {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, std.In)
		_ = w.CloseWithError(err)
	}()
	return &stdio{PipeReader: r, Writer: std.Out}
}
