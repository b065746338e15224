// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"unicode/utf8"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/client"
	"github.com/skillgraft/skillgraft/skill"
)

// Exit statuses of prompt, by the agent's stop reason.
const (
	exitRefusal     = 3
	exitMaxTokens   = 4
	exitMaxRequests = 5
	exitOtherReason = 6
	exitAuth        = 7
	exitCancelled   = 130
)

// PromptOptions are the choices of the prompt command.
type PromptOptions struct {
	Choices
	BuiltIn
	Place
	Skills      []string
	Text        string
	FromInput   bool // the text comes from standard input
	Literal     bool
	JSON        bool
	Allow, Deny bool
	Login       string
	Agent       []string // empty: the built-in one
}

// maxInput bounds what is read from standard input: more is no prompt, and the
// line limit of the protocol (PXY-7) is not far.
const maxInput = 16 << 20

// Prompt says one prompt to an agent and shows what it answers.
func Prompt(ctx context.Context, o PromptOptions, std Streams) error {
	if o.Allow && o.Deny {
		return Usagef("--allow and --deny exclude each other")
	}
	place, err := o.Place.Resolve()
	if err != nil {
		return err
	}
	o.Place = place
	if o.FromInput {
		if o.Text, err = readInput(std.In); err != nil {
			return err
		}
	}
	blocks, err := client.Parse(o.Text, o.Skills, o.Literal)
	if err != nil {
		return Usagef("%w", err)
	}
	clean := IsTerminal(std.Out)
	ctx, interrupt, stop := UntilSecondInterrupt(ctx)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	std.Out = &output{w: std.Out, broken: func() { cancel(&SignalError{Signal: syscall.SIGPIPE}) }}

	printer := client.NewPrinter(client.PrinterOptions{Out: std.Out, Err: std.Err, Clean: clean})
	defer printer.End()
	show := client.Show(printer.Update)
	if o.JSON {
		show = lines(std.Out)
	}
	outcome, err := o.converse(ctx, interrupt, blocks, printer, client.Options{
		Cwd: o.Cwd, Add: o.Add, Login: o.Login,
		Show: show, Ask: o.ask(std, printer),
		Problem: func(err error) { printer.Note("the agent sent something that was left out: %v", err) },
	}, std.Err)
	if err == nil {
		// The turn may have ended before anybody noticed that the reader has.
		var gone *SignalError
		if errors.As(context.Cause(ctx), &gone) && gone.Signal == syscall.SIGPIPE {
			err = gone
		}
	}
	if err != nil {
		return promptError(err)
	}
	return stopError(outcome)
}

// converse starts the agent, says the prompt, and ends the agent.
func (o *PromptOptions) converse(ctx context.Context, interrupt <-chan struct{}, blocks []acp.ContentBlock, printer *client.Printer, opts client.Options, errw io.Writer) (client.Outcome, error) {
	log, _, err := OpenLog(errw, "")
	if err != nil {
		return client.Outcome{}, err
	}
	link, err := Start(ctx, o.Choices, o.BuiltIn, o.Agent, errw, log)
	if err != nil {
		return client.Outcome{}, err
	}
	setup, ready := untilInterrupt(ctx, interrupt)
	done := Progress(errw, "starting the agent")
	session, closeAll, err := link.Connect(setup, opts)
	defer closeAll()
	if err == nil {
		err = session.Open(setup)
	}
	done()
	ready()
	if err != nil {
		return client.Outcome{}, err
	}
	if names := client.Names(blocks); len(names) > 0 {
		session.Settle(ctx, 0, names...)
	}
	return session.Prompt(ctx, blocks, tell(ctx, interrupt, printer))
}

// untilInterrupt is a context that ends with an interrupt: before a prompt is
// sent there is nothing to cancel. ready gives interrupts back.
func untilInterrupt(ctx context.Context, interrupt <-chan struct{}) (setup context.Context, ready func()) {
	setup, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-interrupt:
			cancel(Silent(exitCancelled))
		case <-setup.Done():
		}
	}()
	return setup, func() { cancel(nil); <-done }
}

// An output tells when nobody reads it any more.
type output struct {
	w      io.Writer
	broken func()
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		o.broken()
	}
	return n, err
}

func readInput(in io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("standard input cannot be read: %w", err)
	case len(data) > maxInput:
		return "", fmt.Errorf("standard input is longer than %d MiB, which is no prompt: put it into a file and name that", maxInput>>20)
	}
	for at := 0; at < len(data); {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n <= 1 {
			return "", fmt.Errorf("standard input is no UTF-8 from byte %d on: convert it first, such as by iconv", at)
		}
		at += n
	}
	return string(data), nil
}

// lines prints each update on a line.
func lines(w io.Writer) client.Show {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return func(u acp.SessionUpdate) {
		_ = enc.Encode(u) // output says when nobody reads
	}
}

// tell passes the interrupt on and says what it does.
func tell(ctx context.Context, interrupt <-chan struct{}, p *client.Printer) <-chan struct{} {
	out := make(chan struct{}, 1)
	go func() {
		select {
		case <-interrupt:
			p.Note("cancelling; press Ctrl-C again to end at once")
			out <- struct{}{}
		case <-ctx.Done():
		}
	}()
	return out
}

func (o *PromptOptions) ask(std Streams, p *client.Printer) client.Ask {
	if o.Allow || o.Deny {
		return client.Always(o.Allow, p.Note)
	}
	if person := Person(std.In, std.Err, o.FromInput); person != nil {
		terminal := client.NewTerminal(person, std.Err)
		return func(ctx context.Context, r *acp.RequestPermissionRequest) *acp.RequestPermissionResponse {
			p.End()
			return terminal.Ask(ctx, r)
		}
	}
	deny := client.Always(false, p.Note)
	return func(ctx context.Context, r *acp.RequestPermissionRequest) *acp.RequestPermissionResponse {
		p.Note("there is no terminal to ask at; use --allow or --deny to decide beforehand")
		return deny(ctx, r)
	}
}

// stopError is the exit status for how the work ended, with a word about it
// where it is no good end.
func stopError(o client.Outcome) error {
	switch o.StopReason {
	case acp.StopEndTurn, "":
		return nil
	case acp.StopCancelled:
		return Silent(exitCancelled)
	case acp.StopRefusal:
		return &ExitError{exitRefusal, errors.New("the agent refused")}
	case acp.StopMaxTokens:
		return &ExitError{exitMaxTokens, errors.New("the answer was cut: the agent's limit of tokens is reached")}
	case acp.StopMaxTurnRequests:
		return &ExitError{exitMaxRequests, errors.New("the work was cut: the agent's limit of model requests is reached")}
	case acp.StopError:
		if o.Error != nil {
			return fmt.Errorf("the agent ended its work with an error: %s", skill.Sanitize(o.Error.Message))
		}
		return errors.New("the agent ended its work with an error")
	}
	return &ExitError{exitOtherReason, fmt.Errorf("the agent stopped for a reason that is not known here: %s", skill.Sanitize(o.StopReason))}
}

// promptError gives the errors of prompt their exit status. The agent's own one
// would be taken for a stop reason.
func promptError(err error) error {
	var auth *client.AuthError
	var exit *ExitError
	var signal *SignalError
	switch status := Status(err); {
	case errors.As(err, &exit):
		return err
	case errors.As(err, &signal):
		return Silent(status)
	case errors.As(err, &auth):
		return &ExitError{exitAuth, err}
	case status == exitNotFound || status == exitNotStartable:
		return &ExitError{status, err}
	}
	return &ExitError{ExitFailure, err}
}
