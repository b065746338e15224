// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/acp"
)

func question(kinds ...string) *acp.RequestPermissionRequest {
	r := &acp.RequestPermissionRequest{Title: "Run\x1b[2J?", Subject: &acp.CommandSubject{Command: "rm\n-rf"}}
	for _, kind := range kinds {
		r.Options = append(r.Options, acp.PermissionOption{OptionID: "id-" + kind, Name: kind, Kind: kind})
	}
	return r
}

func TestAlwaysTakesTheNarrowestOption(t *testing.T) {
	for _, tc := range []struct {
		allow   bool
		options []string
		want    string
	}{
		{true, []string{"reject_once", "allow_always", "allow_once"}, "id-allow_once"},
		{true, []string{"allow_always", "reject_once"}, "id-allow_always"},
		{true, []string{"reject_once", "_shrug"}, ""},
		{false, []string{"allow_once", "reject_always", "reject_once"}, "id-reject_once"},
		{false, []string{"allow_once", "reject_always"}, "id-reject_always"},
		{false, []string{"allow_once"}, ""},
		{false, nil, ""},
	} {
		var said string
		resp := Always(tc.allow, func(format string, _ ...any) { said += format })(context.Background(), question(tc.options...))
		if resp.OptionID() != tc.want || (resp.Outcome.OutcomeKind() == "cancelled") != (tc.want == "") {
			t.Errorf("allow %v of %q: %+v", tc.allow, tc.options, resp.Outcome)
		}
		if said == "" {
			t.Errorf("allow %v of %q: nothing was said", tc.allow, tc.options)
		}
	}
}

func TestTerminal(t *testing.T) {
	for _, tc := range []struct{ name, typed, want string }{
		{"a number", "2\n", "id-allow_once"},
		{"again after nonsense", "9\nyes\n 2 \n", "id-allow_once"},
		{"nothing means no", "\n", "id-reject_once"},
		{"the end means no", "", "id-reject_once"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out strings.Builder
			term := NewTerminal(strings.NewReader(tc.typed), &out)
			resp := term.Ask(context.Background(), question("reject_once", "allow_once"))
			if resp.OptionID() != tc.want {
				t.Errorf("got %+v", resp.Outcome)
			}
			if s := out.String(); strings.Contains(s, "\x1b") || !strings.Contains(s, "Run[2J? $ rm -rf\n") {
				t.Errorf("shown: %q", s)
			}
		})
	}
}

func TestTerminalQuestionTakenBack(t *testing.T) {
	in, typist := io.Pipe()
	defer typist.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	resp := NewTerminal(in, io.Discard).Ask(ctx, question("allow_once"))
	if resp.Outcome.OutcomeKind() != "cancelled" {
		t.Errorf("got %+v", resp.Outcome)
	}
}
