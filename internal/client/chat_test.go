// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/acp"
)

// typist gives lines when the test does.
type typist struct {
	prompts chan string // that were shown
	lines   chan string
}

func (p *typist) ReadLine(prompt string) (string, error) {
	p.prompts <- prompt
	line, ok := <-p.lines
	switch {
	case !ok:
		return "", io.EOF
	case line == "^C":
		return "", ErrInterrupted
	}
	return line, nil
}

type safeBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *safeBuilder) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func waitFor(t *testing.T, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("did not come about")
		}
	}
}

func yesOrNo() *acp.RequestPermissionRequest {
	return &acp.RequestPermissionRequest{Title: "Do it?", Options: []acp.PermissionOption{
		{OptionID: "yes", Name: "Yes", Kind: acp.AllowOnce}, {OptionID: "no", Name: "No", Kind: acp.RejectOnce},
	}}
}

// A question is answered by the line that is typed behind it: one that is read for it,
// or the one that the person was typing anyway, which is then not said to the agent.
func TestChatQuestions(t *testing.T) {
	p := &typist{prompts: make(chan string, 10), lines: make(chan string)}
	gaveUp := 0
	c := &Chat{Lines: p, Out: &safeBuilder{}, GiveUp: func() { gaveUp++ }}
	ask := func(ctx context.Context) chan string {
		out := make(chan string, 1)
		go func() { out <- c.Ask(ctx, yesOrNo()).OptionID() }()
		return out
	}
	for _, tt := range []struct{ lines, want string }{{"1", "yes"}, {"2", "no"}, {"", "no"}, {"nine 9 1", "yes"}, {"^C", "no"}} {
		got := ask(t.Context())
		for _, line := range append(strings.Fields(tt.lines), "")[:max(1, len(strings.Fields(tt.lines)))] {
			<-p.prompts
			p.lines <- line
		}
		if g := <-got; g != tt.want {
			t.Errorf("%q: got %s", tt.lines, g)
		}
	}
	if gaveUp != 1 {
		t.Errorf("given up %d times", gaveUp)
	}

	// While the person is typing.
	said := make(chan string, 1)
	go func() {
		line, err := c.read()
		if errors.Is(err, io.EOF) {
			line = "the end"
		}
		said <- line
	}()
	<-p.prompts
	got := ask(t.Context())
	waitFor(t, func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.waiting != nil })
	p.lines <- "1"
	if g := <-got; g != "yes" {
		t.Errorf("got %s", g)
	}
	<-p.prompts
	ctx, cancel := context.WithCancel(t.Context())
	got = ask(ctx)
	waitFor(t, func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.waiting != nil })
	cancel() // the agent takes the question back, and the line is said after all
	if g := <-got; g != "" {
		t.Errorf("got %s", g)
	}
	p.lines <- "hello"
	if line := <-said; line != "hello" {
		t.Errorf("said %q", line)
	}
}
