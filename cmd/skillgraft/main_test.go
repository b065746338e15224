// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"skillgraft": main,
		"fake":       fakeMain,
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("USERPROFILE", home)
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
			// The race detector lets each program that it watches sleep for
			// a second at its end.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			return os.MkdirAll(home, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":       status,
			"converse":     converse,
			"model":        modelUses,
			"model-server": modelServer,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// status N COMMAND ARGS... runs a command that has to end with exit status N.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command args...")
	}
	checkStatus(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func checkStatus(ts *testscript.TestScript, want string, err error) {
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if want != strconv.Itoa(got) {
		ts.Fatalf("exit status %d, not %s", got, want)
	}
}

// converse N FILE COMMAND ARGS... is status for a client that sends the file and
// stays: standard input is held open until the command has ended by itself. Its
// standard output is written to the file "out".
func converse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: converse N file command args...")
	}
	dir := ts.MkAbs(".")
	path, err := lookPath(ts, args[2])
	ts.Check(err)
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir = dir
	for _, name := range []string{"HOME", "USERPROFILE", "XDG_STATE_HOME", "PATH", "TMPDIR", "SystemRoot", "GORACE"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	in, err := cmd.StdinPipe()
	ts.Check(err)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, ts.Stderr()
	ts.Check(cmd.Start())
	_, err = io.WriteString(in, ts.ReadFile(args[1]))
	ts.Check(err)
	err = cmd.Wait()
	ts.Check(os.WriteFile(filepath.Join(dir, "out"), []byte(out.String()), 0o644))
	checkStatus(ts, args[0], err)
}

// lookPath finds a program in the script's own PATH.
func lookPath(ts *testscript.TestScript, name string) (string, error) {
	for p := range strings.SplitSeq(ts.Getenv("PATH"), string(filepath.ListSeparator)) {
		if found, err := exec.LookPath(filepath.Join(p, name)); err == nil {
			return found, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}
