// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"math"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/agent/model"
)

// defaultMaxRequests is how often one turn asks the model.
const defaultMaxRequests = 100

// work answers a prompt until that is done or cancelled, and ends the turn.
func (s *session) work(t *turn, in *input) {
	var e ending
	defer func() { s.finish(t, e) }()
	_, spec := s.setting()
	m, err := s.handler.pool.get(spec)
	switch {
	case err != nil:
		e.err = err
	case m == nil:
		s.workOffline(t, in)
	default:
		e = s.workWith(t.ctx, m)
	}
}

// workWith asks the model, does what it calls for, and asks again, until it calls for
// nothing more.
func (s *session) workWith(ctx context.Context, m model.Model) ending {
	s.gate(ctx)
	spent := &acp.Usage{}
	compacted := false
	for range s.handler.opts.MaxRequests {
		if ctx.Err() != nil {
			return ending{usage: spent}
		}
		if s.isFull(m) {
			s.compact(ctx, m)
		}
		tools := s.tools()
		reply, err := s.ask(ctx, m, &model.Request{System: s.systemPrompt(), Messages: conversation(s.history.all()), Tools: definitions(tools)})
		if reply != nil {
			s.count(m, spent, reply.Usage)
		}
		var e *model.Error
		if errors.As(err, &e) && e.Reason == model.TooLong && !compacted && ctx.Err() == nil {
			if compacted = true; s.compact(ctx, m) {
				continue
			}
		}
		if err != nil {
			// What was said stands; what was called for is not done.
			if reply != nil {
				s.remember(withoutCalls(reply.Message))
			}
			return ending{err: err, usage: spent}
		}
		if reply.Stop != model.StopCalls {
			s.remember(withoutCalls(reply.Message))
			switch reply.Stop {
			case model.StopMaxTokens:
				return ending{reason: acp.StopMaxTokens, usage: spent}
			case model.StopRefusal:
				return ending{reason: acp.StopRefusal, usage: spent}
			}
			return ending{usage: spent}
		}
		s.remember(reply.Message)
		results := model.Message{Role: model.User}
		for _, p := range reply.Message.Calls() {
			results.Parts = append(results.Parts, s.perform(ctx, tools, p))
		}
		s.remember(results)
	}
	return ending{reason: acp.StopMaxTurnRequests, usage: spent}
}

// ask asks the model and passes on what it says while it does.
func (s *session) ask(ctx context.Context, m model.Model, r *model.Request) (*model.Reply, error) {
	message, thought := newMessageID(), newMessageID()
	return m.Generate(ctx, r, func(d model.Delta) {
		switch {
		case ctx.Err() != nil: // what comes late is not said any more
		case d.Kind == model.DeltaText:
			s.say(message, d.Text)
		case d.Kind == model.DeltaThought:
			s.think(thought, d.Text)
		case d.Kind == model.DeltaWait:
			s.notice(acp.NoticeInfo, "The model has not answered yet", d.Text)
		}
	})
}

// withoutCalls is a message of which nothing is carried out.
func withoutCalls(m model.Message) model.Message {
	out := model.Message{Role: m.Role}
	for _, p := range m.Parts {
		if p.Type != model.Call {
			out.Parts = append(out.Parts, p)
		}
	}
	return out
}

// count adds up what the turn costs, and tells the client how full the context is.
func (s *session) count(m model.Model, spent *acp.Usage, u model.Usage) {
	if u == (model.Usage{}) {
		return // the server does not say
	}
	spent.InputTokens += tokens(u.Input)
	spent.OutputTokens += tokens(u.Output)
	spent.TotalTokens = spent.InputTokens + spent.OutputTokens
	spent.CachedReadTokens = sum(spent.CachedReadTokens, u.CachedRead)
	spent.CachedWriteTokens = sum(spent.CachedWriteTokens, u.CachedWrite)
	s.mu.Lock()
	s.used = u.Input + u.Output
	s.mu.Unlock()
	s.tell(&acp.UsageUpdate{Used: tokens(u.Input + u.Output), Size: tokens(m.Window())})
}

func tokens(n int) uint64 { return uint64(max(0, min(n, math.MaxInt32))) }

func sum(to *uint64, n int) *uint64 {
	if n == 0 {
		return to
	}
	v := tokens(n)
	if to != nil {
		v += *to
	}
	return &v
}
