// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/internal/proxy/process"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// Options set up [Run].
type Options struct {
	In  io.Reader // from the client
	Out io.Writer // to the client

	Agent []string  // the agent's command line
	Dir   string    // where it starts; empty means here
	Env   []string  // its environment; nil means ours
	Err   io.Writer // gets a copy of its stderr

	Graft graft.Options // what it calls, and Command, are set by Run
	Log   *slog.Logger

	// Grace is how long the agent may take to end after its input was closed,
	// and again after it was told to; 0 means two seconds.
	Grace time.Duration
}

const defaultGrace = 2 * time.Second

// An AgentError says that the agent ended while the client was still there.
type AgentError struct{ Exit process.Exit }

func (e *AgentError) Error() string { return "the agent ended: " + e.Exit.String() }

// Run starts the agent and stands between it and the client until one of them
// leaves or ctx is done. When the client leaves, the agent is stopped with all
// that it started; when the agent ends, each open request of the client gets an
// error that says how (PXY-6), and Run returns an *[AgentError]. A command that
// cannot be started is a *[process.StartError].
func Run(ctx context.Context, opts Options) error {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Grace <= 0 {
		opts.Grace = defaultGrace
	}
	agent, err := process.Start(process.Options{Args: opts.Agent, Dir: opts.Dir, Env: opts.Env, Stderr: opts.Err, StopGrace: opts.Grace})
	if err != nil {
		return err
	}
	g := opts.Graft
	g.Command = opts.Agent
	r := newRelay(ends{
		fromClient: jsonrpc.NewReader(opts.In, nil), toClient: jsonrpc.NewWriter(opts.Out, nil),
		fromAgent: jsonrpc.NewReader(agent.Stdout(), nil), toAgent: jsonrpc.NewWriter(agent.Stdin(), nil),
	}, g, opts.Log)
	return r.run(ctx, agent, opts)
}

// run waits for the first of the two sides to leave, and ends the other one.
//
// The client's side cannot be interrupted: a read of standard input ends when
// there is something to read. That goroutine may outlive run, and touches
// nothing but its reader and the queues, which are closed by then.
func (r *relay) run(ctx context.Context, agent *process.Process, opts Options) error {
	clientLeft := make(chan error, 2)
	agentLeft := make(chan error, 1)
	go func() { clientLeft <- r.clientLoop() }()
	go func() { agentLeft <- r.agentLoop() }()
	ended := make(chan struct{})
	defer close(ended)
	if in, ok := opts.In.(*os.File); ok {
		go r.watchClient(in, opts.Grace, ended, clientLeft)
	}

	var result error
	select {
	case <-ctx.Done():
		result = context.Cause(ctx)
		stop(agent, opts.Grace)
		within(opts.Grace, func() { <-agentLeft })
		r.failOpen(agent, opts.Grace)
	case err := <-clientLeft:
		result = err
		if err != nil && isAgentGone(agent) {
			result = r.agentEnded(agent, agentLeft, opts)
			break
		}
		r.clientEnded(agent, agentLeft, opts)
	case err := <-agentLeft:
		if err != nil { // the client cannot be written to any more
			stop(agent, opts.Grace)
			result = fmt.Errorf("writing to the client: %w", err)
			break
		}
		agentLeft <- nil
		result = r.agentEnded(agent, agentLeft, opts)
	}
	r.chain.close()
	_ = r.toAgent.Close() // the agent is gone
	closed := make(chan error, 1)
	within(opts.Grace, func() { closed <- r.toClient.Close() })
	select {
	case err := <-closed:
		if err != nil && result == nil {
			result = fmt.Errorf("writing to the client: %w", err)
		}
	default:
	}
	return result
}

// within runs f and waits for it, but no longer than the grace: a client that
// neither reads nor leaves must not keep us here once there is nothing to do.
func within(grace time.Duration, f func()) {
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(grace):
	}
}

// isAgentGone tells a broken pipe to an agent that has ended from other errors
// of the client's loop.
func isAgentGone(agent *process.Process) bool {
	select {
	case <-agent.Done():
		return true
	case <-time.After(100 * time.Millisecond):
		return false
	}
}

// clientEnded lets the agent finish what it was asked, as long as the grace
// lasts, and stops it.
func (r *relay) clientEnded(agent *process.Process, agentLeft <-chan error, opts Options) {
	r.whileNegotiating(agent, opts.Grace)
	within(opts.Grace, func() { _ = r.toAgent.Flush() })
	_ = agent.Stdin().Close()
	select {
	case <-agent.Done():
	case <-time.After(opts.Grace):
	}
	stop(agent, opts.Grace)
	within(opts.Grace, func() { <-agentLeft })
	r.failOpen(agent, opts.Grace)
}

// whileNegotiating waits until what the client sent before it left has its way to
// the agent: before initialize is answered nobody knows in which version.
func (r *relay) whileNegotiating(agent *process.Process, grace time.Duration) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(grace); r.chain.negotiating(); {
		select {
		case <-tick.C:
		case <-agent.Done():
			return
		case <-end:
			return
		}
	}
}

// agentEnded tells the client what became of its requests.
func (r *relay) agentEnded(agent *process.Process, agentLeft <-chan error, opts Options) error {
	// An agent that has closed its output and lives on is of no use.
	select {
	case <-agent.Done():
	case <-time.After(opts.Grace):
	}
	stop(agent, opts.Grace)
	within(opts.Grace, func() { <-agentLeft })
	r.failOpen(agent, opts.Grace)
	return &AgentError{Exit: agent.Exit()}
}

// failOpen answers what the agent no longer can. What it has still answered
// comes first, though it may wait for the disk.
func (r *relay) failOpen(agent *process.Process, grace time.Duration) {
	within(grace, r.chain.wait)
	exit := agent.Exit()
	data := append([]byte(`{"exit":`), rawjson.Quote(exit.String())...)
	data = append(append(data, `,"stderr":`...), rawjson.Quote(exit.StderrTail)...)
	e := &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "the agent ended before it answered: " + exit.String(), Data: append(data, '}')}
	for _, id := range r.calls.drain() {
		r.toClient.Enqueue(jsonrpc.EncodeError(id, e))
	}
	switch err := r.toClient.Flush(); {
	case err == nil || errors.Is(err, jsonrpc.ErrWriterClosed):
	case errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE):
		r.log.Debug("the client left before it was told that the agent ended", "error", err)
	default:
		r.log.Warn("the client could not be told that the agent ended", "error", err)
	}
}

// watchClient notices that the client has left while its loop waits for an agent
// that does not read: the loop cannot see the end of what it does not get to.
// The client counts as gone when its side was closed and the agent took nothing
// for the grace.
func (r *relay) watchClient(in *os.File, grace time.Duration, ended <-chan struct{}, left chan<- error) {
	tick := time.NewTicker(grace)
	defer tick.Stop()
	last := int64(-1)
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		now := r.toAgent.Written()
		if !hungUp(in) {
			last = -1
			continue
		}
		if now == last {
			left <- nil
			return
		}
		last = now
	}
}

func stop(agent *process.Process, grace time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*grace)
	defer cancel()
	_ = agent.Stop(ctx) // its end is reported by Exit
}
