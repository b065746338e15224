// SPDX-License-Identifier: Apache-2.0

// Package process runs an agent as a child process whose end leaves nothing
// behind (PXY-6).
//
// The agent leads a group of its own processes: its process group on Unix, a job
// object on Windows. Whatever way it ends, what is left of the group is killed,
// so that tools and helpers that it started do not outlive it. On Unix a helper
// that made itself the leader of another session or group is out of reach; it
// cannot keep this package waiting, though: after the agent's end nobody waits
// for a pipe that such a helper holds open.
//
// Standard input and output are the pipes themselves. No goroutine copies in
// between.
package process

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Options say what to run. Only Args is needed.
type Options struct {
	// Args are the command and its arguments. A command without a path
	// separator is looked for in this process's PATH, a relative path from this
	// process's directory on, not from Dir on.
	Args []string
	Env  []string // "NAME=value"; nil is the environment of this process
	Dir  string   // working directory; empty is that of this process
	// Stderr gets what the agent writes to its standard error, unchanged. It
	// may be nil. When it blocks, so does the agent; when it fails, the rest
	// is dropped.
	Stderr io.Writer
	// TailBytes is how much of the end of standard error is kept for [Exit],
	// 4096 bytes by default.
	TailBytes int
	// StopGrace is how long Stop waits between asking and killing, 2 s by
	// default. Negative kills at once.
	StopGrace time.Duration
}

const (
	defaultTail  = 4096
	defaultGrace = 2 * time.Second

	// After the agent's end a pipe has what it wrote, which can be read at
	// once. Who is silent for so long is a helper that only holds it open.
	drainSilence = 250 * time.Millisecond
	// More than this much was not in the pipe: it is a helper that goes on
	// writing. 1 MiB is the most that Linux lets a user's pipe have.
	drainMax = 1 << 20
)

// A Process is a running agent, or one that has ended. Its methods may be called
// by several goroutines.
type Process struct {
	cmd    *exec.Cmd
	group  group
	stdin  *os.File
	stdout *output
	tail   *tail
	grace  time.Duration

	ended chan struct{} // the agent has ended and its group was killed
	done  chan struct{}
	exit  Exit // set before done is closed

	stop sync.Once
}

// Start starts an agent. An error is a *[StartError] and says what to do. The
// caller must see to its end with Stop, unless Done says that it has come.
func Start(opts Options) (*Process, error) {
	cmd, err := command(opts)
	if err != nil {
		return nil, err
	}
	var files pipes
	defer files.closeChildEnds()
	stdinR, stdin := files.pipe()
	stdout, stdoutW := files.pipe()
	stderr, stderrW := files.pipe()
	if files.err != nil {
		files.closeAll()
		return nil, startError(opts, files.err)
	}
	files.child = []*os.File{stdinR, stdoutW, stderrW}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdinR, stdoutW, stderrW

	p := &Process{
		cmd:   cmd,
		stdin: stdin,
		tail:  newTail(opts.TailBytes),
		grace: opts.StopGrace,
		ended: make(chan struct{}),
		done:  make(chan struct{}),
	}
	if p.grace == 0 {
		p.grace = defaultGrace
	}
	p.stdout = &output{file: stdout, ended: p.ended}
	if err := p.group.start(cmd); err != nil {
		files.closeAll()
		return nil, startError(opts, err)
	}
	copied := make(chan struct{})
	errOut := &output{file: stderr, ended: p.ended}
	go func() {
		defer close(copied)
		defer stderr.Close()
		p.tail.copy(errOut, opts.Stderr)
	}()
	go p.wait(errOut, copied)
	return p, nil
}

func command(opts Options) (*exec.Cmd, error) {
	if len(opts.Args) == 0 || opts.Args[0] == "" {
		return nil, startError(opts, errNoCommand)
	}
	name := opts.Args[0]
	if filepath.Base(name) != name {
		// exec would take it from Dir on, but whoever typed it did not.
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, startError(opts, err)
		}
		name = abs
	}
	cmd := exec.Command(name, opts.Args[1:]...)
	if cmd.Err != nil {
		return nil, startError(opts, cmd.Err)
	}
	if opts.Dir != "" {
		if err := checkDir(opts.Dir); err != nil {
			return nil, startError(opts, err)
		}
	}
	cmd.Env, cmd.Dir = opts.Env, opts.Dir
	return cmd, nil
}

// pipes makes the three pipes of a child, and closes them when it does not come
// to that.
type pipes struct {
	all, child []*os.File
	err        error
}

func (p *pipes) pipe() (r, w *os.File) {
	if p.err != nil {
		return nil, nil
	}
	r, w, p.err = os.Pipe()
	if p.err == nil {
		p.all = append(p.all, r, w)
	}
	return r, w
}

func (p *pipes) closeAll() {
	for _, f := range p.all {
		_ = f.Close()
	}
}

func (p *pipes) closeChildEnds() {
	for _, f := range p.child {
		_ = f.Close()
	}
}

// wait is the goroutine that sees to the agent's end, whoever brings it about.
func (p *Process) wait(errOut *output, copied <-chan struct{}) {
	state := p.group.wait(p.cmd, func() {
		close(p.ended)
		p.stdout.wake()
		errOut.wake()
	})
	// Writes would fail from now on, unless a helper has inherited the pipe:
	// then they would block.
	_ = p.stdin.Close()

	// The last words are in the pipe already. What can take longer is
	// Options.Stderr, whose owner may have stopped reading.
	select {
	case <-copied:
	case <-time.After(defaultGrace):
	}
	p.exit = exitOf(state, p.tail.text())
	close(p.done)
}

// Stdin is the agent's standard input. Closing it more than once is no error
// that matters. After the agent's end, writes fail.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout is the agent's standard output, for one reader at a time. It ends when
// all who hold the pipe have closed it. After the agent's end it has what was
// left in the pipe and then ends, even if a helper keeps it open. It should be
// read to its end, also when the agent is stopped.
func (p *Process) Stdout() io.Reader { return p.stdout }

// Done is closed when the agent has ended and what was left of its group has
// been killed. An agent that closes its standard output but lives on is not
// done; whoever reads the end of Stdout and cannot go on calls Stop.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit waits for Done and says how the agent ended.
func (p *Process) Exit() Exit {
	<-p.done
	return p.exit
}

// Stop ends the agent and waits for Done. It closes standard input, which tells
// an agent that its client has left, and asks it to terminate; after StopGrace,
// or when ctx ends, it kills it and its group. The error is that of ctx, and
// then the agent has been killed nevertheless, but Stop has not waited for its
// end. Calling it again, or when the agent has ended, does no harm.
//
// On Windows there is no signal that asks: closing standard input and a
// CTRL_BREAK event, which reaches a console program only, have to do.
func (p *Process) Stop(ctx context.Context) error {
	p.stop.Do(func() {
		_ = p.stdin.Close()
		if p.grace > 0 {
			p.group.terminate()
		}
	})
	if p.grace > 0 {
		timer := time.NewTimer(p.grace)
		defer timer.Stop()
		select {
		case <-p.done:
			return nil
		case <-p.ended: // the rest is being seen to
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	p.group.kill()
	select {
	case <-p.done:
		return nil
	default:
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var errNoCommand = errors.New("no command")
