// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"context"
	"errors"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// An Elicitor is a [ClientHandler] that lets agents ask the user to fill in a
// form or to open a link. Which of the two stands in [ClientCapabilities].
// Elicit is called in a goroutine of its own, and s is nil for a question that
// belongs to a request and to no session. ctx ends when the question is taken
// back, or with the session's work; the answer is then that it was cancelled.
type Elicitor interface {
	Elicit(ctx context.Context, s *ClientSession, r *CreateElicitationRequest) (*CreateElicitationResponse, error)
}

// Elicit asks the user to fill in a form or to open a link. SessionID is filled
// in unless the question belongs to a request. The error is an
// *[UnsupportedError] when the client does not do that. When ctx ends the
// question is taken back.
func (s *AgentSession) Elicit(ctx context.Context, r *CreateElicitationRequest) (*CreateElicitationResponse, error) {
	e := s.conn.clientCapabilities().Elicitation
	switch {
	case r.Mode == ElicitForm && (e == nil || e.Form == nil):
		return nil, &UnsupportedError{"elicitation.form"}
	case r.Mode == ElicitURL && (e == nil || e.URL == nil):
		return nil, &UnsupportedError{"elicitation.url"}
	case e == nil:
		return nil, &UnsupportedError{"elicitation"}
	}
	out := *r
	if out.RequestID == nil {
		out.SessionID = s.ID()
	}
	if err := out.check(); err != nil {
		return nil, err
	}
	var resp CreateElicitationResponse
	if err := s.conn.conn.Call(ctx, MethodCreateElicitation, &out, &resp); err != nil {
		return nil, err
	}
	return &resp, nil
}

// elicit hands a question to the client's handler.
func (c clientHandler) elicit(r *jsonrpc.IncomingRequest, e Elicitor) {
	var req CreateElicitationRequest
	if err := decodeParams(r.Params(), &req); err != nil {
		r.Reply(nil, err)
		return
	}
	var s *ClientSession
	ctx, done := r.Context(), func() {}
	if req.SessionID != "" {
		if s = c.asking(req.SessionID); s == nil {
			r.Reply(nil, sessionNotFound(req.SessionID))
			return
		}
		ctx, done = s.question(ctx)
	}
	r.Go(func(context.Context) (any, error) {
		defer done()
		resp, err := e.Elicit(ctx, s, &req)
		switch {
		case errors.Is(context.Cause(ctx), errTurnCancelled):
			return &CreateElicitationResponse{Action: ElicitationCancel}, nil
		case err == nil && resp == nil:
			err = errors.New("the client's handler returned no answer")
		}
		return resp, err
	})
}

// check sees to what a form and a link each need, and to it that the request
// belongs to a session or to another request.
func (x *CreateElicitationRequest) check() error {
	missing := func(name string) error { return &FieldError{Path: name, Reason: "is missing"} }
	switch {
	case x.Mode == ElicitForm && x.RequestedSchema == nil:
		return missing("requestedSchema")
	case x.Mode == ElicitURL && x.URL == "":
		return missing("url")
	case x.Mode == ElicitURL && x.ElicitationID == "":
		return missing("elicitationId")
	case (x.SessionID == "") == (x.RequestID == nil):
		return &FieldError{Reason: "has to name a session or a request, and not both"}
	}
	return nil
}

// check sees to it that there is a result or an error.
func (x *MessageMCPResponse) check() error {
	if (x.Result == nil) == (x.Error == nil) {
		return &FieldError{Reason: "has to have a result or an error, and not both"}
	}
	return nil
}
