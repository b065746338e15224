// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// Version 2 requires that every message has an id; in version 1 few agents give
// one. Two things decide which id a message gets:
//
//   - A user message has to have the same one live and in every replay, also in
//     another process: what the proxy remembers of a prompt is found by it
//     (PXY-5). So it is made of the message's text and of how often that was said
//     before in this session. White space does not count, since agents join and
//     trim blocks. An id that the agent gives is not used, since the same agents
//     give none to the live prompt.
//   - What the agent says keeps the agent's id. Without one, a message goes on
//     as long as nothing of another kind and no new tool call comes between. In
//     a replay the messages are counted, so that a second replay gives the same
//     ids; live ones get ids that nothing else has.
//
// A session that was resumed without its history is one of which nobody here
// knows what was said before. Its live user messages get ids that nothing else
// has, so that none replaces an older one.

// upMessage is the message of the agent that is being streamed.
type upMessage struct {
	variant string
	given   string // the id that the agent gave it; empty for one of ours
	id      string
}

// upReplay is a load under way.
type upReplay struct {
	swallow bool
	said    map[string]int
	begun   map[string]bool // messages that were replayed in part, by their ids
	lastID  int

	// The user message that is being gathered, since its id is made of all of
	// it.
	user   jsonrpc.Message // its first chunk
	blocks [][]byte
}

// userID is the id of a user message. said counts it.
func (u *Up) userID(s *upSession, blocks [][]byte, said map[string]int) string {
	key := upTextHash(blocks)
	said[key]++
	if s.replay == nil && !s.known {
		return "user-" + key + "-" + u.opts.Token()
	}
	return "user-" + key + "-" + strconv.Itoa(said[key])
}

// upTextHash is the same for all forms in which agents report the same prompt.
func upTextHash(blocks [][]byte) string {
	h := sha256.New()
	drop := func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}
	texts := false
	for _, b := range blocks {
		if kind, _ := rawjson.GetString(b, "type"); kind == "text" {
			text, _ := rawjson.GetString(b, "text")
			text = strings.Map(drop, text)
			texts = texts || text != ""
			h.Write([]byte(text))
		}
	}
	if !texts {
		for _, b := range blocks {
			kind, _ := rawjson.GetString(b, "type")
			h.Write([]byte(kind))
			h.Write([]byte{0})
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// chunk handles a piece of a message.
func (u *Up) chunk(s *upSession, m jsonrpc.Message, update []byte) {
	if m.Variant == "user_message_chunk" {
		u.userChunk(s, m, update)
		return
	}
	if t := s.turn; t != nil {
		t.output = true
	}
	id, first := u.messageID(s, m.Variant, update)
	update = rawjson.Set(update, rawjson.Quote(id), "messageId")
	if s.replay != nil && first {
		// Whole, so that it replaces what the client may have of it.
		update = rawjson.Set(update, rawjson.Quote(strings.TrimSuffix(m.Variant, "_chunk")), "sessionUpdate")
		update = rawjson.Set(update, rawjson.Array([][]byte{rawjson.Get(update, "content")}), "content")
	}
	u.forward(s, m, update)
}

// messageID is the id of the message that a chunk belongs to, and whether the
// chunk is its first one.
func (u *Up) messageID(s *upSession, variant string, update []byte) (id string, first bool) {
	given, _ := rawjson.GetString(update, "messageId")
	if given == "" && s.message.variant == variant && s.message.given == "" {
		return s.message.id, false
	}
	s.message = upMessage{variant: variant, given: given, id: given}
	switch r := s.replay; {
	case r != nil && given != "":
		key := variant + " " + given
		first = !r.begun[key]
		r.begun[key] = true
	case r != nil:
		r.lastID++
		s.message.id, first = "replayed-"+strconv.Itoa(r.lastID), true
	case given == "":
		if s.live == "" {
			s.live = u.opts.Token() + "-"
		}
		s.lastID++
		s.message.id, first = s.live+strconv.Itoa(s.lastID), true
	}
	return s.message.id, first
}

// userChunk handles a piece of a user message: of the history, of the prompt that
// the agent works on, or of one that somebody else sent.
func (u *Up) userChunk(s *upSession, m jsonrpc.Message, update []byte) {
	content := rawjson.Get(update, "content")
	if r := s.replay; r != nil {
		given, _ := rawjson.GetString(update, "messageId")
		was, _ := rawjson.GetString(r.user.Params(), "update", "messageId")
		if len(r.blocks) > 0 && given != was {
			u.flushUser(s)
		}
		s.message = upMessage{}
		if m = m.Clone(); len(r.blocks) == 0 {
			r.user = m
		}
		r.blocks = append(r.blocks, rawjson.Get(m.Params(), "update", "content"))
		return
	}
	if t := s.turn; t != nil && !t.abandoned && (!t.output || t.has(content)) {
		return // the client has its prompt already
	}
	id, _ := u.messageID(s, m.Variant, update)
	u.forward(s, m, rawjson.Set(update, rawjson.Quote(id), "messageId"))
}

// has reports whether a piece of a user message is one of the prompt.
func (t *upTurn) has(content []byte) bool {
	kind, _ := rawjson.GetString(content, "type")
	text, _ := rawjson.GetString(content, "text")
	for _, b := range t.blocks {
		k, _ := rawjson.GetString(b, "type")
		have, _ := rawjson.GetString(b, "text")
		if k == kind && strings.Contains(have, strings.TrimSpace(text)) {
			return true
		}
	}
	return false
}

// flushUser sends on the user message that was gathered from a replay, since
// something else follows.
func (u *Up) flushUser(s *upSession) {
	r := s.replay
	if r == nil || len(r.blocks) == 0 {
		return
	}
	m, blocks := r.user, r.blocks
	r.user, r.blocks = jsonrpc.Message{}, nil
	id := u.userID(s, blocks, r.said)
	update := rawjson.Set(rawjson.Get(m.Params(), "update"), []byte(`"user_message"`), "sessionUpdate")
	update = rawjson.Set(update, rawjson.Quote(id), "messageId")
	u.forward(s, m, rawjson.Set(update, rawjson.Array(blocks), "content"))
}
