// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStopAsksFirst(t *testing.T) {
	p := start(t, "polite")
	out := bufio.NewReader(p.Stdout())
	readLine(t, out, "ready")
	async(t, "Stop", func() {
		if err := p.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if rest := readAll(t, out); rest != "bye\n" {
		t.Errorf("rest %q", rest)
	}
	if e := p.Exit(); e.Code != 7 || e.Signal != "" {
		t.Errorf("exit %+v", e)
	}
}

func TestStopKillsWhoDoesNotListen(t *testing.T) {
	for name, grace := range map[string]time.Duration{"after a while": time.Millisecond, "at once": -1} {
		t.Run(name, func(t *testing.T) {
			p := start(t, "deaf", func(o *Options) { o.StopGrace = grace })
			out := bufio.NewReader(p.Stdout())
			readLine(t, out, "ready")
			async(t, "two Stops", func() {
				other := make(chan error, 1)
				go func() { other <- p.Stop(context.Background()) }()
				if err := errors.Join(p.Stop(context.Background()), <-other); err != nil {
					t.Error(err)
				}
			})
			if e := p.Exit(); e.Code != -1 || e.Signal != "SIGKILL" || e.String() != "killed by SIGKILL" {
				t.Errorf("exit %+v: %s", e, e)
			}
		})
	}
}

func TestStopKillsWhenItsContextEnds(t *testing.T) {
	p := start(t, "deaf") // with a long grace
	out := bufio.NewReader(p.Stdout())
	readLine(t, out, "ready")
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("no time")
	cancel(why)
	async(t, "Stop", func() {
		if err := p.Stop(ctx); err != nil && !errors.Is(err, why) {
			t.Error(err)
		}
	})
	within(t, p.Done(), "the end")
	if e := p.Exit(); e.Signal != "SIGKILL" {
		t.Errorf("exit %+v", e)
	}
}

func TestStopFreesAWriteThatBlocks(t *testing.T) {
	p := start(t, "deaf", func(o *Options) { o.StopGrace = time.Millisecond })
	failed := make(chan error, 1)
	go func() {
		_, err := io.WriteString(p.Stdin(), strings.Repeat("x", 8<<20)) // nobody reads it
		failed <- err
	}()
	async(t, "Stop and the write", func() {
		if err := p.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-failed; err == nil {
			t.Error("the write succeeded")
		}
	})
}

func TestSignalIsNamed(t *testing.T) {
	p := start(t, "echo")
	if err := syscall.Kill(p.cmd.Process.Pid, syscall.SIGSEGV); err != nil {
		t.Fatal(err)
	}
	within(t, p.Done(), "the end")
	if e := p.Exit(); e.Signal == "" && e.Code == 0 {
		t.Errorf("exit %+v", e)
	}
	// The group's id must not be used any more.
	if p.group.signal(syscall.SIGKILL); !p.group.reaped {
		t.Error("the group still takes signals")
	}
}

// A helper in a session of its own is out of reach. It must not keep anybody
// waiting, though it holds all three pipes.
func TestHelperThatEscapesKeepsNobodyWaiting(t *testing.T) {
	t.Run("silent", func(t *testing.T) {
		p, helper := family(t, "parent runaway exit 5")
		if out := readAll(t, p.Stdout()); out != "parent done\n" {
			t.Errorf("output %q", out)
		}
		within(t, p.Done(), "the agent's end")
		if e := p.Exit(); e.Code != 5 || !strings.HasSuffix(e.StderrTail, "at main.js:7") {
			t.Errorf("exit %+v", e)
		}
		if _, err := p.Stdin().Write([]byte("x")); err == nil {
			t.Error("a write to an agent that has ended succeeded")
		}
		_ = helper.Close()
	})
	t.Run("that writes for ever", func(t *testing.T) {
		p, helper := family(t, "parent runaway-chatter exit 5")
		out := readAll(t, p.Stdout())
		if !strings.Contains(out, "parent done\n") {
			t.Errorf("the agent's own words are lost in %d bytes", len(out))
		}
		within(t, p.Done(), "the agent's end")
		_ = helper.Close()
	})
	t.Run("read waits before the end", func(t *testing.T) {
		p, helper := family(t, "parent runaway echo")
		out := bufio.NewReader(p.Stdout())
		readLine(t, out, "parent done")
		rest := make(chan string, 1)
		go func() { rest <- readAll(t, out) }() // waits while the agent lives
		if err := syscall.Kill(p.cmd.Process.Pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
		within(t, p.Done(), "the agent's end")
		if got := <-rest; got != "" {
			t.Errorf("rest %q", got)
		}
		_ = helper.Close()
	})
}
