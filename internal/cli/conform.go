// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/conform"
	"github.com/skillgraft/skillgraft/internal/proxy/process"
)

// ConformOptions are the choices of the conform commands.
type ConformOptions struct {
	Filters  []string
	Format   string
	Level    string
	Login    string
	Timeout  time.Duration
	Quiet    time.Duration
	Jobs     int
	KeepHome bool
	Verbose  bool
	Command  []string
}

// ExitCannotCheck is the exit status for checks that could not be run at all.
const ExitCannotCheck = 2

// AddFlags adds the flags that all kinds of peers share.
func (o *ConformOptions) AddFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.Filters, "filter", nil, "run the checks of this `ID`, group or rule only; may be repeated")
	f.StringVar(&o.Format, "format", string(conform.Text), "write the report as `FORMAT`: "+strings.Join(conform.Formats(), ", "))
	f.DurationVar(&o.Timeout, "timeout", 10*time.Second, "wait so long for what has to come")
	f.DurationVar(&o.Quiet, "quiet", 300*time.Millisecond, "listen so long for what must not come")
	f.IntVar(&o.Jobs, "jobs", 4, "run so many checks at once")
	f.BoolVar(&o.KeepHome, "keep-home", false, "let the peer see your home directory, its settings and logins")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "show what the peer writes to its standard error")
}

// Conform runs the checks of a kind and writes the report. The error is an exit
// status without words when checks failed.
func Conform(ctx context.Context, kind conform.Kind, o ConformOptions, std Streams) error {
	if !slices.Contains(conform.Formats(), o.Format) {
		return Usagef("there is no format %q: choose one of %s", o.Format, strings.Join(conform.Formats(), ", "))
	}
	checks, err := conform.Select(conform.Checks(kind), o.Filters...)
	if err != nil {
		return Usagef("%w", err)
	}
	base, err := os.MkdirTemp("", "skillgraft-conform-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(base)
	host := &conformHost{opts: o, base: base, err: std.Err}
	opts := conform.Options{Level: o.Level, Login: o.Login, Timeout: o.Timeout, Quiet: o.Quiet, Jobs: o.Jobs, Dir: base}
	host.fill(kind, &opts)
	if conform.Format(o.Format) == conform.Text {
		opts.Done = func(r conform.Result) {
			var b strings.Builder
			r.Text(&b)
			_, _ = io.WriteString(std.Out, b.String())
		}
	}
	report, err := conform.Run(ctx, kind, checks, opts)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return &ExitError{Status: ExitCannotCheck, Err: host.explain(err)}
	}
	if conform.Format(o.Format) == conform.Text {
		_, err = io.WriteString(std.Out, report.Summary())
	} else {
		err = report.Write(std.Out, conform.Format(o.Format))
	}
	if err == nil && report.Count(conform.Fail) > 0 {
		return Silent(ExitFailure)
	}
	return err
}

// A conformHost starts the peers.
type conformHost struct {
	opts    ConformOptions
	base    string
	err     io.Writer
	sockets atomic.Int64 // that were made
}

func (h *conformHost) fill(kind conform.Kind, o *conform.Options) {
	switch kind {
	case conform.KindAgent:
		o.StartAgent = func(dir string) (*conform.Peer, error) { return h.start(h.opts.Command, dir) }
	case conform.KindClient:
		o.StartClient = h.startClient
	case conform.KindProxy:
		o.StartProxy = h.startProxy
	}
}

// start starts a program whose standard input and output are the wire.
func (h *conformHost) start(command []string, dir string) (*conform.Peer, error) {
	p, err := h.process(command, dir, nil)
	if err != nil {
		return nil, err
	}
	return &conform.Peer{
		Stream: jsonrpc.Join(io.NopCloser(p.Stdout()), p.Stdin()),
		End:    func() string { return stopProcess(p) },
	}, nil
}

// process starts a program. shown, if not nil, gets what it writes to its standard
// error.
func (h *conformHost) process(command []string, dir string, shown io.Writer) (*process.Process, error) {
	env, err := h.environment(dir)
	if err != nil {
		return nil, err
	}
	var stderr []io.Writer
	if shown != nil {
		stderr = append(stderr, shown)
	}
	if h.opts.Verbose {
		stderr = append(stderr, h.err)
	}
	opts := process.Options{Args: command, Env: env, Dir: dir, StopGrace: time.Second}
	if len(stderr) > 0 {
		opts.Stderr = io.MultiWriter(stderr...)
	}
	return process.Start(opts)
}

// environment is this process's own, with a home of the check's workspace unless the
// user's is wanted: neither are sessions left in it, nor do skills in it count.
// Peers of one check share it, so that what one kept another one finds.
func (h *conformHost) environment(dir string) ([]string, error) {
	env := os.Environ()
	if h.opts.KeepHome {
		return env, nil
	}
	home := filepath.Join(filepath.Dir(dir), "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	return append(env,
		"HOME="+home, "USERPROFILE="+home,
		"XDG_STATE_HOME="+filepath.Join(home, ".state"),
		"XDG_CONFIG_HOME="+filepath.Join(home, ".config"),
		"XDG_DATA_HOME="+filepath.Join(home, ".data"),
		"XDG_CACHE_HOME="+filepath.Join(home, ".cache")), nil
}

func stopProcess(p *process.Process) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := p.Stop(ctx); err != nil {
		return "it cannot be ended"
	}
	return p.Exit().String()
}

// explain adds what a user can do about an error that an isolated home can cause.
func (h *conformHost) explain(err error) error {
	var setup *conform.SetupError
	if errors.As(err, &setup) && !h.opts.KeepHome {
		return &conform.SetupError{Reason: setup.Reason + "\nThe peer was given an empty home directory; with --keep-home it sees yours, with its logins."}
	}
	return err
}
