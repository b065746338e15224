// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/skill"
)

// conversation is what the model is told of the session so far: the user's messages
// with the skills that they invoke, and the model's own with the results of its
// calls, from the last compaction on.
func conversation(records []record) []model.Message {
	var out []model.Message
	for _, r := range records {
		switch r.Type {
		case recordUser:
			out = append(out, model.Message{Role: model.User, Parts: partsOf(r.Content)})
		case recordSkill:
			if n := len(out); !r.ByModel && n > 0 {
				out[n-1].Parts = append(out[n-1].Parts, model.TextPart(r.Text))
			}
		case recordModel:
			var m model.Message
			if json.Unmarshal(r.Content, &m) == nil {
				out = append(out, m)
			}
		case recordCompact:
			var all []model.Message
			if json.Unmarshal(r.Content, &all) == nil {
				out = all
			}
		}
	}
	return mended(out)
}

// mended is a conversation that servers take: each call has its result in the next
// message, and no message is empty. A turn that was cancelled or that a crash ended
// leaves calls without.
func mended(in []model.Message) []model.Message {
	out := make([]model.Message, 0, len(in))
	for i, m := range in {
		if len(m.Parts) == 0 {
			continue
		}
		if n := len(out); n > 0 && isSaid(out[n-1]) && isSaid(m) {
			// A turn that ended before the model said anything. Some models take only
			// conversations in which the two take turns.
			out[n-1].Parts = append(out[n-1].Parts[:len(out[n-1].Parts):len(out[n-1].Parts)], m.Parts...)
			continue
		}
		out = append(out, m)
		calls := m.Calls()
		if len(calls) == 0 {
			continue
		}
		have := map[string]bool{}
		if i+1 < len(in) {
			for _, p := range in[i+1].Parts {
				if p.Type == model.Result {
					have[p.ID] = true
				}
			}
		}
		var missing []model.Part
		for _, c := range calls {
			if !have[c.ID] {
				missing = append(missing, model.ResultPart(c.ID, "There is no result: the work was interrupted before the call was known to have ended. Look whether it was carried out.", true))
			}
		}
		switch {
		case len(missing) == 0:
		case len(have) > 0:
			next := in[i+1]
			next.Parts = append(append([]model.Part{}, missing...), next.Parts...)
			in[i+1] = next
		default:
			out = append(out, model.Message{Role: model.User, Parts: missing})
		}
	}
	return out
}

// isSaid reports whether a message is one that the user has said.
func isSaid(m model.Message) bool {
	return m.Role == model.User && !slices.ContainsFunc(m.Parts, func(p model.Part) bool { return p.Type == model.Result })
}

// partsOf is a user's message as the model is told it. A skill block leaves its name
// in its place; the instructions follow behind the message.
func partsOf(content json.RawMessage) []model.Part {
	blocks, err := acp.ReadContent(content)
	if err != nil {
		return []model.Part{model.TextPart("(This message cannot be read any more.)")}
	}
	var out []model.Part
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			out = append(out, model.TextPart(text.String()))
			text.Reset()
		}
	}
	for _, b := range blocks {
		switch b := b.(type) {
		case *acp.Text:
			text.WriteString(b.Text)
		case *acp.SkillReference:
			fmt.Fprintf(&text, "[skill: %s]", skill.Sanitize(b.Name))
		case *acp.ResourceLink:
			fmt.Fprintf(&text, "[%s](%s)", skill.Sanitize(b.Name), skill.Sanitize(b.URI))
		case *acp.Resource:
			flush()
			out = append(out, model.TextPart(embedded(b)))
		case *acp.Image:
			flush()
			out = append(out, model.Part{Type: model.Image, MimeType: b.MimeType, Data: b.Data})
		default:
			fmt.Fprintf(&text, "(content of type %s, which cannot be shown to you)", skill.Sanitize(b.BlockType()))
		}
	}
	flush()
	if len(out) == 0 {
		out = append(out, model.TextPart("(an empty message)"))
	}
	return out
}

func embedded(b *acp.Resource) string {
	r := b.Resource
	if r.Blob != nil {
		return fmt.Sprintf("(The file %s is no text and cannot be shown to you.)", skill.Sanitize(r.URI))
	}
	return fmt.Sprintf("<resource uri=%q>\n%s\n</resource>", skill.Sanitize(r.URI), r.Text)
}
