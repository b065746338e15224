// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
)

// An Exit is how the agent ended.
type Exit struct {
	Code   int    // exit status, -1 when a signal ended it
	Signal string // such as "SIGKILL"; empty when it exited by itself
	// StderrTail is the last lines of standard error, at most
	// [Options.TailBytes] of them, without control characters.
	StderrTail string
}

// exitLines is how many lines of standard error String shows.
const exitLines = 5

// String is one line, such as
//
//	exit status 1; stderr ends: Error: no API key | at main.js:7
func (e Exit) String() string {
	s := fmt.Sprintf("exit status %d", e.Code)
	if e.Signal != "" {
		s = "killed by " + e.Signal
	}
	if e.StderrTail == "" {
		return s
	}
	lines := strings.Split(e.StderrTail, "\n")
	return s + "; stderr ends: " + strings.Join(lines[max(0, len(lines)-exitLines):], " | ")
}

// A StartError says why an agent could not be started, and what to do about it.
type StartError struct {
	Command string // Args[0] as given
	Dir     string // Options.Dir
	Err     error  // what the system said
}

func startError(opts Options, err error) *StartError {
	e := &StartError{Dir: opts.Dir, Err: err}
	if len(opts.Args) > 0 {
		e.Command = opts.Args[0]
	}
	return e
}

func (e *StartError) Error() string {
	command, dir := skill.Sanitize(e.Command), skill.Sanitize(e.Dir)
	var dirErr *dirError
	switch {
	case errors.Is(e.Err, errNoCommand):
		return "no agent to start: name its command, as in: skillgraft run -- agent --acp"
	case errors.As(e.Err, &dirErr):
		return fmt.Sprintf("cannot start agent %q in directory %q: %v; create the directory or choose another one", command, dir, dirErr.Err)
	case errors.Is(e.Err, exec.ErrDot):
		return fmt.Sprintf("agent command %q is only in the current directory, which is not searched: write %q if you mean it", command, "."+string(filepath.Separator)+command)
	case errors.Is(e.Err, exec.ErrNotFound):
		return fmt.Sprintf("agent command %q was not found in PATH: check the spelling, install the agent, or give the full path of its program", command)
	case errors.Is(e.Err, fs.ErrNotExist) && e.fileExists():
		return fmt.Sprintf("agent command %q cannot run: the interpreter in its first line, or the loader that it needs, does not exist; install it or correct that line", command)
	case errors.Is(e.Err, fs.ErrNotExist):
		return fmt.Sprintf("agent command %q does not exist: check the path", command)
	case errors.Is(e.Err, fs.ErrPermission) && e.isDir():
		return fmt.Sprintf("agent command %q is a directory: name the program in it", command)
	case errors.Is(e.Err, fs.ErrPermission):
		return fmt.Sprintf("agent command %q is not executable: make it so (chmod +x), or put its interpreter before it, as in: node %s", command, command)
	case isFormatError(e.Err):
		return fmt.Sprintf("agent command %q is not a program of this system: a script needs a first line such as #!/usr/bin/env node, a binary must be made for this platform", command)
	}
	return fmt.Sprintf("cannot start agent %q: %s", command, skill.Sanitize(e.Err.Error()))
}

func (e *StartError) Unwrap() error { return e.Err }

// isDir tells a directory from a file that may not be run, for which the system has
// the same error.
func (e *StartError) isDir() bool {
	st, err := os.Stat(e.Command)
	return err == nil && st.IsDir()
}

// fileExists tells a missing program from a missing interpreter, for which the
// system has the same error.
func (e *StartError) fileExists() bool {
	path, err := exec.LookPath(e.Command)
	if err != nil {
		return false
	}
	_, err = os.Stat(path)
	return err == nil
}

// A dirError is what is wrong with the working directory. The system reports it
// as if it were the program's error.
type dirError struct{ Err error }

func (e *dirError) Error() string { return e.Err.Error() }
func (e *dirError) Unwrap() error { return e.Err }

func checkDir(dir string) error {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &dirError{errors.New("it does not exist")}
	case err != nil:
		return &dirError{err}
	case !st.IsDir():
		return &dirError{errors.New("it is not a directory")}
	}
	return nil
}
