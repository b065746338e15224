// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/skillgraft/skillgraft/acp"
)

// restore sends what the client needs to go on: the history if it asked for it,
// and then the state.
func (s *session) restore(ctx context.Context, replay bool) error {
	s.out.Lock()
	defer s.out.Unlock()
	if replay {
		if err := s.replay(ctx); err != nil {
			return err
		}
	}
	return s.client.Send(ctx, &acp.StateUpdate{State: s.state})
}

func (s *session) replay(ctx context.Context) error {
	asText := !s.client.Client().Capabilities.Skills()
	var pieces acp.SessionUpdate // a message or thought being put together
	var id, kind, text string
	flush := func() error {
		if pieces == nil {
			return nil
		}
		content := acp.Set([]acp.ContentBlock{acp.TextBlock(text)})
		switch u := pieces.(type) {
		case *acp.AgentMessage:
			u.Content = content
		case *acp.AgentThought:
			u.Content = content
		}
		err := s.client.Send(ctx, pieces)
		pieces, id, kind, text = nil, "", "", ""
		return err
	}
	var open openCalls
	for _, r := range s.history.all() {
		if r.Type == kind && r.MessageID == id {
			text += r.Text
			continue
		}
		var next acp.SessionUpdate
		switch r.Type {
		case recordUser:
			next = userMessage(r.MessageID, r.Content, asText)
		case recordAgent, recordThought:
			if err := flush(); err != nil {
				return err
			}
			if id, kind, text = r.MessageID, r.Type, r.Text; kind == recordAgent {
				pieces = &acp.AgentMessage{MessageID: id}
			} else {
				pieces = &acp.AgentThought{MessageID: id}
			}
			continue
		case recordUpdate:
			u, err := acp.ReadSessionUpdate(r.Content)
			if err != nil {
				continue // the rest is worth more than none of it
			}
			open.see(u)
			next = u
		case recordEnd:
			if err := flush(); err != nil {
				return err
			}
			for _, u := range open.cancelled() {
				if err := s.client.Send(ctx, u); err != nil {
					return err
				}
			}
			continue
		default:
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		if err := s.client.Send(ctx, next); err != nil {
			return err
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if title := s.history.title(); title != "" {
		return s.client.Send(ctx, &acp.SessionInfoUpdate{Title: acp.Set(title)})
	}
	return nil
}

// openCalls are the tool calls that have not ended, in their order. A turn that a
// crash ended leaves some, and a client would show them as running for ever.
type openCalls []string

func (o *openCalls) see(u acp.SessionUpdate) {
	call, ok := u.(*acp.ToolCallUpdate)
	if !ok {
		return
	}
	switch status, _ := call.Status.Get(); status {
	case acp.ToolCompleted, acp.ToolFailed, acp.ToolCancelled:
		*o = slices.DeleteFunc(*o, func(id string) bool { return id == call.ToolCallID })
	default:
		if !slices.Contains(*o, call.ToolCallID) {
			*o = append(*o, call.ToolCallID)
		}
	}
}

func (o *openCalls) cancelled() []acp.SessionUpdate {
	var out []acp.SessionUpdate
	for _, id := range *o {
		out = append(out, &acp.ToolCallUpdate{ToolCallID: id, Status: acp.Set(acp.ToolCancelled)})
	}
	*o = nil
	return out
}

// userMessage is a message as it was sent (ACP-P6), with text in place of skill
// blocks for a client that does not understand them (ACP-P7).
func userMessage(id string, content json.RawMessage, asText bool) acp.SessionUpdate {
	blocks, err := acp.ReadContent(content)
	if err != nil {
		blocks = []acp.ContentBlock{acp.TextBlock("(this message cannot be read any more)")}
	}
	for i, b := range blocks {
		if ref, ok := b.(*acp.SkillReference); ok && asText {
			blocks[i] = acp.TextBlock("/" + ref.Name + " ")
		}
	}
	return &acp.UserMessage{MessageID: id, Content: acp.Set(blocks)}
}
