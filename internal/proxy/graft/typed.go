// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"strings"

	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A typed prompt is one of a client that knows no skill blocks: it begins with
// "/name rest", and of all its blocks only this first one reached the agent as
// something else, as the skill in a tag of ours and the rest behind it. So it can
// be restored piece by piece, while the pieces come, and every other block stays
// as the agent says it.

// typedRun is what is still to come of the typed prompt that is being restored.
type typedRun struct {
	message string // the agent's id of the message, empty when it has none
	rest    string // the hash of the text that comes next, and was shown already
	tail    int    // 1 + the record whose tag comes later, and was shown already
}

// chunk is a piece of a user message as the client typed it; without a message
// id that says which prompt it is of, the text does: by our tag with its nonce,
// else by its hash, and of equal ones the oldest that was not seen yet. Nothing is
// what was shown already; a piece that is none of ours is returned as it is.
func (r *replay) chunk(message string, tok []byte) [][]byte {
	run := r.typed
	r.typed = typedRun{message: message}
	if message == run.message {
		r.typed.tail = run.tail
	}
	text, ok := blockText(tok)
	if !ok {
		return [][]byte{tok}
	}
	hash := journal.HashText(text)
	if run.rest != "" && run.rest == hash && run.message == message {
		return nil
	}
	if tag, i, b := r.find(text); b != nil && isTyped(b) {
		return r.unfold(tok, text, tag, i, b)
	}
	if i := r.renamed(hash); i >= 0 {
		r.claimed[i] = true
		b := rawjson.Values(r.records[i].Blocks)[0]
		if len(r.records[i].Nonces) > 0 {
			r.typed.rest, r.typed.tail = restHash(b), i+1
		}
		return [][]byte{b}
	}
	return r.pieces([][]byte{tok}, 1)
}

// unfold puts what was typed in place of a tag. An agent may have joined it with
// what stood around it.
func (r *replay) unfold(tok []byte, text, tag string, i int, typed []byte) [][]byte {
	before, after, _ := strings.Cut(text, tag)
	joined := strings.TrimSpace(before) != "" || strings.TrimSpace(after) != ""
	if !joined {
		if r.typed.tail == i+1 {
			r.typed.tail = 0
			return nil
		}
		r.claimed[i] = true
		r.typed.rest = restHash(typed)
		return [][]byte{typed}
	}
	r.claimed[i] = true
	whole, _ := blockText(typed)
	name, rest := splitName(whole)
	switch rest = strings.TrimSpace(rest); {
	case rest == "":
		whole += after
	case strings.HasPrefix(strings.TrimSpace(after), rest):
		_, after, _ = strings.Cut(after, rest)
		whole += after
	case strings.TrimSpace(after) == "":
		r.typed.rest = restHash(typed)
	default:
		whole = name + after
	}
	return [][]byte{rawjson.Set(tok, rawjson.Quote(before+whole), "text")}
}

// renamed is the oldest record not yet seen whose first text reached the agent
// under another name, or as the name of a skill that stood elsewhere in the
// prompt; -1 when there is none of that hash.
func (r *replay) renamed(hash string) int {
	for i, rec := range r.records {
		if r.claimed[i] || len(rec.Sent) == 0 || !rec.Sent[0].Text || rec.Sent[0].Hash != hash {
			continue
		}
		if blocks := rawjson.Values(rec.Blocks); len(blocks) > 0 && isTyped(blocks[0]) {
			return i
		}
	}
	return -1
}

// isTyped reports whether a block of the client invokes something by its name.
func isTyped(b []byte) bool {
	text, ok := blockText(b)
	return ok && strings.HasPrefix(text, "/")
}

// restHash is the hash of the text behind the name, empty when there is none.
func restHash(typed []byte) string {
	text, _ := blockText(typed)
	if _, rest := splitName(text); strings.TrimSpace(rest) != "" {
		return journal.HashText(rest)
	}
	return ""
}

// nameOnly is a typed block without the text behind the name.
func nameOnly(b []byte) []byte {
	text, _ := blockText(b)
	name, _ := splitName(text)
	return profile.TextBlock(name)
}

// inPlace is what stands for a block where its tag was, while the text behind the
// tag stays.
func (r *replay) inPlace(b []byte) []byte {
	if isTyped(b) {
		return nameOnly(b)
	}
	return r.shown(b)
}
