// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/skillgraft/skillgraft/internal/agent/model"
)

// maxResult is how much of a result the model is given, in bytes: some 16,000 tokens.
const maxResult = 64 << 10

// A tool is one that the model may call. Its arguments come as JSON that nobody has
// looked at.
type tool struct {
	model.Tool
	// run does the work. It opens the call, so that the client sees what is done, and
	// returns when ctx ends.
	run func(ctx context.Context, c *call) outcome
}

// An outcome is what a call gave: for the model, and in the client's view whatever the
// call has reported itself.
type outcome struct {
	text   string
	failed bool
	silent bool // the text is not for the client, which has seen it otherwise or not at all
}

func done(format string, args ...any) outcome { return outcome{text: fmt.Sprintf(format, args...)} }

func failure(format string, args ...any) outcome {
	return outcome{text: fmt.Sprintf(format, args...), failed: true}
}

// tools are those that the session's model has at this moment.
func (s *session) tools() []*tool {
	mode, _ := s.setting()
	sh := s.skills()
	out := []*tool{readFileTool(), listTool(), searchTool()}
	if mode != ModeRead {
		out = append(out, writeTool(), editTool(), commandTool())
	}
	out = append(out, planTool())
	o := sh.offer()
	// Without skills there are no tools for them (ACT-4).
	if len(o.names) > 0 {
		out = append(out, activateTool(o))
		if _, shortened := o.listing(s.handler.opts.CatalogueTokens); shortened {
			out = append(out, findSkillsTool())
		}
	}
	if len(o.names) > 0 || len(s.history.activated()) > 0 {
		out = append(out, readSkillTool())
		if mode != ModeRead {
			out = append(out, scriptTool())
		}
	}
	return out
}

func definitions(tools []*tool) []model.Tool {
	out := make([]model.Tool, len(tools))
	for i, t := range tools {
		out[i] = t.Tool
	}
	return out
}

// property is an argument of a tool.
type property struct {
	name, kind, description string
	optional                bool
	enum                    []string
	items                   any
}

// schema is a tool's input schema.
func schema(properties ...property) json.RawMessage {
	all, required := map[string]any{}, []string{}
	for _, p := range properties {
		v := map[string]any{"type": p.kind, "description": p.description}
		if p.enum != nil {
			v["enum"] = p.enum
		}
		if p.items != nil {
			v["items"] = p.items
		}
		all[p.name] = v
		if !p.optional {
			required = append(required, p.name)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// Maps of strings and booleans: there is nothing that could fail.
	_ = enc.Encode(map[string]any{"type": "object", "properties": all, "required": required, "additionalProperties": false})
	return bytes.TrimSpace(b.Bytes())
}

// capped is a result that is not too long for the model.
func capped(text string) string {
	if len(text) <= maxResult {
		return text
	}
	head, tail := maxResult*3/4, maxResult/4
	return strings.ToValidUTF8(text[:head], "") + fmt.Sprintf("\n\n[... %d bytes are left out ...]\n\n", len(text)-head-tail) + strings.ToValidUTF8(text[len(text)-tail:], "")
}
