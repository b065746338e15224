// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
)

// Agents of version 1 replay a prompt without an id and in a shape of their own: texts
// joined into one, a link as a sentence about it, an own skill as its instructions. What
// such a message is shows by a tag of ours, or by a line of the instructions; then the
// client's blocks take its place, and only what is none of the prompt's stays.

// minTelling is how many bytes a line needs to tell a skill's instructions.
const minTelling = 8

// tellingLine is the longest line of a skill's instructions that no agent fills in, as
// they do with arguments; empty when there is none.
func tellingLine(act *skill.Activation) (longest string) {
	if act == nil {
		return ""
	}
	for line := range strings.Lines(act.Body) {
		line = strings.TrimSpace(line)
		if len(line) > max(len(longest), minTelling-1) && !strings.ContainsAny(line, "$`{") {
			longest = line
		}
	}
	return longest
}

// whole restores a message that is one known prompt with all of its texts. It is not ok
// when none is known, or more than one, as when an agent joined prompts.
func (r *replay) whole(tokens [][]byte) (out [][]byte, ok bool) {
	record, first := -1, 0
	for at, tok := range tokens {
		text, _ := blockText(tok)
		for text != "" {
			tag, i, b := r.find(text)
			if b == nil {
				break
			}
			if record >= 0 && i != record {
				return nil, false
			}
			if record < 0 {
				record, first = i, at
			}
			_, text, _ = strings.Cut(text, tag)
		}
	}
	if record < 0 {
		if record, first = r.expanded(tokens); record < 0 {
			return nil, false
		}
	}
	rec := r.records[record]
	left := newLeftovers(r, record)
	start := max(0, first-left.ahead(tokens[first]))
	var after [][]byte
	for _, tok := range tokens[start:] {
		if rest, some := left.of(tok); some {
			after = append(after, rest)
		}
	}
	if !left.nothing() {
		return nil, false // it is more than this message, or another one
	}
	r.claimed[record] = true
	before := r.pieces(tokens[:start], start)
	return slices.Concat(before, r.clientBlocks(rec, tokens), after), true
}

// expanded finds the oldest prompt not yet seen whose skill's instructions, and whose
// texts, a message has.
func (r *replay) expanded(tokens [][]byte) (record, first int) {
	if !slices.ContainsFunc(r.records, func(rec journal.Record) bool { return len(rec.Bodies) > 0 }) {
		return -1, 0
	}
	lines := map[string]int{}
	var all strings.Builder
	for at, tok := range tokens {
		text, _ := blockText(tok)
		all.WriteString(text)
		for line := range strings.Lines(text) {
			if hash := journal.HashText(line); len(line) >= minTelling {
				if _, seen := lines[hash]; !seen {
					lines[hash] = at
				}
			}
		}
	}
	for i, rec := range r.records {
		if r.claimed[i] || len(rec.Bodies) == 0 {
			continue
		}
		first, has := len(tokens), true
		for _, hash := range rec.Bodies {
			at, ok := lines[hash]
			has, first = has && ok, min(first, at)
		}
		for _, b := range rawjson.Values(rec.Blocks) {
			text, _ := blockText(b)
			has = has && strings.Contains(all.String(), strings.TrimSpace(text))
		}
		if has {
			return i, first
		}
	}
	return -1, 0
}

// leftovers takes away from a message what a prompt was, until what is left is not
// its.
type leftovers struct {
	replay   *replay
	rec      journal.Record
	sent     []journal.Sent // texts that the agent got; each is taken once
	bodies   bool           // the skill's instructions stand there, with what the agent says of them
	texts    []string       // that the client sent, trimmed; each is taken once
	mentions []string       // that stand for a skill which was written out before
	cut      bool           // the journal has not all of the blocks
	others   bool           // the client sent blocks without text, which agents put in words of their own
}

func newLeftovers(r *replay, record int) *leftovers {
	rec := r.records[record]
	l := &leftovers{replay: r, rec: rec, sent: slices.Clone(rec.Sent), bodies: len(rec.Bodies) > 0}
	for _, b := range rawjson.Values(l.rec.Blocks) {
		text, ok := blockText(b)
		name, named := rawjson.GetString(b, "name")
		switch kind, _ := rawjson.GetString(b, "type"); {
		case !rawjson.IsObject(b):
			l.cut = true
		case ok:
			l.texts = append(l.texts, strings.TrimSpace(text))
		case kind == "skill" && named:
			l.mentions = append(l.mentions, fmt.Sprintf("the skill %q", skill.Sanitize(name)))
		case kind != "skill":
			l.others = true
		}
	}
	return l
}

// of is what a block of the message has that is not the prompt's.
func (l *leftovers) of(tok []byte) (rest []byte, some bool) {
	text, ok := blockText(tok)
	if !ok {
		// What is no text is the client's block in the agent's spelling.
		return tok, !l.others
	}
	sent := l.wasSent(text)
	for {
		tag, _, b := l.replay.find(text)
		if b == nil {
			break
		}
		text = strings.Replace(text, tag, "", 1)
	}
	body := l.hasBody(text)
	l.take(&text)
	if text = strings.TrimSpace(text); text == "" || sent || body || l.added(tok, text) {
		return nil, false
	}
	return profile.TextBlock(text), true
}

// nothing reports whether every text of the client was found.
func (l *leftovers) nothing() bool {
	return !l.cut && !slices.ContainsFunc(l.texts, func(t string) bool { return t != "" })
}

// take takes the client's texts out of one.
func (l *leftovers) take(text *string) {
	for i, t := range l.texts {
		if before, after, ok := strings.Cut(*text, t); ok && t != "" {
			*text, l.texts[i] = before+after, ""
		}
	}
	for _, m := range l.mentions {
		*text = strings.ReplaceAll(*text, m, "")
	}
}

// ahead is how many blocks of the prompt stand before the one that a block of the
// message is.
func (l *leftovers) ahead(tok []byte) int {
	text, _ := blockText(tok)
	hash := journal.HashText(text)
	return max(0, slices.IndexFunc(l.sent, func(s journal.Sent) bool { return s.Text && s.Hash == hash }))
}

// wasSent takes a text that the agent got as it is: an agent that joins prompts may
// have another one of the same text.
func (l *leftovers) wasSent(text string) bool {
	hash := journal.HashText(text)
	i := slices.IndexFunc(l.sent, func(s journal.Sent) bool { return s.Text && s.Hash == hash })
	if i < 0 {
		return false
	}
	l.sent[i].Text = false
	return true
}

func (l *leftovers) hasBody(text string) bool {
	if !l.bodies {
		return false
	}
	for line := range strings.Lines(text) {
		if slices.Contains(l.rec.Bodies, journal.HashText(line)) {
			return true
		}
	}
	return false
}

// added reports whether a text is the agent's: one that is meant for the model alone,
// that the profile knows, or that says in its words what a link or a resource was.
func (l *leftovers) added(tok []byte, text string) bool {
	if audience := rawjson.Values(rawjson.Get(tok, "annotations", "audience")); len(audience) == 1 && string(audience[0]) == `"assistant"` {
		return true
	}
	if slices.ContainsFunc(l.replay.adds, func(begin string) bool { return strings.HasPrefix(text, begin) }) {
		return true
	}
	if !l.others {
		return false
	}
	for _, b := range rawjson.Values(l.rec.Blocks) {
		for _, path := range [][]string{{"uri"}, {"resource", "uri"}, {"resource", "text"}} {
			s, ok := rawjson.GetString(b, path...)
			s = strings.TrimPrefix(s, "file://")
			if ok && s != "" && strings.Contains(text, strings.TrimSpace(s)) {
				return true
			}
		}
	}
	return false
}
