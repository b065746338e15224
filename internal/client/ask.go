// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/skill"
)

// Always answers every question in one way: with an option that allows, the
// narrowest there is, or with one that rejects. A question without such an
// option is answered as cancelled. note, if not nil, is told of each answer.
func Always(allow bool, note func(format string, args ...any)) Ask {
	kinds, word := []string{acp.RejectOnce, acp.RejectAlways}, "denied"
	if allow {
		kinds, word = []string{acp.AllowOnce, acp.AllowAlways}, "allowed"
	}
	return func(_ context.Context, r *acp.RequestPermissionRequest) *acp.RequestPermissionResponse {
		for _, kind := range kinds {
			i := slices.IndexFunc(r.Options, func(o acp.PermissionOption) bool { return o.Kind == kind })
			if i < 0 {
				continue
			}
			if note != nil {
				note("%s: %s", word, describe(r))
			}
			return acp.Selected(r.Options[i].OptionID)
		}
		if note != nil {
			note("not answered, as there was no option to do so (%s): %s", word, describe(r))
		}
		return acp.Cancelled()
	}
}

// describe is what the permission is for, on one line.
func describe(r *acp.RequestPermissionRequest) string {
	s := skill.Sanitize(r.Title)
	if r.Description != "" {
		s += ": " + skill.Sanitize(r.Description)
	}
	switch subject := r.Subject.(type) {
	case *acp.CommandSubject:
		s += " $ " + skill.Sanitize(subject.Command)
	case *acp.ToolCallSubject:
		if title, ok := subject.ToolCall.Title.Get(); ok && title != r.Title {
			s += " (" + skill.Sanitize(title) + ")"
		}
	}
	return s
}

// A Terminal asks a person. One question is asked at a time.
type Terminal struct {
	out   io.Writer
	lines chan string // what the person typed, closed at the end
	asked chan struct{}
	once  sync.Once
	in    io.Reader
}

// NewTerminal makes a Terminal that reads answers from in. Reading begins with
// the first question; that goroutine ends with in, which cannot be interrupted.
func NewTerminal(in io.Reader, out io.Writer) *Terminal {
	return &Terminal{in: in, out: out, lines: make(chan string), asked: make(chan struct{}, 1)}
}

// Ask puts a question. It is an [Ask].
func (t *Terminal) Ask(ctx context.Context, r *acp.RequestPermissionRequest) *acp.RequestPermissionResponse {
	select {
	case t.asked <- struct{}{}:
		defer func() { <-t.asked }()
	case <-ctx.Done():
		return acp.Cancelled()
	}
	t.once.Do(func() { go t.read() })
	fmt.Fprintf(t.out, "\nThe agent asks: %s\n", describe(r))
	for i, o := range r.Options {
		fmt.Fprintf(t.out, "  %d  %s\n", i+1, skill.Sanitize(o.Name))
	}
	for {
		fmt.Fprintf(t.out, "1-%d, or nothing to deny: ", len(r.Options))
		select {
		case line, ok := <-t.lines:
			line = strings.TrimSpace(line)
			if !ok || line == "" {
				return Always(false, nil)(ctx, r)
			}
			if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(r.Options) {
				return acp.Selected(r.Options[n-1].OptionID)
			}
		case <-ctx.Done():
			fmt.Fprintln(t.out, "\nThe question was taken back.")
			return acp.Cancelled()
		}
	}
}

func (t *Terminal) read() {
	defer close(t.lines)
	for in := bufio.NewScanner(t.in); in.Scan(); {
		t.lines <- in.Text()
	}
}
