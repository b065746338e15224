// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
)

const (
	openAIBase   = "https://api.openai.com/v1"
	openAIWindow = 128_000 // tokens; what most take at least
)

// openAI asks a server of Chat Completions.
type openAI struct {
	name string
	opts Options
	url  string
	http *http.Client
	fail failures
}

func newOpenAI(spec, name string, o Options) (Model, error) {
	base := strings.TrimRight(o.Env("OPENAI_BASE_URL"), "/")
	m := &openAI{name: name, opts: o, http: newClient(o.Silence)}
	m.fail = failures{spec: spec, keyVar: "OPENAI_API_KEY", baseVar: "OPENAI_BASE_URL", base: base, key: o.Env("OPENAI_API_KEY"), local: base != ""}
	if base == "" {
		base, m.fail.base = openAIBase, openAIBase
		if m.fail.key == "" {
			return nil, &SpecError{spec, "there is no key: set OPENAI_API_KEY, or OPENAI_BASE_URL to the address of a server that needs none, such as http://localhost:11434/v1"}
		}
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, &SpecError{spec, "OPENAI_BASE_URL has to be an address such as http://localhost:11434/v1"}
	}
	m.url = base + "/chat/completions"
	m.fail.base = u.Redacted()
	return m, nil
}

func (m *openAI) Spec() string { return m.fail.spec }

func (m *openAI) Window() int {
	if m.opts.Window > 0 {
		return m.opts.Window
	}
	return openAIWindow
}

func (m *openAI) Close() { m.http.CloseIdleConnections() }

// Generate implements [Model].
func (m *openAI) Generate(ctx context.Context, r *Request, emit func(Delta)) (*Reply, error) {
	body := chatBody(m.name, r)
	return retried(ctx, m.opts, emit, func(ctx context.Context, emit func(Delta)) (*Reply, error) {
		reply, err := m.once(ctx, body, emit)
		var e *Error
		if body.StreamOptions != nil && errors.As(err, &e) && e.Status == http.StatusBadRequest && strings.Contains(e.Said, "stream_options") {
			body.StreamOptions = nil // an older server: it does without being counted
			reply, err = m.once(ctx, body, emit)
		}
		return reply, err
	})
}

func (m *openAI) once(ctx context.Context, body *chatRequest, emit func(Delta)) (*Reply, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return nil, m.fail.make(Refused, 0, "", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, &b)
	if err != nil {
		return nil, m.fail.make(Unreachable, 0, "", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if m.fail.key != "" {
		req.Header.Set("Authorization", "Bearer "+m.fail.key)
	}
	resp, err := m.http.Do(req)
	if err != nil {
		return nil, m.fail.connection(err, false)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, m.fail.status(resp, words(resp.Body))
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	c := &chatReply{emit: emit}
	switch kind {
	case "application/json":
		err = m.whole(resp.Body, c)
	case "text/html":
		err = m.fail.make(Garbled, 0, "a page for a browser", nil)
	default:
		err = m.stream(resp.Body, c)
	}
	return c.reply(), err
}

// whole reads the answer of a server that does not stream.
func (m *openAI) whole(body io.Reader, c *chatReply) error {
	raw, err := io.ReadAll(io.LimitReader(body, maxEvent))
	if err != nil {
		return m.fail.connection(err, true)
	}
	return m.take(raw, c)
}

func (m *openAI) stream(body io.Reader, c *chatReply) error {
	in := newEvents(body)
	for {
		data, err := in.next()
		switch {
		case err == io.EOF && c.stop != "":
			return nil
		case err == io.EOF:
			return m.fail.make(Lost, 0, "", io.ErrUnexpectedEOF)
		case errors.Is(err, errLongEvent):
			return m.fail.make(Garbled, 0, err.Error(), nil)
		case err != nil:
			return m.fail.connection(err, true)
		case string(bytes.TrimSpace(data)) == "[DONE]":
			if c.stop == "" && len(c.message.Parts) == 0 && c.text.Len() == 0 && len(c.calls) == 0 {
				return m.fail.make(Garbled, 0, "an answer with nothing in it", nil)
			}
			return nil
		}
		if err := m.take(data, c); err != nil {
			return err
		}
	}
}

func (m *openAI) take(data []byte, c *chatReply) error {
	var chunk chatChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return m.fail.make(Garbled, 0, string(data[:min(len(data), maxSaid)]), err)
	}
	if said := message(chunk.Error); said != "" {
		if aboutLength(said) {
			return m.fail.make(TooLong, 0, said, nil)
		}
		return m.fail.make(Broken, 0, said, nil)
	}
	if chunk.Choices == nil && chunk.Usage == nil && chunk.Object == "" {
		return m.fail.make(Garbled, 0, string(data[:min(len(data), maxSaid)]), nil)
	}
	c.take(&chunk)
	return nil
}

// connection is the failure of a connection.
func (f *failures) connection(err error, within bool) *Error {
	var timeout net.Error
	switch {
	case errors.Is(err, errSilent):
		return f.make(Silent, 0, "", err)
	case within:
		return f.make(Lost, 0, "", err)
	case errors.As(err, &timeout) && timeout.Timeout():
		return f.make(Unreachable, 0, "", err)
	}
	// The address is in the advice; what the system says of it is the rest.
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return f.make(Unreachable, 0, err.Error(), err)
}
