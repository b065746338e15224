// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"

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
	var answer *acp.AgentMessage // being put together from its pieces
	var text string
	flush := func() error {
		if answer == nil {
			return nil
		}
		answer.Content = acp.Set([]acp.ContentBlock{acp.TextBlock(text)})
		err := s.client.Send(ctx, answer)
		answer, text = nil, ""
		return err
	}
	for _, r := range s.history.all() {
		if r.Type == recordAgent && answer != nil && answer.MessageID == r.MessageID {
			text += r.Text
			continue
		}
		var err error
		switch r.Type {
		case recordUser:
			if err = flush(); err == nil {
				err = s.client.Send(ctx, userMessage(r.MessageID, r.Content, asText))
			}
		case recordAgent:
			err = flush()
			answer, text = &acp.AgentMessage{MessageID: r.MessageID}, r.Text
		}
		if err != nil {
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
