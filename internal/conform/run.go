// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Options say how to check. Only the function that starts the peer is needed.
type Options struct {
	// StartAgent starts the agent to be checked, in a directory.
	StartAgent func(dir string) (*Peer, error)
	// StartClient starts the client to be checked, in a directory. The stream is
	// where the client speaks to its agent, which is the checker.
	StartClient func(dir string) (*ClientPeer, error)
	// StartProxy starts the proxy to be checked, in a directory. The checker is
	// the client in front of it and the agent behind it.
	StartProxy func(dir string) (*ProxyPeer, error)

	// Level is what the agent has to advertise: none, skill, inline, or auto or
	// empty for whatever it does.
	Level string
	// Login is the method to log in by, if not empty.
	Login string
	// Timeout is how long the checker waits for what has to come, 10 s by default.
	Timeout time.Duration
	// Quiet is how long it listens for what must not come, 300 ms by default.
	Quiet time.Duration
	// Live is how long a change on disk may take to be seen, 5 s by default.
	Live time.Duration
	// Jobs is how many checks run at once, 4 by default.
	Jobs int
	// Dir is where workspaces are made; empty means the system's place for
	// temporary files.
	Dir string
	// Done is told of each result, in the order of the checks. It may be nil.
	Done func(Result)

	// shared is a workspace for all checks that do not change theirs; nil means
	// that each has one of its own, as peers with a memory should have.
	shared *places
	// record is given all conversations of a check, or of the first look at an
	// agent, when they are over. It may be nil.
	record func(id string, wires []*Wire)
}

func (o Options) withDefaults() Options {
	set := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	set(&o.Timeout, 10*time.Second)
	set(&o.Quiet, 300*time.Millisecond)
	set(&o.Live, 5*time.Second)
	if o.Jobs <= 0 {
		o.Jobs = 4
	}
	return o
}

// A SetupError says that the checks could not be run at all. It is no verdict.
type SetupError struct{ Reason string }

func (e *SetupError) Error() string { return e.Reason }

// Run runs checks of one kind against a peer. The error is a *[SetupError] or that
// of starting the peer or of ctx.
func Run(ctx context.Context, kind Kind, checks []Check, opts Options) (*Report, error) {
	opts = opts.withDefaults()
	report := &Report{Kind: kind}
	var p probe
	if kind == KindAgent {
		var err error
		if p, err = probeAgent(opts); err != nil {
			return nil, err
		}
		report.Peer, report.Level = p.name, p.level()
	}
	results, err := runAll(ctx, checks, opts, p)
	report.Results = results
	return report, err
}

// runAll runs the checks, some at a time, and hands the results on in order.
func runAll(ctx context.Context, checks []Check, opts Options, p probe) ([]Result, error) {
	results := make([]Result, len(checks))
	errs := make([]error, len(checks))
	ready := make([]chan struct{}, len(checks))
	for i := range ready {
		ready[i] = make(chan struct{})
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(opts.Jobs, len(checks)) {
		workers.Go(func() {
			for i := range next {
				results[i], errs[i] = runOne(checks[i], opts, p)
				close(ready[i])
			}
		})
	}
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		defer close(next)
		for i := range checks {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	done := 0
	var err error
	for ; done < len(checks) && err == nil; done++ {
		select {
		case <-ready[done]:
			if err = errs[done]; err == nil && opts.Done != nil {
				opts.Done(results[done])
			}
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	if err != nil { // let the feeder come to its end
		go func() {
			for range next {
			}
		}()
	}
	<-fed
	workers.Wait()
	return results[:done], err
}

// runOne runs a check in places of its own.
func runOne(c Check, opts Options, p probe) (r Result, err error) {
	if why := p.lacks(c.needs); why != "" {
		return Result{Check: c, Verdict: NotApplicable, Reason: why}, nil
	}
	t := &T{check: c, opts: opts, probe: p}
	if opts.shared != nil && !c.disk {
		t.places = *opts.shared
	} else {
		if t.places, err = newPlaces(opts.Dir); err != nil {
			return r, err
		}
		defer t.places.remove()
	}
	defer catchStart(&err)
	return t.do(), nil
}

// catchStart makes an error of a startFailure.
func catchStart(err *error) {
	x := recover()
	if x == nil {
		return
	}
	f, ok := x.(*startFailure)
	if !ok {
		panic(x)
	}
	*err = f.err
}

// A startFailure is thrown when a peer could be started before and cannot now.
type startFailure struct{ err error }

func (t *T) open(name string, peer *Peer, err error, answer func(*Wire, Frame)) *Wire {
	if err != nil {
		panic(&startFailure{err})
	}
	n := 1
	for _, w := range t.wires {
		if w.kind == name {
			n++
		}
	}
	kind := name
	if n > 1 {
		name = fmt.Sprintf("%s %d", name, n)
	}
	w := newWire(name, &t.seq, peer, answer)
	w.kind = kind
	t.wires = append(t.wires, w)
	return w
}

var errNoStarter = errors.New("the checker was given nothing to start")
