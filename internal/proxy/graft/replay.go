// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
)

// replay is what is known of a conversation: the prompts in which the agent got
// something else than the client sent, from the journal and of this process. While
// a resume replays it a message's chunks are gathered until it is over: which of
// them are ours shows only then.
type replay struct {
	records []journal.Record
	claimed []bool
	plain   bool     // the client knows no skill blocks
	adds    []string // see profile.Profile

	id     string // of the message that is being gathered
	chunks []jsonrpc.Message

	typed typedRun
}

// idle reports whether nothing waits for what comes next of a message.
func (r *replay) idle() bool { return len(r.chunks) == 0 && r.typed.rest == "" }

func newReplay(records []journal.Record, plain bool) *replay {
	return &replay{records: records, claimed: make([]bool, len(records)), plain: plain}
}

func (s *Stage) newReplay(records []journal.Record) *replay {
	r := newReplay(records, !s.conn.clientSkill)
	r.adds = s.conn.profile.ReplayAdds
	return r
}

// beginReplay is called when the journal of a resumed session was read.
func (s *Stage) beginReplay(su *setup) {
	sess := su.sess
	if len(su.records) > 0 {
		sess.past = s.newReplay(su.records)
		sess.titles = nil
		for _, r := range su.records {
			sess.addTitle(r)
		}
	} else if sess.past != nil { // kept without a journal
		clear(sess.past.claimed)
		sess.past.typed = typedRun{}
	}
	sess.replaying = su.replays
}

const (
	// maxRemembered is how many prompts of a session are kept to restore what the
	// agent reports of them again.
	maxRemembered = 512
	// maxRememberedSize is how long the blocks of one may be; of a longer one only
	// the skill blocks are kept.
	maxRememberedSize = 256 << 10
)

// remember adds a prompt of this process.
func (s *Stage) remember(sess *session, rec journal.Record) {
	if sess.past == nil {
		sess.past = s.newReplay(nil)
	}
	if len(rec.Blocks) > maxRememberedSize {
		rec = skillsOnly(rec)
	}
	r := sess.past
	r.records, r.claimed = append(r.records, rec), append(r.claimed, false)
	if len(r.records) > maxRemembered {
		r.records, r.claimed = r.records[1:], r.claimed[1:]
	}
}

// skillsOnly is a record that restores tags and no more.
func skillsOnly(rec journal.Record) journal.Record {
	tokens := rawjson.Values(rec.Blocks)
	for i, t := range tokens {
		kind, _ := rawjson.GetString(t, "type")
		switch {
		case kind == "skill":
		case slices.ContainsFunc(rec.Nonces, func(n journal.Nonce) bool { return n.Block == i }):
			tokens[i] = nameOnly(t)
		default:
			tokens[i] = []byte("null")
		}
	}
	rec.Blocks, rec.Sent, rec.ID = rawjson.Array(tokens), nil, ""
	return rec
}

// confirm notes which message a prompt became.
func (r *replay) confirm(record, id string) {
	if r == nil || record == "" {
		return
	}
	if i := r.index(record); i >= 0 {
		r.records[i].MessageID = id
	}
}

// recall is the prompt that became a message, as far as it is known: agents
// report one again long after it was replayed.
func (r *replay) recall(id string) *sentPrompt {
	if r == nil {
		return nil
	}
	i := slices.IndexFunc(r.records, func(rec journal.Record) bool { return rec.MessageID == id })
	if i < 0 {
		return nil
	}
	return &sentPrompt{changed: true, delivered: true, blocks: rawjson.Array(r.clientBlocks(r.records[i], nil))}
}

// passUserMessage sends on a user message that is none of the known prompts. A
// tag of ours in it is still not for the client's eyes.
func (s *Stage) passUserMessage(sess *session, m jsonrpc.Message) {
	if sess.past == nil || !bytes.Contains(m.Raw, []byte(tagOpen[1:])) {
		s.opts.ToClient(m)
		return
	}
	content := rawjson.Get(m.Params(), "update", "content")
	tokens, chunk := rawjson.Values(content), rawjson.IsObject(content)
	if chunk {
		tokens = [][]byte{content}
	}
	restored := sess.past.pieces(tokens, 0)
	switch {
	case slices.EqualFunc(tokens, restored, slices.Equal[[]byte]):
		s.opts.ToClient(m)
	case chunk:
		s.sendChunks(m, restored)
	default:
		s.opts.ToClient(m.WithParams(rawjson.Set(m.Params(), rawjson.Array(restored), "update", "content")))
	}
}

// replayed handles a user message of a replay.
func (s *Stage) replayed(sess *session, m jsonrpc.Message, id string, update []byte) {
	r := sess.past
	if m.Variant == "user_message_chunk" {
		if r.id != id {
			s.flushReplayed(r)
		}
		r.id = id
		r.chunks = append(r.chunks, m.Clone())
		return
	}
	s.flushReplayed(r)
	content := rawjson.Get(update, "content")
	if !rawjson.IsArray(content) || isEmpty(content) {
		s.opts.ToClient(m)
		return
	}
	tokens := rawjson.Values(content)
	restored := r.restore(id, tokens)
	if !slices.EqualFunc(tokens, restored, slices.Equal[[]byte]) {
		m = m.WithParams(rawjson.Set(m.Params(), rawjson.Array(restored), "update", "content"))
	}
	s.opts.ToClient(m)
}

// endReplayed sends on what was gathered of a message, since something else
// follows.
func (s *Stage) endReplayed(sess *session) {
	if sess != nil && sess.past != nil {
		s.flushReplayed(sess.past)
	}
}

func (s *Stage) flushReplayed(r *replay) {
	r.typed.rest = ""
	chunks := r.chunks
	id := r.id
	r.chunks, r.id = nil, ""
	if len(chunks) == 0 {
		return
	}
	tokens := make([][]byte, len(chunks))
	for i, c := range chunks {
		tokens[i] = rawjson.Get(c.Params(), "update", "content")
	}
	restored := r.restore(id, tokens)
	if slices.EqualFunc(tokens, restored, slices.Equal[[]byte]) {
		for _, c := range chunks {
			s.opts.ToClient(c)
		}
		return
	}
	s.sendChunks(chunks[0], restored)
}

// restore puts the client's blocks in place of what the agent replays of them.
//
// The message id says which prompt it is. But an agent may join prompts that it
// ran together into one message under the id of the last, so what stands before
// the prompt's own beginning is looked at piece by piece.
func (r *replay) restore(id string, tokens [][]byte) [][]byte {
	i := slices.IndexFunc(r.records, func(rec journal.Record) bool { return rec.MessageID == id })
	if i < 0 {
		if i = r.inherited(tokens); i < 0 {
			if out, ok := r.whole(tokens); ok {
				return out
			}
			tokens = r.joinCut(tokens)
			return r.pieces(tokens, len(tokens)-1)
		}
	}
	r.claimed[i] = true
	rec := r.records[i]
	start := beginning(rec, tokens)
	return append(r.pieces(tokens[:start], start), r.clientBlocks(rec, tokens[start:])...)
}

// joinCut joins texts in a row into one where a tag of ours was cut in two.
func (r *replay) joinCut(tokens [][]byte) [][]byte {
	var out [][]byte
	for i := 0; i < len(tokens); {
		end := i
		var whole strings.Builder
		cut := true
		for ; end < len(tokens); end++ {
			text, ok := blockText(tokens[end])
			if !ok {
				break
			}
			if _, b := r.tagged(text); b != nil {
				cut = false
			}
			whole.WriteString(text)
		}
		if _, b := r.tagged(whole.String()); cut && b != nil {
			out = append(out, profile.TextBlock(whole.String()))
		} else {
			end = max(end, i+1)
			out = append(out, tokens[i:end]...)
		}
		i = end
	}
	return out
}

// inherited finds the oldest record not yet seen that came with a fork and whose
// texts are those of a message: some agents give it another id there.
func (r *replay) inherited(tokens [][]byte) int {
	return slices.IndexFunc(r.records, func(rec journal.Record) bool {
		if i := r.index(rec.ID); !rec.Inherited || r.claimed[i] {
			return false
		}
		texts := 0
		for _, sent := range rec.Sent {
			if !sent.Text {
				continue
			}
			texts++
			if !slices.ContainsFunc(tokens, func(tok []byte) bool {
				text, ok := blockText(tok)
				return ok && journal.HashText(text) == sent.Hash
			}) {
				return false
			}
		}
		return texts > 0
	})
}

func (r *replay) index(id string) int {
	return slices.IndexFunc(r.records, func(rec journal.Record) bool { return rec.ID == id })
}

// beginning is the index of the first token that belongs to the prompt: the
// place of a text that was sent, less what was sent before it.
func beginning(rec journal.Record, tokens [][]byte) int {
	for i, sent := range rec.Sent {
		if !sent.Text {
			continue
		}
		for j, tok := range tokens {
			if text, ok := blockText(tok); ok && journal.HashText(text) == sent.Hash {
				return max(0, j-i)
			}
		}
	}
	return 0
}

// pieces restores what can be told from a piece alone: our tag with a nonce that
// the journal knows, or the only text of a prompt that was joined to another.
// The first joined pieces come from such prompts; the others may be what the
// user typed.
func (r *replay) pieces(tokens [][]byte, joined int) [][]byte {
	var out [][]byte
	for n, tok := range tokens {
		text, ok := blockText(tok)
		if !ok {
			out = append(out, tok)
			continue
		}
		if tag, b := r.tagged(text); b != nil {
			out = append(out, around(tok, text, tag, r.inPlace(b))...)
			continue
		}
		if i := r.onlyText(text, n < joined); i >= 0 {
			r.claimed[i] = true
			out = append(out, r.clientBlocks(r.records[i], tokens)...)
			continue
		}
		out = append(out, tok)
	}
	return out
}

const (
	tagOpen  = "<skill_content "
	tagClose = "</skill_content>"
)

// tagged finds a skill of ours in a text: the tag as it stands there, and the
// client's block for it.
func (r *replay) tagged(text string) (tag string, b []byte) {
	tag, _, b = r.find(text)
	return tag, b
}

// find is tagged, and of which record the block is.
func (r *replay) find(text string) (tag string, record int, b []byte) {
	from := strings.Index(text, tagOpen)
	if from < 0 {
		return "", -1, nil
	}
	end := strings.Index(text[from:], tagClose)
	head := strings.Index(text[from:], ">")
	if end < 0 || head < 0 {
		return "", -1, nil
	}
	for i, rec := range r.records {
		for _, n := range rec.Nonces {
			if n.Nonce != "" && strings.Contains(text[from:from+head], `id="`+n.Nonce+`"`) {
				blocks := rawjson.Values(rec.Blocks)
				if n.Block < len(blocks) {
					return text[from : from+end+len(tagClose)], i, blocks[n.Block]
				}
			}
		}
	}
	return "", -1, nil
}

// around is a text block in which the tag is replaced by a block.
func around(tok []byte, text, tag string, b []byte) [][]byte {
	before, after, _ := strings.Cut(text, tag)
	var out [][]byte
	if strings.TrimSpace(before) != "" {
		out = append(out, rawjson.Set(tok, rawjson.Quote(before), "text"))
	}
	out = append(out, b)
	if strings.TrimSpace(after) != "" {
		out = append(out, rawjson.Set(tok, rawjson.Quote(after), "text"))
	}
	return out
}

// onlyText finds the oldest prompt not yet seen that was sent as this one text:
// of all when the text was joined to another prompt, else of those whose message
// id nobody knows.
func (r *replay) onlyText(text string, joined bool) int {
	hash := journal.HashText(text)
	for i, rec := range r.records {
		if !r.claimed[i] && (joined || rec.MessageID == "") && len(rec.Sent) == 1 && rec.Sent[0].Text && rec.Sent[0].Hash == hash {
			return i
		}
	}
	return -1
}

// clientBlocks are the client's blocks of a record. Long data that the journal
// did not keep comes from what the agent replays.
func (r *replay) clientBlocks(rec journal.Record, replayed [][]byte) [][]byte {
	filled, missing := journal.Unblob(rec.Blocks, func(hash string) ([]byte, bool) { return findBlob(replayed, hash) })
	out := rawjson.Values(filled)
	for i, b := range out {
		out[i] = r.shown(b)
	}
	if missing == 0 {
		return out
	}
	for i, b := range out {
		if _, size, ok := journal.BlobHash(b); ok {
			kind, _ := rawjson.GetString(b, "type")
			out[i] = profile.TextBlock(fmt.Sprintf("(%s of %d bytes, which the agent did not replay)", skill.Sanitize(kind), size))
		}
	}
	return out
}

// shown is a block of the client as this client can show it: one that knows no
// skill blocks may be resuming what one that does has begun (ACP-P7).
func (r *replay) shown(b []byte) []byte {
	if kind, _ := rawjson.GetString(b, "type"); !r.plain || kind != "skill" {
		return b
	}
	name, _ := rawjson.GetString(b, "name")
	return profile.TextBlock("/" + name)
}

// findBlob looks for data of a hash in content blocks. Some agents replay an
// image as a link with a data URI in a text.
func findBlob(tokens [][]byte, hash string) ([]byte, bool) {
	for _, tok := range tokens {
		for _, path := range [][]string{{"data"}, {"resource", "blob"}} {
			if data, ok := rawjson.GetString(tok, path...); ok && journal.HashBytes([]byte(data)) == hash {
				return []byte(data), true
			}
		}
		text, _ := blockText(tok)
		for _, part := range strings.Split(text, ";base64,")[1:] {
			data, _, _ := strings.Cut(part, ")")
			if journal.HashBytes([]byte(data)) == hash {
				return []byte(data), true
			}
		}
	}
	return nil, false
}
