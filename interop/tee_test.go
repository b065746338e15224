// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// The test binary doubles as a tee that stands between skillgraft and an agent
// and records every line, so that tests see both sides of skillgraft.
//
// The environment INTEROP_TEE names the record; the arguments are the agent. The
// client's notification with the method in injectMethod makes it say injected.

const injectMethod = "_interop/inject"

func TestMain(m *testing.M) {
	if record := os.Getenv("INTEROP_TEE"); record != "" {
		os.Exit(tee(record, os.Args[1:]))
	}
	if os.Getenv("INTEROP_PEER") != "" {
		os.Exit(servePeer())
	}
	os.Exit(m.Run())
}

func tee(record string, argv []string) int {
	out, err := os.OpenFile(record, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tee:", err)
		return 1
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tee:", err)
		return 1
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tee:", err)
		return 1
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "tee:", err)
		return 1
	}
	var mu sync.Mutex // keeps a line and its record together
	say := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprint(out, "< ", line)
		fmt.Print(line)
	}
	go func() {
		defer stdin.Close()
		lines(os.Stdin, func(line string) {
			mu.Lock()
			fmt.Fprint(out, "> ", line)
			mu.Unlock()
			if strings.Contains(line, injectMethod) {
				for _, extra := range injected {
					say(extra + "\n")
				}
			}
			_, _ = io.WriteString(stdin, line) // an agent that is gone ends the tee below
		})
	}()
	lines(stdout, say)
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// lines calls f with every line of r, its end included.
func lines(r io.Reader, f func(string)) {
	br := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := br.ReadString('\n')
		if line != "" {
			f(line)
		}
		if err != nil {
			return
		}
	}
}

// teed reads the record so far.
func (r *rig) teed() []frame {
	r.t.Helper()
	data, err := os.ReadFile(r.tee)
	if err != nil {
		r.t.Fatal(err)
	}
	var frames []frame
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) < 2 {
			continue
		}
		frames = append(frames, parse(line[2:], line[0] == '<'))
	}
	return frames
}
