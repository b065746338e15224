// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"strings"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A message is a user message, put together from its updates: a whole one replaces
// what there is, a chunk adds to it.
type message struct {
	id     string
	blocks [][]byte
	frames []Frame
}

func idOf(resp Frame) string {
	id, _ := rawjson.GetString(resp.Result(), "messageId")
	return id
}

// message puts the user message of an id together.
func (c *chat) message(frames []Frame, id string) message {
	m := message{id: id}
	for _, f := range frames {
		u := f.update(c.id)
		if got, _ := rawjson.GetString(u, "messageId"); u == nil || got != id || f.Sent {
			continue
		}
		content := rawjson.Get(u, "content")
		switch {
		case f.Variant == "user_message_chunk":
			m.blocks = append(m.blocks, content)
		case f.Variant != "user_message":
			continue
		case content != nil:
			m.blocks = nil
			for _, e := range rawjson.Elements(content) {
				m.blocks = append(m.blocks, e.Value)
			}
		}
		m.frames = append(m.frames, f)
	}
	return m
}

// userMessages are the ids of the user messages in frames, in their order.
func (c *chat) userMessages(frames []Frame) []string {
	var ids []string
	seen := map[string]bool{}
	for _, f := range frames {
		if f.Sent || f.update(c.id) == nil || !strings.HasPrefix(f.Variant, "user_message") {
			continue
		}
		if id, _ := rawjson.GetString(f.update(c.id), "messageId"); !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// mustEcho waits for the user message that a prompt became.
func (c *chat) mustEcho(req, resp Frame) message {
	id := idOf(resp)
	if id == "" {
		c.t.Skipf("the answer to the prompt has no messageId, see prompt/answer")
	}
	_, ok := c.find(req.n, c.t.opts.Timeout, func(f Frame) bool {
		got, _ := rawjson.GetString(f.update(c.id), "messageId")
		return got == id && strings.HasPrefix(f.Variant, "user_message")
	})
	if !ok {
		c.t.Failf([]Frame{req, resp}, "the prompt was let in as %s, and no user_message of that id comes", quote(id))
	}
	c.idle(req) // chunks may follow each other slowly, and end before it
	c.sync()
	return c.message(c.since(req.n), id)
}

// text is the text of all blocks.
func (m message) text() string {
	var b strings.Builder
	for _, raw := range m.blocks {
		if kind, _ := rawjson.GetString(raw, "type"); kind == "text" {
			s, _ := rawjson.GetString(raw, "text")
			b.WriteString(s)
		}
	}
	return b.String()
}

// shape is what matters of a prompt's blocks when a message is compared with it:
// what is not text stays as it is, and texts that stand side by side are one. How
// an agent cuts and trims text is its own.
func shape(blocks [][]byte) []string {
	var out []string
	text := false
	for _, raw := range blocks {
		kind, _ := rawjson.GetString(raw, "type")
		switch kind {
		case "text":
			s, _ := rawjson.GetString(raw, "text")
			if s = strings.TrimSpace(s); s == "" {
				continue
			}
			if text {
				out[len(out)-1] += " " + s
				continue
			}
			out = append(out, "text "+s)
		case "skill":
			name, _ := rawjson.GetString(raw, "name")
			out = append(out, "skill "+name)
		default:
			out = append(out, kind)
		}
		text = kind == "text"
	}
	return out
}

func sameShape(sent []string, got [][]byte) bool {
	raw := make([][]byte, len(sent))
	for i, s := range sent {
		raw[i] = []byte(s)
	}
	a, b := shape(raw), shape(got)
	return strings.Join(a, "\x00") == strings.Join(b, "\x00")
}

// mustRefuse sends a prompt that must not be let in: the answer is -32602, and
// nothing of the prompt is seen (ACP-P4). placed says that the error has to name the
// block.
func (c *chat) mustRefuse(what string, codeOnly bool, blocks ...string) (req, resp Frame) {
	req, resp = c.say(blocks...)
	switch {
	case resp.ErrorValue() == nil:
		c.t.Failf([]Frame{req, resp}, "a prompt with %s is accepted", what)
	case resp.errorCode() != jsonrpc.CodeInvalidParams:
		c.t.Failf([]Frame{req, resp}, "a prompt with %s is refused with %d; the error is -32602", what, resp.errorCode())
	}
	if codeOnly {
		return req, resp
	}
	c.mustBeUntouched(what, req, resp)
	return req, resp
}

// mustBeUntouched checks that a refused prompt left nothing.
func (c *chat) mustBeUntouched(what string, req, resp Frame) {
	c.sync()
	for _, f := range c.since(req.n) {
		if f.Sent || f.update(c.id) == nil {
			continue
		}
		if strings.HasPrefix(f.Variant, "user_message") || f.Variant == "state_update" {
			c.t.Failf([]Frame{req, f, resp}, "a prompt with %s is refused, and yet a %s comes: nothing of it is inserted", what, f.Variant)
		}
	}
}
