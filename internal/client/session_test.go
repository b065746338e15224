// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// agent answers the messages of a client with lines. %ID% stands for the
// message's id, %PROMPT% for the id of the last prompt.
type agent map[string][]string

// serve runs the agent until the client leaves.
func (a agent) serve(t *testing.T, opts Options) (*Session, error) {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w := jsonrpc.NewWriter(theirs, nil)
		defer w.Close()
		var prompt string
		for r := jsonrpc.NewReader(theirs, nil); ; {
			m, err := r.Next()
			if err != nil {
				return
			}
			if m.Method == "session/prompt" {
				prompt = string(m.ID)
			}
			for _, line := range a[m.Method] {
				if line == "hang up" {
					_ = w.Flush()
					_ = theirs.Close()
					return
				}
				w.Enqueue([]byte(strings.NewReplacer("%ID%", string(m.ID), "%PROMPT%", prompt).Replace(line)))
			}
			_ = w.Flush()
		}
	}()
	t.Cleanup(func() { _ = ours.Close(); _ = theirs.Close(); <-done })
	opts.Stream, opts.Cwd = ours, "/w"
	s, err := Connect(context.Background(), opts)
	if err != nil {
		return nil, err
	}
	t.Cleanup(s.Close)
	return s, s.Open(context.Background())
}

const (
	hello = `{"jsonrpc":"2.0","id":%ID%,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{"prompt":{"skill":{"inline":{}}}}}}}`
	opens = `{"jsonrpc":"2.0","id":%ID%,"result":{"sessionId":"s"}}`
	ok    = `{"jsonrpc":"2.0","id":%ID%,"result":{"messageId":"u"}}`
)

func update(u string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + u + `}}`
}

func state(s string) string { return update(`{"sessionUpdate":"state_update",` + s + `}`) }

func TestPromptEndsWithTheTurn(t *testing.T) {
	idle := state(`"state":"idle","stopReason":"end_turn"`)
	for _, tc := range []struct {
		name   string
		prompt []string
		want   string
	}{
		{"response, then the end", []string{ok, state(`"state":"running"`), idle}, "end_turn"},
		{"the end before the response", []string{state(`"state":"running"`), idle, ok}, "end_turn"},
		{"an idle session says so again first", []string{state(`"state":"idle"`), ok, state(`"state":"running"`), state(`"state":"idle","stopReason":"refusal"`)}, "refusal"},
		{"no reason given", []string{ok, state(`"state":"running"`), state(`"state":"idle"`)}, ""},
		{"waiting for the user is work", []string{ok, state(`"state":"requires_action"`), state(`"state":"idle"`)}, ""},
		{"the first end counts", []string{idle, state(`"state":"idle","stopReason":"refusal"`), ok}, "end_turn"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := agent{"initialize": {hello}, "session/new": {opens}, "session/prompt": tc.prompt, "session/close": {ok}}.serve(t, Options{})
			if err != nil {
				t.Fatal(err)
			}
			o, err := s.Prompt(context.Background(), []acp.ContentBlock{acp.TextBlock("x")}, nil)
			if err != nil || o.StopReason != tc.want {
				t.Errorf("got %+v, %v", o, err)
			}
		})
	}
}

// The agent's word is waited for, at whatever point the interrupt comes.
func TestPromptCancelled(t *testing.T) {
	idle := state(`"state":"idle","stopReason":"cancelled"`)
	refused := `{"jsonrpc":"2.0","id":%PROMPT%,"error":{"code":-32800,"message":"cancelled"}}`
	for name, a := range map[string]agent{
		"at work":         {"session/prompt": {ok}, "session/cancel": {idle}},
		"before accepted": {"$/cancel_request": {refused}},
	} {
		t.Run(name, func(t *testing.T) {
			a["initialize"], a["session/new"], a["session/close"] = []string{hello}, []string{opens}, []string{ok}
			s, err := a.serve(t, Options{})
			if err != nil {
				t.Fatal(err)
			}
			interrupt := make(chan struct{}, 1)
			interrupt <- struct{}{}
			o, err := s.Prompt(context.Background(), []acp.ContentBlock{acp.TextBlock("x")}, interrupt)
			if err != nil || o.StopReason != "cancelled" {
				t.Errorf("got %+v, %v", o, err)
			}
		})
	}
}

// What ended the agent is the reason, not the connection that broke.
func TestPromptAgentGone(t *testing.T) {
	why := errors.New("no more fuel")
	for name, prompt := range map[string][]string{
		"before the response": {"hang up"},
		"after the response":  {ok, "hang up"},
		"the proxy says so":   {`{"jsonrpc":"2.0","id":%ID%,"error":{"code":-32603,"message":"the agent ended"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			a := agent{"initialize": {hello}, "session/new": {opens}, "session/prompt": prompt}
			s, err := a.serve(t, Options{Ended: func() error { return why }})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Prompt(context.Background(), []acp.ContentBlock{acp.TextBlock("x")}, nil); err != why {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestSettleWaitsForALateList(t *testing.T) {
	late := update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"skill","name":"tea","description":"d"}]}`)
	s, err := agent{"initialize": {hello}, "session/new": {opens, late}, "session/close": {ok}}.serve(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Settle(context.Background(), time.Hour, "tea") // returns before: the name is there
	var names []string
	for _, k := range s.Skills() {
		names = append(names, k.Name)
	}
	if !slices.Equal(names, []string{"tea"}) {
		t.Errorf("got %q", names)
	}
}

// A list that never stays the same is waited for no longer than ListChanges times
// (ACP-U4): this returns though the agent goes on.
func TestSettleEndsWithARestlessAgent(t *testing.T) {
	first := update(`{"sessionUpdate":"available_commands_update","availableCommands":[]}`)
	s, err := agent{"initialize": {hello}, "session/new": {opens, first}, "session/close": {ok}}.serve(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				s.events.SessionUpdate(context.Background(), nil, &acp.AvailableCommandsUpdate{})
			}
		}
	}()
	s.Settle(context.Background(), 10*time.Millisecond)
	close(stop)
	<-stopped
}

// An agent that does not answer session/close is left all the same, and no call is
// left behind (goleak).
func TestCloseOfADeafAgent(t *testing.T) {
	s, err := agent{"initialize": {hello}, "session/new": {opens}}.serve(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	select {
	case <-s.conn.Done():
	case <-time.After(5 * time.Second): // the call's own patience is longer
		t.Error("the connection is still open")
	}
}

// Nothing is sent that the list does not have (ACP-U1).
func TestUnknownSkills(t *testing.T) {
	list := `{"jsonrpc":"2.0","id":%ID%,"result":{"sessionId":"s","availableCommands":[
		{"type":"skill","name":"tea","description":"d"},{"type":"command","name":"compact","description":"d"}]}}`
	s, err := agent{"initialize": {hello}, "session/new": {strings.ReplaceAll(list, "\n", "")}, "session/close": {ok}}.serve(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Prompt(context.Background(), []acp.ContentBlock{acp.SkillBlock("Tea"), acp.SkillBlock("compact"), acp.SkillBlock("tea")}, nil)
	var unknown *UnknownSkillError
	if !errors.As(err, &unknown) || !slices.Equal(unknown.Names, []string{"Tea", "compact"}) || !slices.Equal(unknown.Have, []string{"tea"}) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{`no skill "Tea"; did you mean tea?`, "/compact (a command", "It has: tea"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

func TestAuthErrorSaysHow(t *testing.T) {
	withMethods := strings.Replace(hello, `"capabilities"`, `"authMethods":[{"methodId":"key","type":"agent","name":"Key\u001b[2J","description":"d"},{"methodId":"tty","type":"terminal","name":"T","args":["--login"]},7],"capabilities"`, 1)
	refused := `{"jsonrpc":"2.0","id":%ID%,"error":{"code":-32000,"message":"Authentication required"}}`
	for name, tc := range map[string]struct {
		hello string
		want  []string
	}{
		"with methods":    {withMethods, []string{"key (Key[2J): d", "--login key", "with: --login"}},
		"without methods": {hello, []string{"names no way"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := agent{"initialize": {tc.hello}, "session/new": {refused}}.serve(t, Options{})
			var auth *AuthError
			if !errors.As(err, &auth) {
				t.Fatalf("got %v", err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func TestAdditionalDirectoriesNeedSupport(t *testing.T) {
	_, err := agent{"initialize": {hello}}.serve(t, Options{Add: []string{"/x"}})
	var unsupported *acp.UnsupportedError
	if !errors.As(err, &unsupported) {
		t.Errorf("got %v", err)
	}
}
