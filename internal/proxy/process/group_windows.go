// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job object with the agent and all that it starts. The job kills
// its members when its last handle is closed, so they go even when this process
// is killed. The agent joins the job right after its start; a helper that it has
// by then is not a member. Where a job is not to be had, the agent alone is
// killed.
type group struct {
	mu   sync.Mutex
	cmd  *exec.Cmd
	job  windows.Handle // 0 when there is none
	over bool           // the agent has ended: its id may be somebody else's
}

func (g *group) start(cmd *exec.Cmd) error {
	// A console's Ctrl-C goes to all of a console's processes in group 0; it is
	// for this process to decide what becomes of the agent.
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.cmd = cmd
	if job, err := newJob(); err == nil {
		if err := assign(job, cmd.Process); err == nil {
			g.job = job
		} else {
			_ = windows.CloseHandle(job)
		}
	}
	return nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return 0, errors.Join(err, windows.CloseHandle(job))
	}
	return job, nil
}

func assign(job windows.Handle, p *os.Process) error {
	var err error
	herr := p.WithHandle(func(h uintptr) { err = windows.AssignProcessToJobObject(job, windows.Handle(h)) })
	return errors.Join(herr, err)
}

// wait waits for the agent, kills what is left of its job and calls ended.
func (g *group) wait(cmd *exec.Cmd, ended func()) *os.ProcessState {
	_ = cmd.Wait() // how it ended is in the state
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
	g.over = true
	ended()
	return cmd.ProcessState
}

// terminate asks with CTRL_BREAK, which only reaches an agent that shares our
// console.
func (g *group) terminate() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return
	}
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.cmd.Process.Pid))
}

func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		return
	}
	_ = g.cmd.Process.Kill() // an error when it has ended already
}

func exitOf(state *os.ProcessState, stderr string) Exit {
	return Exit{Code: state.ExitCode(), StderrTail: stderr}
}

func isFormatError(err error) bool { return errors.Is(err, windows.ERROR_BAD_EXE_FORMAT) }
