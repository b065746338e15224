// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A group is a process group that the agent leads. Its number is the agent's
// process id, which the system may give to others once the agent has been
// reaped, so no signal is sent from then on.
type group struct {
	mu     sync.Mutex
	pgid   int
	reaped bool
}

func (g *group) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.pgid = cmd.Process.Pid
	return nil
}

// wait waits for the agent, kills what is left of its group, reaps the agent and
// calls ended.
func (g *group) wait(cmd *exec.Cmd, ended func()) *os.ProcessState {
	if !waitEnded(cmd.Process.Pid) {
		_ = cmd.Wait()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = unix.Kill(-g.pgid, unix.SIGKILL)
	_ = cmd.Wait() // how it ended is in the state; a second Wait does nothing
	g.reaped = true
	ended()
	return cmd.ProcessState
}

func (g *group) terminate() { g.signal(unix.SIGTERM) }
func (g *group) kill()      { g.signal(unix.SIGKILL) }

func (g *group) signal(sig unix.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.reaped {
		_ = unix.Kill(-g.pgid, sig) // ESRCH: it is gone, as wanted
	}
}

func exitOf(state *os.ProcessState, stderr string) Exit {
	e := Exit{Code: state.ExitCode(), StderrTail: stderr}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = unix.SignalName(ws.Signal())
		if e.Signal == "" {
			e.Signal = ws.Signal().String()
		}
	}
	return e
}

func isFormatError(err error) bool { return errors.Is(err, unix.ENOEXEC) }
