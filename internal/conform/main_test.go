// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// fakeEnv makes this binary one of the fakes: its kind, level and fault.
const fakeEnv = "CONFORM_FAKE"

func TestMain(m *testing.M) {
	if how := os.Getenv(fakeEnv); how != "" {
		fakeMain(strings.Split(how, " "))
		return
	}
	// These tests wait most of their time, so many can run on few processors.
	flag.Parse()
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

func fakeMain(how []string) {
	a := &fakeAgent{level: how[0], fault: how[1], disk: &fakeDisk{sessions: map[string][]fakeMessage{}}}
	a.serve(os.Stdin, os.Stdout)
}

// quick are options for peers that answer at once. What is waited for comes long
// before the time is over, unless a fault keeps it back.
func quick() Options {
	return Options{Timeout: slow * 2 * time.Second, Quiet: slow * 50 * time.Millisecond, Live: slow * time.Second, Jobs: 24}
}

// inProcess is a peer that runs in a goroutine. It ends with its input.
func inProcess(serve func(in io.Reader, out io.Writer)) *Peer {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var done sync.WaitGroup
	done.Go(func() {
		serve(inR, outW)
		_ = outW.Close()
		_ = inR.Close()
	})
	return &Peer{Stream: jsonrpc.Join(outR, inW), End: func() string { done.Wait(); return "" }}
}

// separate is a peer that is a process of its own.
func separate(t *testing.T, how string) func(string) (*Peer, error) {
	return func(dir string) (*Peer, error) {
		cmd := exec.Command(os.Args[0])
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), fakeEnv+"="+how, "GORACE=atexit_sleep_ms=0")
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		return &Peer{Stream: jsonrpc.Join(io.NopCloser(out), in), End: func() string {
			if err := cmd.Wait(); err != nil {
				t.Errorf("the fake: %v", err)
			}
			return ""
		}}, nil
	}
}
