// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/skill"
)

// fullAt is the share of the model's window at which the conversation is summarised.
const fullAt = 0.8

// maxElided is how much of a tool's result a summary is made from, in bytes.
const maxElided = 2000

// isFull reports whether the conversation has nearly filled the model's window, by what
// the server has counted, else by an estimate.
func (s *session) isFull(m model.Model) bool {
	s.mu.Lock()
	used := s.used
	s.mu.Unlock()
	if used == 0 {
		for _, msg := range conversation(s.history.all()) {
			for _, p := range msg.Parts {
				used += skill.EstimateTokens(p.Text) + len(p.Input)/4
			}
		}
	}
	return float64(used) > fullAt*float64(m.Window())
}

// compact replaces the conversation by a summary of it that the model makes, and the
// instructions of every active skill, word for word (ACT-6). What the user said last
// stays as it is.
func (s *session) compact(ctx context.Context, m model.Model) bool {
	records := s.history.all()
	old := conversation(records)
	if len(old) < 2 {
		return false // a single message does not become shorter
	}
	id := "compact_" + rand.Text()
	s.report(&acp.CompactionUpdate{CompactionID: id, Status: acp.CompactionInProgress})
	reply, err := m.Generate(ctx, &model.Request{
		System: "You summarise a conversation between a user and an agent, for the agent, which has to go on with the summary alone. Keep what the user wants, what was decided and found, what was done to which files, and what is left to do. Leave the instructions of skills out: the agent keeps them.",
		Messages: append(elided(old), model.Message{Role: model.User, Parts: []model.Part{
			model.TextPart("Summarise the conversation so far."),
		}}),
	}, nil)
	summary := ""
	if reply != nil {
		for _, p := range reply.Message.Parts {
			if p.Type == model.Text {
				summary += p.Text
			}
		}
	}
	if err == nil && strings.TrimSpace(summary) == "" {
		err = errors.New("the model gave no summary")
	}
	if err != nil {
		u := &acp.CompactionUpdate{CompactionID: id, Status: acp.CompactionFailed, Error: acp.Set(err.Error())}
		if ctx.Err() != nil {
			u = &acp.CompactionUpdate{CompactionID: id, Status: acp.CompactionCancelled}
		}
		s.report(u)
		return false
	}
	kept := model.Message{Role: model.User, Parts: []model.Part{model.TextPart("<summary>\nThe conversation until here, in short:\n" + summary + "\n</summary>")}}
	kept.Parts = append(kept.Parts, s.skillParts()...)
	if last := slices.IndexFunc(reversed(records), func(r record) bool { return r.Type == recordUser }); last >= 0 {
		kept.Parts = append(kept.Parts, model.TextPart("The user's last message:"))
		kept.Parts = append(kept.Parts, partsOf(records[len(records)-1-last].Content)...)
	}
	raw, err := json.Marshal([]model.Message{kept})
	if err != nil {
		return false
	}
	s.mu.Lock()
	s.used = 0
	s.mu.Unlock()
	s.report(&acp.CompactionUpdate{CompactionID: id, Status: acp.CompactionCompleted, Summary: acp.Set([]acp.ContentBlock{acp.TextBlock(summary)})})
	s.keep(record{Type: recordCompact, Content: raw})
	return true
}

func reversed(records []record) []record {
	out := slices.Clone(records)
	slices.Reverse(out)
	return out
}

// skillParts are the instructions of the active skills as the model was given them.
func (s *session) skillParts() []model.Part {
	var out []model.Part
	active := s.history.activated()
	names := make([]string, 0, len(active))
	for name := range active {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if text := active[name].Text; text != "" {
			out = append(out, model.TextPart(text))
		}
	}
	return out
}

// elided is a conversation without the bulk of what tools returned and of what skills
// say, as texts alone: it has to fit.
func elided(in []model.Message) []model.Message {
	out := make([]model.Message, 0, len(in))
	for _, m := range in {
		short := model.Message{Role: m.Role}
		for _, p := range m.Parts {
			switch p.Type {
			case model.Call:
				p = model.TextPart("[calls " + p.Name + " with " + cutTo(string(p.Input), maxElided) + "]")
			case model.Result:
				if strings.HasPrefix(p.Text, "<skill_content ") {
					p.Text = "the skill's instructions"
				}
				p = model.TextPart("[the call gave: " + cutTo(p.Text, maxElided) + "]")
			case model.Text:
				if strings.HasPrefix(p.Text, "<skill_content ") {
					continue
				}
			default:
				continue
			}
			short.Parts = append(short.Parts, p)
		}
		if len(short.Parts) > 0 {
			out = append(out, short)
		}
	}
	return out
}

func cutTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " ..."
}
