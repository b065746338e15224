// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"bytes"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// userMessage handles the agent's report of a user message, live or in a
// replay: the client sees its own blocks at their place (ACP-P6, PXY-5).
func (s *Stage) userMessage(sess *session, m jsonrpc.Message) {
	update := rawjson.Get(m.Params(), "update")
	id, ok := rawjson.GetString(update, "messageId")
	if !ok {
		s.endReplayed(sess)
		s.passUserMessage(sess, m)
		return
	}
	if sess.replaying && sess.past != nil {
		s.replayed(sess, m, id, update)
		return
	}
	p := sess.byMessage[id]
	if p == nil {
		if p = sess.past.recall(id); p != nil {
			sess.bind(p, id)
		}
	}
	if p == nil {
		switch p = sess.match(update); {
		case p == nil:
			p = &sentPrompt{} // somebody else's: no later prompt is this one
			sess.bind(p, id)
		case p.ended: // no answer will say so
			sess.settle(p)
			s.confirm(sess, p, id)
		default:
			sess.bind(p, id)
		}
	}
	if !p.changed {
		s.passUserMessage(sess, m)
		return
	}
	if m.Variant == "user_message_chunk" {
		s.echoChunk(p, m)
		return
	}
	content := rawjson.Get(update, "content")
	switch {
	case !rawjson.IsArray(content) && string(content) != "null":
		s.opts.ToClient(m) // a patch of other fields, such as _meta
	case isEmpty(content):
		p.delivered = false // cleared: what comes next fills it again
		s.opts.ToClient(m)
	default:
		p.delivered = true
		s.opts.ToClient(m.WithParams(rawjson.Set(m.Params(), p.blocks, "update", "content")))
	}
}

func isEmpty(content []byte) bool {
	for range rawjson.Elements(content) {
		return false
	}
	return true
}

// echoChunk sends the client's blocks in place of the agent's first chunk, and
// swallows the rest of them.
func (s *Stage) echoChunk(p *sentPrompt, m jsonrpc.Message) {
	if p.delivered {
		return
	}
	p.delivered = true
	s.sendChunks(m, rawjson.Values(p.blocks))
}

// sendChunks sends blocks as chunks made after m. The first one keeps what m
// says besides, the others only what makes them chunks of that message.
func (s *Stage) sendChunks(m jsonrpc.Message, blocks [][]byte) {
	params := m.Params()
	for _, b := range blocks {
		s.opts.ToClient(m.WithParams(rawjson.Set(params, b, "update", "content")))
		params = rawjson.Delete(params, "update", "_meta")
	}
}

// match finds the prompt that a message id not seen before belongs to: the
// oldest one whose content the agent reports, and of those that ended as
// cancelled only when it is none of the others. An agent that reports a prompt in
// other words than it was sent in is believed when there is but one to mean.
func (sess *session) match(update []byte) *sentPrompt {
	first, whole := firstContent(update)
	begins := func(p *sentPrompt) bool {
		return first != nil && len(p.sent) > 0 && (sameBlock(p.sent[0], first) || !whole && startsText(p.sent[0], first))
	}
	entire := func(p *sentPrompt) bool {
		return begins(p) && (!whole || sameTexts(p.sent, rawjson.Get(update, "content")))
	}
	open := unbound(sess.prompts, false)
	for _, is := range []func(*sentPrompt) bool{entire, begins} {
		for _, list := range [][]*sentPrompt{open, unbound(sess.prompts, true)} {
			if i := slices.IndexFunc(list, is); i >= 0 {
				return list[i]
			}
		}
	}
	if len(open) == 1 {
		return open[0]
	}
	return nil
}

func unbound(prompts []*sentPrompt, ended bool) (out []*sentPrompt) {
	for _, p := range prompts {
		if p.messageID == "" && p.ended == ended {
			out = append(out, p)
		}
	}
	return out
}

// firstContent is the first block of a message or chunk, and whether the update
// has the whole message.
func firstContent(update []byte) (first []byte, whole bool) {
	content := rawjson.Get(update, "content")
	if rawjson.IsObject(content) {
		return content, false
	}
	for _, e := range rawjson.Elements(content) {
		return e.Value, true
	}
	return nil, true
}

// sameBlock reports whether an agent's report of a block is that of a block we
// sent. Agents write the members anew and trim text.
func sameBlock(sent, echoed []byte) bool {
	a, _ := rawjson.GetString(sent, "type")
	b, _ := rawjson.GetString(echoed, "type")
	if a != b {
		return false
	}
	for _, path := range [][]string{{"text"}, {"data"}, {"uri"}, {"name"}, {"resource", "uri"}} {
		x, okX := rawjson.GetString(sent, path...)
		y, okY := rawjson.GetString(echoed, path...)
		if okX != okY || strings.TrimSpace(x) != strings.TrimSpace(y) {
			return false
		}
	}
	return true
}

// startsText reports whether a chunk is the start of a text that we sent: an
// agent may stream a user's message in pieces.
func startsText(sent, chunk []byte) bool {
	a, okA := blockBytes(sent)
	b, okB := blockBytes(chunk)
	a, b = bytes.TrimSpace(a), bytes.TrimSpace(b)
	return okA && okB && len(b) > 0 && bytes.HasPrefix(a, b)
}

func sameTexts(sent [][]byte, content []byte) bool {
	var a, b []string
	for _, t := range sent {
		if text, ok := blockText(t); ok {
			a = append(a, journal.HashText(text))
		}
	}
	for _, e := range rawjson.Elements(content) {
		if text, ok := blockText(e.Value); ok {
			b = append(b, journal.HashText(text))
		}
	}
	return strings.Join(a, " ") == strings.Join(b, " ")
}
