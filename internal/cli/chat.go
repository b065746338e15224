// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/term"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/client"
	"github.com/skillgraft/skillgraft/skill"
)

// ChatOptions are the choices of the chat command.
type ChatOptions struct {
	Choices
	BuiltIn
	Place
	Login string
	Agent []string // empty: the built-in one
}

// Chat lets a person talk to an agent.
func Chat(ctx context.Context, o ChatOptions, std Streams) error {
	place, err := o.Place.Resolve()
	if err != nil {
		return err
	}
	log, _, err := OpenLog(std.Err, "")
	if err != nil {
		return err
	}
	lines, restore := newLines(std)
	defer restore()
	ctx, stop := untilTermination(ctx)
	defer stop()
	printer := client.NewPrinter(client.PrinterOptions{Out: std.Out, Err: std.Err, Clean: IsTerminal(std.Out)})
	link, err := Start(ctx, o.Choices, o.BuiltIn, o.Agent, std.Err, log)
	if err != nil {
		return err
	}
	interrupts := newInterrupts()
	defer interrupts.close()
	chat := &client.Chat{Lines: lines, Printer: printer, Out: std.Err, Interrupts: interrupts.turn, GiveUp: interrupts.send}
	done := Progress(std.Err, "starting the agent")
	session, closeAll, err := link.Connect(ctx, client.Options{
		Cwd: place.Cwd, Add: place.Add, Login: o.Login, Show: printer.Update, Ask: chat.Ask,
		Problem: func(err error) { printer.Note("the agent sent something that was left out: %v", err) },
	})
	defer closeAll()
	if err == nil {
		err = session.Open(ctx)
	}
	done()
	if err != nil {
		return promptError(err)
	}
	fmt.Fprintf(std.Err, "%s. /help says what can be typed.\n", agentName(session))
	chat.Session = session
	if err := chat.Run(ctx); err != nil {
		return promptError(err)
	}
	return nil
}

func agentName(s *client.Session) string {
	info := s.Agent().Info
	name := info.Name
	if info.Title != "" {
		name = info.Title
	}
	for _, o := range s.Options() {
		if o, ok := o.(*acp.SelectOption); ok && o.Category == acp.CategoryModel {
			name += ", model " + o.CurrentValue
		}
	}
	return skill.Sanitize(name)
}

// untilTermination is a context that ends when the program is asked to end, but not by an
// interrupt: that is for the agent's work.
func untilTermination(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGHUP)
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
		cancel(nil)
		<-done
	}
}

// interrupts are Ctrl-C, as a signal or as an answer to a question.
type interrupts struct {
	signals chan os.Signal
	typed   chan struct{}
}

func newInterrupts() *interrupts {
	i := &interrupts{signals: make(chan os.Signal, 1), typed: make(chan struct{}, 1)}
	signal.Notify(i.signals, os.Interrupt)
	return i
}

func (i *interrupts) close() { signal.Stop(i.signals) }

func (i *interrupts) send() {
	select {
	case i.typed <- struct{}{}:
	default:
	}
}

// turn gives those of one turn. What came before it means nothing.
func (i *interrupts) turn(ctx context.Context) (<-chan struct{}, func()) {
	select {
	case <-i.typed:
	default:
	}
	select {
	case <-i.signals:
	default:
	}
	out, stop, done := make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-i.signals:
		case <-i.typed:
		case <-stop:
			return
		case <-ctx.Done():
			return
		}
		out <- struct{}{}
	}()
	return out, func() { close(stop); <-done }
}

// newLines reads lines from a terminal by an editor, and from anything else as they are.
// restore brings the terminal back.
func newLines(std Streams) (lines client.LineReader, restore func()) {
	in, ok := std.In.(*os.File)
	if !ok || !IsTerminal(in) || !IsTerminal(std.Err) {
		return &plainLines{in: bufio.NewReader(std.In)}, func() {}
	}
	e := &editor{fd: int(in.Fd()), in: in, out: std.Err}
	e.begin()
	return e, e.cooked
}

type plainLines struct {
	mu sync.Mutex
	in *bufio.Reader
}

func (p *plainLines) ReadLine(string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	line, err := p.in.ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

// editor edits lines on a terminal, which is raw only meanwhile: while the agent works,
// Ctrl-C is a signal.
type editor struct {
	fd   int
	in   io.Reader
	out  io.Writer
	term *term.Terminal
	last byte // that was read

	mu    sync.Mutex // of reading
	state sync.Mutex
	saved *term.State
}

func (e *editor) ReadLine(prompt string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if width, height, err := term.GetSize(e.fd); err == nil && width > 0 && height > 0 {
		_ = e.term.SetSize(width, height) // what does not fit is a matter of looks
	}
	saved, err := term.MakeRaw(e.fd)
	if err != nil {
		return "", fmt.Errorf("the terminal cannot be used: %w", err)
	}
	e.state.Lock()
	e.saved = saved
	e.state.Unlock()
	defer e.cooked()
	e.term.SetPrompt(prompt)
	line, err := e.term.ReadLine()
	switch {
	case errors.Is(err, term.ErrPasteIndicator):
		err = nil
	case errors.Is(err, io.EOF) && e.last == ctrlC:
		// The terminal's word for it is the end, too, and it would say it again and again.
		err = client.ErrInterrupted
		e.begin()
		fmt.Fprint(e.out, "\r\n")
	}
	return line, err
}

const ctrlC = 3

// begin begins with an empty line, and with what was typed before to go back to.
func (e *editor) begin() {
	before := e.term
	e.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{e.read(), e.out}, "")
	if before != nil {
		e.term.History = before.History
	}
}

// read notes what was typed last.
func (e *editor) read() io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := e.in.Read(p)
		if n > 0 {
			e.last = p[n-1]
		}
		return n, err
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// cooked brings the terminal back.
func (e *editor) cooked() {
	e.state.Lock()
	defer e.state.Unlock()
	if e.saved != nil {
		_ = term.Restore(e.fd, e.saved)
		e.saved = nil
	}
}
