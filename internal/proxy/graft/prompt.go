// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
)

// sentPrompt is a prompt that was forwarded.
type sentPrompt struct {
	call      jsonrpc.ID
	changed   bool   // the agent got something else than the client sent
	blocks    []byte // the client's blocks, of a changed one
	sent      [][]byte
	record    string // its id in the journal
	messageID string
	delivered bool // the client has seen its blocks in an echo
	ran       bool // the agent has said something since it was sent
	ended     bool // answered as cancelled: agents do run such a prompt now and then
}

// smallPrompt is how many bytes of an unchanged prompt are kept to tell its echo
// from another one's.
const smallPrompt = 256 << 10

// use is a skill block of a prompt, resolved.
type use struct {
	block int
	entry *entry
	act   *skill.Activation // nil for a skill without a file
	stale bool              // the agent may still have what the file was before
}

// prompt handles a session/prompt: ACP-P1 to ACP-P4 before anything else, then
// the skills are read beside the loop, and the prompt goes on with them.
func (s *Stage) prompt(sess *session, m jsonrpc.Message) {
	params := m.Params()
	blocks := rawjson.Get(params, "prompt")
	if name, dup := rawjson.HasDuplicate(params); dup {
		s.refuse(m.ID, &acp.PromptError{Block: -1, Reason: fmt.Sprintf("params has the name %q twice", skill.Sanitize(name))})
		return
	}
	if !rawjson.IsArray(blocks) {
		s.opts.ToAgent(m) // malformed, and the agent's to say
		return
	}
	takes := s.conn.dialect.blocks()
	found, err := acp.CheckPrompt(blocks, takes, s.resolve(sess))
	if err != nil {
		var pe *acp.PromptError
		if errors.As(err, &pe) && pe.Block >= 0 && !takes.Skill {
			pe.Reason = "protocol version 1 has no skill blocks; invoke a skill with text that starts with a slash and its name"
		}
		s.refuse(m.ID, err)
		return
	}
	if sess == nil {
		s.opts.ToAgent(m)
		return
	}
	list := rawjson.Values(blocks)
	uses := make([]use, len(found))
	for i, f := range found {
		uses[i] = use{block: f.Block, entry: sess.list().entries[f.Name]}
	}
	if _, _, changed := s.typed(sess, list, len(found) > 0); !changed && len(found) == 0 {
		p := &sentPrompt{call: m.ID.Plain()}
		if len(blocks) <= smallPrompt {
			p.sent = cloneTokens(list)
		}
		sess.outstanding(p)
		s.opts.ToAgent(m)
		return
	}
	m = m.Clone() // a prompt can be large: its parts are those of the one copy
	blocks = rawjson.Get(m.Params(), "prompt")
	list, own, _ := s.typed(sess, rawjson.Values(blocks), len(found) > 0)
	uses = append(uses, own...)
	sess.used = true
	c := s.composer(sess)
	s.startHold(sess, m.ID, func(ctx context.Context) (func(), func()) {
		return s.expand(ctx, sess, c, m, blocks, list, uses)
	})
}

// expand reads the skills of a prompt, writes the prompt that the agent gets and
// has it in the journal before it leaves.
func (s *Stage) expand(ctx context.Context, sess *session, c composer, m jsonrpc.Message, blocks []byte, list [][]byte, uses []use) (then, instead func()) {
	refuse := func(err error) (func(), func()) { return func() { s.refuse(m.ID, err) }, nil }
	for i, u := range uses {
		u.entry = u.entry.located()
		if uses[i] = u; u.entry.listed.Entry == nil {
			continue
		}
		act, err := s.activate(ctx, sess, u.entry)
		if err != nil {
			return refuse(&acp.PromptError{Rule: "ACP-P4", Block: u.block, Name: u.entry.name, Reason: goneReason(err)})
		}
		uses[i].act, uses[i].stale = act, c.stale(u.entry.listed.File)
	}
	made, err := c.compose(list, uses)
	if err != nil {
		return refuse(err)
	}
	rec := journal.Record{
		ID: journal.NewID(), Blocks: blocks, Sent: journalSent(made.blocks), Nonces: made.nonces, Bodies: made.bodies,
		Title: titleOf(rawjson.Values(blocks)), SentTitle: sentTitle(made.blocks),
	}
	s.scribe.do("noting a prompt", func() error { return sess.journal.Append(sess.id, rec) })
	s.scribe.wait()
	prompt := rawjson.Array(made.blocks)
	p := &sentPrompt{call: m.ID.Plain(), changed: true, blocks: blocks, sent: made.blocks, record: rec.ID}
	out := m.WithParams(rawjson.Set(m.Params(), prompt, "prompt"))
	void := func() { s.void(sess, rec.ID) }
	return func() {
		sess.outstanding(p)
		sess.addTitle(rec)
		s.remember(sess, rec)
		s.tellLost(sess, made.lost)
		s.opts.ToAgent(out)
	}, void
}

func goneReason(err error) string {
	var gone interface{ Error() string }
	if errors.As(err, &gone) {
		return skill.Sanitize(gone.Error())
	}
	return "the skill cannot be read"
}

// refuse rejects a prompt as a whole: nothing of it reaches the agent (ACP-P4).
func (s *Stage) refuse(id jsonrpc.ID, err error) {
	var pe *acp.PromptError
	if !errors.As(err, &pe) {
		s.reply(jsonrpc.EncodeError(id, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%v", err)))
		return
	}
	s.reply(jsonrpc.EncodeError(id, pe.RPCError()))
}

// typed reads what a prompt's first text says to us: the name of a command that
// we gave another one, or for a client that knows no skills the name of a skill
// that is a command there; the latter only in a prompt that has no blocks.
// changed is false when it says nothing.
func (s *Stage) typed(sess *session, list [][]byte, hasBlocks bool) (out [][]byte, uses []use, changed bool) {
	if len(list) == 0 {
		return list, nil, false
	}
	if kind, _ := rawjson.GetString(list[0], "type"); kind != "text" {
		return list, nil, false
	}
	text, _ := rawjson.GetString(list[0], "text")
	line, ok := strings.CutPrefix(text, "/")
	if !ok {
		return list, nil, false
	}
	name, rest := splitName(line)
	if own, ok := sess.list().aliases[name]; ok {
		out = slices.Clone(list)
		out[0] = rawjson.Set(list[0], rawjson.Quote("/"+own+line[len(name):]), "text")
		return out, nil, true
	}
	e := sess.list().entries[name]
	if e == nil || !e.asCommand || hasBlocks {
		return list, nil, false
	}
	out = [][]byte{skillBlock(name)}
	if strings.TrimSpace(rest) != "" {
		out = append(out, rawjson.Set(list[0], rawjson.Quote(rest), "text"))
	}
	return append(out, list[1:]...), []use{{block: 0, entry: e}}, true
}

// splitName parts what follows the slash into a name and the text behind it.
func splitName(line string) (name, rest string) {
	if i := strings.IndexAny(line, " \t\r\n"); i >= 0 {
		return line[:i], line[i+1:]
	}
	return line, ""
}

func skillBlock(name string) []byte {
	return append(append([]byte(`{"type":"skill","name":`), rawjson.Quote(name)...), '}')
}

// promptAnswered handles the agent's answer to a prompt.
func (s *Stage) promptAnswered(sess *session, m jsonrpc.Message) {
	i := slices.IndexFunc(sess.prompts, func(p *sentPrompt) bool { return p.call == m.ID.Plain() })
	if i >= 0 {
		s.conn.dialect.answered(s, sess, sess.prompts[i], m)
	}
}

// inserted takes over an answer that confirms which message the prompt became, or
// says that it became none.
func (s *Stage) inserted(sess *session, p *sentPrompt, m jsonrpc.Message) {
	if code := string(rawjson.Get(m.ErrorValue(), "code")); code == strconv.Itoa(jsonrpc.CodeCancelled) {
		// It may stay in the conversation all the same, or even run: what the
		// client then sees of it has to be its own blocks.
		p.ended = true
		sess.trimEnded()
		return
	}
	sess.settle(p)
	id, ok := rawjson.GetString(m.Result(), "messageId")
	if m.Result() == nil {
		if p.changed {
			s.void(sess, p.record)
		}
		return
	}
	if !ok {
		return
	}
	// What was inserted runs, though the agent may say so later.
	sess.running = true
	s.confirm(sess, p, id)
}

// void takes a prompt that became no message out of the journal.
func (s *Stage) void(sess *session, record string) {
	s.scribe.do("voiding a prompt", func() error { return sess.journal.Void(sess.id, record) })
}

// confirm makes a message id that of a prompt for good.
func (s *Stage) confirm(sess *session, p *sentPrompt, id string) {
	sess.bind(p, id)
	if p.changed {
		record := p.record
		sess.past.confirm(record, id)
		s.scribe.do("noting a message id", func() error { return sess.journal.Confirm(sess.id, record, id) })
	}
}

// maxEnded is how many cancelled prompts of a session are remembered.
const maxEnded = 32

func (sess *session) trimEnded() {
	ended := 0
	for i := len(sess.prompts) - 1; i >= 0; i-- {
		if sess.prompts[i].ended {
			if ended++; ended > maxEnded {
				sess.prompts = slices.Delete(sess.prompts, i, i+1)
			}
		}
	}
}

// busy reports whether the agent has something of the session to cancel.
func (sess *session) busy() bool {
	return sess.running || slices.ContainsFunc(sess.prompts, func(p *sentPrompt) bool { return !p.ended })
}

// outstanding notes a prompt that the agent has not answered.
func (sess *session) outstanding(p *sentPrompt) {
	for _, before := range sess.prompts {
		before.ran = before.ran || sess.alive
	}
	sess.alive = false
	sess.prompts = append(sess.prompts, p)
}

// settle notes that a prompt has its answer.
func (sess *session) settle(p *sentPrompt) {
	sess.prompts = slices.DeleteFunc(sess.prompts, func(o *sentPrompt) bool { return o == p })
}

// maxMessages is how many message ids of a session are remembered.
const maxMessages = 512

// bind makes a prompt that of a message id. The last word counts: an answer of
// the agent corrects what an echo was taken for.
func (sess *session) bind(p *sentPrompt, id string) {
	if p.messageID != id && sess.byMessage[p.messageID] == p {
		delete(sess.byMessage, p.messageID)
	}
	if _, seen := sess.byMessage[id]; !seen {
		sess.order = append(sess.order, id)
	}
	p.messageID = id
	sess.byMessage[id] = p
	if len(sess.order) > maxMessages {
		delete(sess.byMessage, sess.order[0])
		sess.order = sess.order[1:]
	}
}

func cloneTokens(tokens [][]byte) [][]byte {
	out := make([][]byte, len(tokens))
	for i, t := range tokens {
		out[i] = bytes.Clone(t)
	}
	return out
}

func journalSent(blocks [][]byte) []journal.Sent {
	out := make([]journal.Sent, len(blocks))
	for i, b := range blocks {
		if text, ok := blockBytes(b); ok {
			out[i] = journal.Sent{Text: true, Hash: journal.HashBytes(bytes.TrimSpace(text))}
		} else {
			out[i] = journal.Sent{Hash: journal.HashBytes(b)}
		}
	}
	return out
}

// blockBytes is the text of a text block without a copy, as long as it has no
// escapes.
func blockBytes(b []byte) ([]byte, bool) {
	if kind, _ := rawjson.GetString(b, "type"); kind != "text" {
		return nil, false
	}
	tok := rawjson.Get(b, "text")
	if !rawjson.IsString(tok) {
		return nil, false
	}
	return rawjson.Text(tok), true
}

// blockText is the text of a text block.
func blockText(b []byte) (string, bool) {
	if kind, _ := rawjson.GetString(b, "type"); kind != "text" {
		return "", false
	}
	return rawjson.GetString(b, "text")
}
