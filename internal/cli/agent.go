// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/skillgraft/skillgraft/internal/agent"
	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/internal/buildinfo"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/trust"
)

// AgentOptions are the choices of the agent command.
type AgentOptions struct {
	Choices
	BuiltIn
	State string // a directory, "none", or empty for the default
	Level agent.Level
}

// BuiltIn are the choices about the built-in agent that other commands have, too.
type BuiltIn struct {
	Models      []string // --model; the first one is the default
	Mode        agent.Mode
	Window      int  // --context
	Unsandboxed bool // --allow-unsandboxed-scripts
}

// AddFlags adds the flags.
func (b *BuiltIn) AddFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&b.Models, "model", nil, "the built-in agent's `MODEL`: anthropic:NAME, openai:NAME or offline (default: what $SKILLGRAFT_MODEL says, else one of Anthropic's with a key, else offline); repeat it for more to choose from")
	f.TextVar(&b.Mode, "mode", agent.ModeAsk, "what the built-in agent does without asking: ask, edits or read")
	f.IntVar(&b.Window, "context", 0, "how many `TOKENS` the model takes, where that is not known")
	f.BoolVar(&b.Unsandboxed, "allow-unsandboxed-scripts", false, "run skills' scripts without a sandbox, with all of your rights, where there is none")
}

// Used reports whether one of the flags was given: they mean nothing for another agent.
func (b *BuiltIn) Used() bool {
	return len(b.Models) > 0 || b.Mode != "" && b.Mode != agent.ModeAsk || b.Window != 0 || b.Unsandboxed
}

// modelVariable names the model when no flag does.
const modelVariable = "SKILLGRAFT_MODEL"

// models are the models to choose from. All of them must be ones that can be opened:
// who names a model wants to know at once that its key is missing.
func (b BuiltIn) models(open func(string) (model.Model, error)) ([]string, error) {
	specs := b.Models
	for _, v := range []string{os.Getenv(modelVariable), model.DefaultSpec(os.Getenv)} {
		if len(specs) == 0 && v != "" {
			specs = []string{v}
		}
	}
	for _, spec := range specs {
		if spec == agent.ModelOffline {
			continue
		}
		m, err := open(spec)
		if err != nil {
			return nil, Usagef("%w", err)
		}
		m.Close()
	}
	return specs, nil
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
	where.Trusted = o.trusts(func(err error) { log.Warn("no workspace is trusted", "error", err) })
	opts := &agent.Options{
		Catalog: where, Level: o.Level, Version: buildinfo.Read().Version, Log: log,
		Mode: o.Mode, Unsandboxed: o.Unsandboxed,
		OpenModel: func(spec string) (model.Model, error) { return model.Open(spec, &model.Options{Window: o.Window}) },
	}
	if opts.Models, err = o.models(opts.OpenModel); err != nil {
		return nil, err
	}
	if o.Trust == trust.Ask && !o.AskNobody {
		opts.KeepTrust = func(dir string) error {
			_, err := TrustStore().Add(dir, false)
			return err
		}
	}
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
	opts.GrantsDir = opts.StateDir
	return opts, nil
}

// builtin starts the built-in agent in this process. It needs no proxy: skills
// are its own. Nothing of the session is kept.
func builtin(ctx context.Context, c Choices, b BuiltIn, log *slog.Logger) (*Link, error) {
	opts, err := AgentOptions{Choices: c, BuiltIn: b, State: NoState}.options(log)
	if err != nil {
		return nil, err
	}
	// What the user has allowed for good is not the session's.
	if dir, err := journal.DefaultDir(); err == nil {
		opts.GrantsDir = filepath.Join(filepath.Dir(dir), "agent")
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
