// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/skill"
)

// A call is one call of a tool, as the client sees it.
type call struct {
	s      *session
	id     string // the client's; the model's own may come again in another turn
	name   string
	input  json.RawMessage
	opened bool
	stop   context.CancelCauseFunc // ends the call alone
	what   acp.ToolCall            // as it was opened, for questions about it
}

// perform carries out a call of the model and returns its result.
func (s *session) perform(ctx context.Context, tools []*tool, p model.Part) model.Part {
	turn := ctx
	c := &call{s: s, id: "call_" + rand.Text(), name: p.Name, input: p.Input}
	ctx, c.stop = context.WithCancelCause(turn)
	defer c.stop(nil)
	defer s.stoppable(c.id, c.stop)()
	var o outcome
	switch t := find(tools, p.Name); {
	case ctx.Err() != nil:
		return model.ResultPart(p.ID, "Not carried out: the work was cancelled.", true)
	case t == nil:
		o = failure("there is no tool %q", skill.Sanitize(p.Name))
	case len(p.Input) > 0 && p.Input[0] != '{':
		o = failure("the arguments are no JSON object")
	default:
		o = t.run(ctx, c)
	}
	if turn.Err() == nil && context.Cause(ctx) == errStopped {
		o.text, o.failed = o.text+"\n[The user has ended this call, and wants the work to go on without it.]", true
	}
	o.text = capped(o.text)
	c.close(ctx, o)
	return model.ResultPart(p.ID, o.text, o.failed)
}

func find(tools []*tool, name string) *tool {
	for _, t := range tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// args reads the call's arguments. The outcome is for the model when they are wrong.
func (c *call) args(v any) (problem outcome, ok bool) {
	raw := c.input
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return failure("the arguments do not fit: %v", err), false
	}
	return outcome{}, true
}

// open tells the client what is about to be done. waiting says that the user is asked
// first.
func (c *call) open(kind, title string, waiting bool, paths ...string) {
	status := acp.ToolInProgress
	if waiting {
		status = acp.ToolPending
	}
	u := &acp.ToolCallUpdate{ToolCallID: c.id, Name: acp.Set(c.name), Title: acp.Set(title), Kind: acp.Set(kind), Status: acp.Set(status), RawInput: c.input}
	if kind == acp.ToolKindExecute {
		u.Capabilities = acp.Set(acp.ToolCallCapabilities{Cancel: &acp.Capability{}})
	}
	var locations []acp.ToolCallLocation
	for _, p := range paths {
		locations = append(locations, acp.ToolCallLocation{Path: p})
	}
	if locations != nil {
		u.Locations = acp.Set(locations)
	}
	c.opened = true
	c.what = acp.ToolCall{ToolCallID: c.id, Name: u.Name, Title: u.Title, Kind: u.Kind, Status: u.Status, Locations: u.Locations, RawInput: u.RawInput}
	c.s.report(u)
}

// begin says that the user has agreed and the work goes on.
func (c *call) begin() {
	c.s.report(&acp.ToolCallUpdate{ToolCallID: c.id, Status: acp.Set(acp.ToolInProgress)})
}

// show replaces what the client sees of the call.
func (c *call) show(content ...acp.ToolCallContent) {
	c.what.Content = acp.Set(content)
	c.s.report(&acp.ToolCallUpdate{ToolCallID: c.id, Content: acp.Set(content)})
}

// close tells the client how the call ended.
func (c *call) close(ctx context.Context, o outcome) {
	if !c.opened {
		c.open(acp.ToolKindOther, skill.Sanitize(c.name), false)
	}
	u := &acp.ToolCallUpdate{ToolCallID: c.id, Status: acp.Set(acp.ToolCompleted)}
	switch {
	case ctx.Err() != nil:
		u.Status = acp.Set(acp.ToolCancelled)
	case o.failed:
		u.Status = acp.Set(acp.ToolFailed)
	}
	if o.text != "" && !o.silent {
		u.Content = acp.Set([]acp.ToolCallContent{&acp.ToolContent{Content: acp.TextBlock(o.text)}})
	}
	c.s.report(u)
}

// A request is what the user is asked to permit.
type request struct {
	title, description string
	subject            acp.PermissionSubject // nil: the call itself
	always             string                // the words of the option that lasts; empty: there is none
}

// An answer is what the user said.
type answer uint8

const (
	denied answer = iota
	allowedOnce
	allowedAlways
)

// What the client's answers are.
const (
	optionOnce   = "allow-once"
	optionAlways = "allow-always"
	optionReject = "reject"
)

// ask asks the user. The outcome is for the model when the answer is no.
func (c *call) ask(ctx context.Context, q request) (answer, outcome) {
	r := &acp.RequestPermissionRequest{Title: q.title, Description: q.description, Subject: q.subject}
	if r.Subject == nil {
		r.Subject = &acp.ToolCallSubject{ToolCall: c.what}
	}
	r.Options = append(r.Options, acp.PermissionOption{OptionID: optionOnce, Name: "Allow once", Kind: acp.AllowOnce})
	if q.always != "" {
		r.Options = append(r.Options, acp.PermissionOption{OptionID: optionAlways, Name: q.always, Kind: acp.AllowAlways})
	}
	r.Options = append(r.Options, acp.PermissionOption{OptionID: optionReject, Name: "Reject", Kind: acp.RejectOnce})
	resp, err := c.s.question(ctx, r)
	switch {
	case ctx.Err() != nil:
		return denied, failure("Not carried out: the work was cancelled.")
	case err != nil:
		return denied, failure("Not carried out: the client could not ask the user: %v", err)
	case !resp.Allows(r):
		return denied, failure("The user does not allow this. Do not try it another way; ask what to do instead.")
	case resp.OptionID() == optionAlways:
		return allowedAlways, outcome{}
	}
	return allowedOnce, outcome{}
}

// isAllowed reports whether the user allowed something for the session.
func (s *session) isAllowed(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allowed[what]
}

func (s *session) allow(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.allowed == nil {
		s.allowed = map[string]bool{}
	}
	s.allowed[what] = true
}

// inTitle is text of a model's in a title.
func inTitle(format string, args ...any) string {
	return shorten(skill.Sanitize(fmt.Sprintf(format, args...)), 120)
}
