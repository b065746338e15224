// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

const (
	anthropicBase   = "https://api.anthropic.com"
	anthropicWindow = 200_000 // tokens
	// anthropicOutput is how many tokens a reply may have: the protocol wants a number.
	anthropicOutput = 16_000
)

// anthropicModel asks Anthropic Messages by the official SDK.
type anthropicModel struct {
	name   string
	opts   Options
	client anthropic.Client
	http   *http.Client
	fail   failures
}

func newAnthropic(spec, name string, o Options) (Model, error) {
	key, base := o.Env("ANTHROPIC_API_KEY"), strings.TrimRight(o.Env("ANTHROPIC_BASE_URL"), "/")
	m := &anthropicModel{name: name, opts: o, http: newClient(o.Silence)}
	m.fail = failures{spec: spec, keyVar: "ANTHROPIC_API_KEY", baseVar: "ANTHROPIC_BASE_URL", base: base, key: key, local: base != ""}
	if key == "" {
		return nil, &SpecError{spec, "there is no key: set ANTHROPIC_API_KEY"}
	}
	if base == "" {
		base = anthropicBase
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, &SpecError{spec, "ANTHROPIC_BASE_URL has to be an address such as " + anthropicBase}
	}
	m.fail.base = u.Redacted()
	m.client = anthropic.NewClient(
		option.WithoutEnvironmentDefaults(), // what the environment says was read above, and nothing else counts
		option.WithHTTPClient(m.http), option.WithAPIKey(key), option.WithBaseURL(base+"/"),
		option.WithMaxRetries(0), // ours tell the user
	)
	return m, nil
}

func (m *anthropicModel) Spec() string { return m.fail.spec }

func (m *anthropicModel) Window() int {
	if m.opts.Window > 0 {
		return m.opts.Window
	}
	return anthropicWindow
}

func (m *anthropicModel) Close() { m.http.CloseIdleConnections() }

// Generate implements [Model].
func (m *anthropicModel) Generate(ctx context.Context, r *Request, emit func(Delta)) (*Reply, error) {
	params := m.params(r)
	return retried(ctx, m.opts, emit, func(ctx context.Context, emit func(Delta)) (*Reply, error) {
		return m.once(ctx, params, emit)
	})
}

func (m *anthropicModel) once(ctx context.Context, params anthropic.MessageNewParams, emit func(Delta)) (*Reply, error) {
	stream := m.client.Messages.NewStreaming(ctx, params)
	defer func() { _ = stream.Close() }()
	var got anthropic.Message
	begun, ended := false, false
	for stream.Next() {
		event := stream.Current()
		if err := got.Accumulate(event); err != nil {
			return readReply(&got), m.fail.make(Garbled, 0, err.Error(), err)
		}
		begun = true
		switch event.Type {
		case "content_block_delta":
			switch event.Delta.Type {
			case "text_delta":
				emit(Delta{DeltaText, event.Delta.Text})
			case "thinking_delta":
				emit(Delta{DeltaThought, event.Delta.Thinking})
			}
		case "message_stop":
			ended = true
		}
	}
	err := stream.Err()
	switch {
	case err != nil:
		return readReply(&got), m.failure(err, begun)
	case !ended && begun:
		return readReply(&got), m.fail.make(Lost, 0, "", nil)
	case !ended:
		return nil, m.fail.make(Garbled, 0, "an answer with nothing in it", nil)
	}
	return readReply(&got), nil
}

// failure is the SDK's error in our words.
func (m *anthropicModel) failure(err error, begun bool) *Error {
	var api *anthropic.Error
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &api) && api.Response != nil && api.StatusCode >= 300:
		said := words(strings.NewReader(api.RawJSON()))
		return m.fail.status(api.Response, said)
	case errors.As(err, &api): // an event of a stream that had begun well
		said := words(strings.NewReader(api.RawJSON()))
		if strings.Contains(api.RawJSON(), "overloaded_error") {
			return m.fail.make(Overloaded, 0, said, nil)
		}
		return m.fail.make(Broken, 0, said, nil)
	case errors.As(err, &syntax) || strings.Contains(err.Error(), "unmarshal"):
		return m.fail.make(Garbled, 0, "", err)
	}
	return m.fail.connection(err, begun)
}

func (m *anthropicModel) params(r *Request) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{Model: anthropic.Model(m.name), MaxTokens: anthropicOutput}
	// The system text and the tools stay the same over many requests, and so does the
	// conversation up to its end: all of it may be cached.
	if r.System != "" {
		p.System = []anthropic.TextBlockParam{{Text: r.System, CacheControl: anthropic.NewCacheControlEphemeralParam()}}
	}
	for _, msg := range r.Messages {
		var blocks []anthropic.ContentBlockParamUnion
		for _, part := range msg.Parts {
			if b, ok := block(part); ok {
				blocks = append(blocks, b)
			}
		}
		if len(blocks) > 0 {
			p.Messages = append(p.Messages, anthropic.MessageParam{Role: anthropic.MessageParamRole(msg.Role), Content: blocks})
		}
	}
	if n := len(p.Messages); n > 0 {
		content := p.Messages[n-1].Content
		if cache := content[len(content)-1].GetCacheControl(); cache != nil {
			*cache = anthropic.NewCacheControlEphemeralParam()
		}
	}
	for _, t := range r.Tools {
		var schema struct {
			Properties json.RawMessage `json:"properties"`
			Required   []string        `json:"required"`
		}
		_ = json.Unmarshal(t.Schema, &schema) // our own schemas
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name: t.Name, Description: anthropic.String(t.Description),
			InputSchema: anthropic.ToolInputSchemaParam{Properties: schema.Properties, Required: schema.Required},
		}})
	}
	return p
}

func block(p Part) (anthropic.ContentBlockParamUnion, bool) {
	switch p.Type {
	case Text:
		return anthropic.NewTextBlock(p.Text), strings.TrimSpace(p.Text) != "" // an empty one is refused
	case Image:
		return anthropic.NewImageBlockBase64(p.MimeType, p.Data), true
	case Thought:
		return anthropic.NewThinkingBlock(p.Signature, p.Text), p.Signature != ""
	case Call:
		return anthropic.NewToolUseBlock(p.ID, json.RawMessage(arguments(p.Input)), p.Name), true
	case Result:
		return anthropic.NewToolResultBlock(p.ID, p.Text, p.Error), true
	}
	return anthropic.ContentBlockParamUnion{}, false
}

// readReply is what has come so far.
func readReply(m *anthropic.Message) *Reply {
	r := &Reply{Message: Message{Role: Assistant}, Stop: StopEnd}
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			if b.Text != "" {
				r.Message.Parts = append(r.Message.Parts, TextPart(b.Text))
			}
		case "thinking":
			r.Message.Parts = append(r.Message.Parts, Part{Type: Thought, Text: b.Thinking, Signature: b.Signature})
		case "tool_use":
			r.Message.Parts = append(r.Message.Parts, Part{Type: Call, ID: b.ID, Name: b.Name, Input: input(string(b.Input))})
		}
	}
	r.Usage = Usage{
		Input:  int(m.Usage.InputTokens + m.Usage.CacheReadInputTokens + m.Usage.CacheCreationInputTokens),
		Output: int(m.Usage.OutputTokens), CachedRead: int(m.Usage.CacheReadInputTokens), CachedWrite: int(m.Usage.CacheCreationInputTokens),
	}
	switch m.StopReason {
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		r.Stop = StopMaxTokens
	case anthropic.StopReasonRefusal:
		r.Stop = StopRefusal
	default:
		if len(r.Message.Calls()) > 0 {
			r.Stop = StopCalls
		}
	}
	return r
}
