// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/skillgraft/skillgraft/internal/buildinfo"
	"github.com/skillgraft/skillgraft/internal/client"
	"github.com/skillgraft/skillgraft/internal/proxy"
	"github.com/skillgraft/skillgraft/internal/proxy/process"
)

// A Link leads to an agent that was started. The client writes to it and reads
// from it. Closing it is the client's leaving, by which the agent ends.
type Link struct {
	io.ReadWriteCloser
	done chan struct{}
	err  error // of the proxy; set before done is closed
}

// Start starts an agent behind the proxy, in this process. Without a command it
// is the built-in one. What the agent writes to its standard error goes to errw
// if the choices say so. The link has to be closed; when ctx ends, the agent ends.
func Start(ctx context.Context, c Choices, b BuiltIn, agent []string, errw io.Writer, log *slog.Logger) (*Link, error) {
	if len(agent) == 0 {
		return builtin(ctx, c, b, log)
	}
	if b.Used() {
		return nil, Usagef("--model, --mode, --context and --allow-unsandboxed-scripts are for the built-in agent, and %q is another one: leave them out", agent[0])
	}
	stage, release, err := c.Graft(ctx, agent, log)
	if err != nil {
		return nil, err
	}
	if !c.Verbose {
		errw = nil
	}
	in, toProxy := io.Pipe()
	fromProxy, out := io.Pipe()
	l := &Link{ReadWriteCloser: &pipes{fromProxy, toProxy}, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer release()
		l.err = proxy.Run(ctx, proxy.Options{In: in, Out: out, Err: errw, Agent: agent, Graft: stage, Log: log})
		_ = in.Close()
		_ = out.Close()
	}()
	return l, nil
}

type pipes struct {
	*io.PipeReader
	to *io.PipeWriter
}

func (p *pipes) Write(b []byte) (int, error) { return p.to.Write(b) }

func (p *pipes) Close() error {
	_ = p.to.Close()
	return p.PipeReader.Close()
}

// Wait waits for the agent's end. The error is not nil when the agent could not
// be started or ended by itself, and nil when the client left.
func (l *Link) Wait() error {
	<-l.done
	var agent *proxy.AgentError
	var start *process.StartError
	if errors.As(l.err, &start) || errors.As(l.err, &agent) {
		return l.err
	}
	return nil
}

// Connect connects a client over the link. The session is not open yet. close
// ends it, the link and the agent, and waits for that: nothing may be left when
// the program ends (PXY-6). It is called also after an error.
func (l *Link) Connect(ctx context.Context, opts client.Options) (session *client.Session, closeAll func(), err error) {
	opts.Stream, opts.Ended, opts.Version = l, l.Wait, buildinfo.Read().Version
	session, err = client.Connect(ctx, opts)
	return session, func() {
		if session != nil {
			session.Close()
		}
		_ = l.Close()
		_ = l.Wait()
	}, err
}
