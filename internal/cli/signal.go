// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// A SignalError says which signal ended the command.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return "ended by signal: " + e.Signal.String() }

func (e *SignalError) status() int {
	if n, ok := e.Signal.(syscall.Signal); ok {
		return exitSignal + int(n)
	}
	return ExitFailure
}

// UntilSignal is a context that ends with a *[SignalError] as its cause when the
// program is asked to end. stop gives the signals back.
//
// SIGPIPE is taken as well, and dropped: by default it would end us at once when
// the client has closed our output, and leave the agent's helpers behind. It is
// not ignored, because the agent would inherit that.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	end := make(chan os.Signal, 1)
	pipe := make(chan os.Signal, 1) // when full, further ones are dropped
	signal.Notify(end, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(pipe, syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case s := <-end:
			cancel(&SignalError{Signal: s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(end)
		signal.Stop(pipe)
		cancel(nil)
		<-done
	}
}

// UntilSecondInterrupt is [UntilSignal] for a command whose work can be
// cancelled: the first interrupt (Ctrl-C) comes out of first, and the next one
// ends ctx.
func UntilSecondInterrupt(parent context.Context) (ctx context.Context, first <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	pipe := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(pipe, syscall.SIGPIPE)
	interrupted := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		again := false
		for {
			select {
			case s := <-signals:
				if s == os.Interrupt && !again {
					again = true
					interrupted <- struct{}{}
					continue
				}
				cancel(&SignalError{Signal: s})
			case <-ctx.Done():
			}
			return
		}
	}()
	return ctx, interrupted, func() {
		signal.Stop(signals)
		signal.Stop(pipe)
		cancel(nil)
		<-done
	}
}
