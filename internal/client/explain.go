// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/skill"
)

// explain is an error as the user needs it. What ended the agent explains more
// than the broken connection that follows from it.
func (s *Session) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.opts.Ended != nil && !isAnswer(err) {
		if s.conn != nil {
			_ = s.conn.Close()
		}
		if why := s.opts.Ended(); why != nil {
			return why
		}
	}
	return Explain(err, s.methods())
}

// isAnswer reports whether an error is a word of the agent itself. The end of an
// agent shows as a closed connection, or as the internal error with which the
// proxy answers what is open (PXY-6).
func isAnswer(err error) bool {
	var rpc *jsonrpc.Error
	var version *acp.VersionError
	return errors.As(err, &version) || errors.As(err, &rpc) && rpc.Code != jsonrpc.CodeInternal
}

func (s *Session) methods() []json.RawMessage {
	if s.conn == nil {
		return nil
	}
	var out []json.RawMessage
	for _, m := range s.conn.Agent().AuthMethods {
		if raw, err := m.MarshalJSON(); err == nil {
			out = append(out, raw)
		}
	}
	return out
}

// isCancelled reports whether a request was cancelled before it took effect.
func isCancelled(err error) bool {
	var rpc *jsonrpc.Error
	return errors.Is(err, context.Canceled) || errors.As(err, &rpc) && rpc.Code == jsonrpc.CodeCancelled
}

// Explain adds to an error of the agent what the user can do about it. methods
// are the agent's ways to authenticate, as on the wire.
func Explain(err error, methods []json.RawMessage) error {
	var rpc *jsonrpc.Error
	var version *acp.VersionError
	switch {
	case errors.As(err, &version):
		return &OldAgentError{version}
	case errors.As(err, &rpc) && rpc.Code == jsonrpc.CodeAuthRequired:
		return &AuthError{Message: skill.Sanitize(rpc.Message), Methods: readMethods(methods)}
	case errors.As(err, &rpc):
		return fmt.Errorf("the agent answered with an error: %s (%d)%w", skill.Sanitize(rpc.Message), rpc.Code, &silent{rpc})
	}
	return err
}

// silent keeps an error in the chain without saying it again.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// An OldAgentError says that the agent has no version 2 of the protocol.
type OldAgentError struct{ *acp.VersionError }

func (e *OldAgentError) Error() string {
	return e.VersionError.Error() + "; skill blocks exist from version 2 on (ACP-C4). Update the agent, or choose one that speaks version 2"
}

func (e *OldAgentError) Unwrap() error { return e.VersionError }

// A Method is a way to authenticate.
type Method struct {
	ID          string   `json:"methodId"`
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Args        []string `json:"args,omitempty"`
}

func readMethods(raw []json.RawMessage) []Method {
	var out []Method
	for _, r := range raw {
		var m Method
		if json.Unmarshal(r, &m) == nil && m.ID != "" { // one that cannot be read cannot be offered either
			out = append(out, m)
		}
	}
	return out
}

// An AuthError says that the agent wants to know who the user is.
type AuthError struct {
	Message string
	Methods []Method
}

func (e *AuthError) Error() string {
	var b strings.Builder
	b.WriteString("the agent wants you to log in")
	if e.Message != "" {
		fmt.Fprintf(&b, ": %s", e.Message)
	}
	if len(e.Methods) == 0 {
		b.WriteString("\nIt names no way to do so. Log in with the agent's own program, or set the variables that its manual names, and try again.")
		return b.String()
	}
	b.WriteString("\nIts ways to log in:")
	for _, m := range e.Methods {
		fmt.Fprintf(&b, "\n  %s", skill.Sanitize(m.ID))
		if m.Name != "" && m.Name != m.ID {
			fmt.Fprintf(&b, " (%s)", skill.Sanitize(m.Name))
		}
		if m.Description != "" {
			fmt.Fprintf(&b, ": %s", skill.Sanitize(m.Description))
		}
		switch m.Type {
		case "terminal":
			fmt.Fprintf(&b, "\n    run the agent's command with: %s", skill.Sanitize(strings.Join(m.Args, " ")))
		case "agent", "":
			fmt.Fprintf(&b, "\n    add: --login %s", skill.Sanitize(m.ID))
		}
	}
	b.WriteString("\nYou can also log in with the agent's own program, and try again.")
	return b.String()
}

// An UnknownSkillError says that a prompt names skills that the session does not
// have.
type UnknownSkillError struct {
	Names []string
	Hints []string // what may have been meant; for each name, or empty
	Have  []string // the names that there are
}

func (s *Session) unknown(names []string) error {
	e := &UnknownSkillError{Names: names}
	resolve := acp.ResolveIn(s.Commands())
	for _, name := range names {
		r := resolve(name)
		hint := r.Hint
		if r.State == acp.SkillIsCommand {
			hint = "/" + name + " (a command: write it at the start of the text)"
		}
		e.Hints = append(e.Hints, hint)
	}
	for _, have := range s.Skills() {
		e.Have = append(e.Have, have.Name)
	}
	return e
}

func (e *UnknownSkillError) Error() string {
	var b strings.Builder
	for i, name := range e.Names {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "the session has no skill %q", skill.Sanitize(name))
		if hint := e.Hints[i]; hint != "" {
			fmt.Fprintf(&b, "; did you mean %s?", skill.Sanitize(hint))
		}
	}
	const most = 20
	var have []string
	for _, name := range e.Have[:min(len(e.Have), most)] {
		have = append(have, skill.Sanitize(name))
	}
	if len(e.Have) > most {
		have = append(have, fmt.Sprintf("and %d more", len(e.Have)-most))
	}
	if len(have) == 0 {
		b.WriteString("\nIt has no skills at all. Why: skillgraft doctor")
	} else {
		b.WriteString("\nIt has: " + strings.Join(have, ", "))
	}
	return b.String()
}
