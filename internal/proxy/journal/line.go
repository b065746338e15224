// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// The lines are put together and taken apart as raw text, not with an encoder,
// so that the client's blocks keep their bytes.

// promptLine is the line that adds a record, line feed included.
func promptLine(r Record) ([]byte, error) {
	if r.ID == "" {
		return nil, errors.New("a record needs an id: set it to NewID()")
	}
	blocks := bytes.Trim(r.Blocks, " \t\r\n")
	if !rawjson.IsArray(blocks) || !rawjson.Valid(blocks) {
		return nil, errors.New("the blocks of a record must be a JSON array")
	}
	count := countElements(blocks)
	for _, n := range r.Nonces {
		if n.Block < 0 || n.Block >= count {
			return nil, fmt.Errorf("a nonce is for block %d of %d", n.Block, count)
		}
	}
	b := make([]byte, 0, 1024+len(blocks))
	b = member(append(b, '{'), "op", "prompt")
	b = member(append(b, ','), "id", r.ID)
	b = member(append(b, ','), "messageId", r.MessageID)
	b = member(append(b, ','), "title", head(r.Title, MaxTitle))
	b = member(append(b, ','), "sentTitle", head(r.SentTitle, MaxSentTitle))
	if r.Inherited {
		b = append(b, `,"inherited":true`...)
	}
	b = append(b, `,"sent":[`...)
	for i, s := range r.Sent {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendBool(append(b, `{"text":`...), s.Text)
		b = append(member(append(b, ','), "hash", s.Hash), '}')
	}
	b = append(b, `],"nonces":[`...)
	for i, n := range r.Nonces {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"block":`...), int64(n.Block), 10)
		b = append(member(append(b, ','), "nonce", n.Nonce), '}')
	}
	if len(r.Bodies) > 0 {
		b = append(b, `],"bodies":[`...)
		for i, hash := range r.Bodies {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, rawjson.Quote(hash)...)
		}
	}
	b = append(b, `],"blocks":`...)
	at := len(b)
	b = append(b, blocks...)
	// A line feed in valid JSON is always between tokens.
	for i := at; i < len(b); i++ {
		if b[i] == '\n' {
			b[i] = ' '
		}
	}
	b = append(b, '}')
	if !rawjson.Valid(b) { // one level deeper than the blocks are
		return nil, errors.New("the blocks of a record nest too deep")
	}
	return append(b, '\n'), nil
}

func confirmLine(id, messageID string) []byte {
	b := member([]byte(`{"op":"confirm",`), "id", id)
	return append(member(append(b, ','), "messageId", messageID), "}\n"...)
}

func voidLine(id string) []byte {
	return append(member([]byte(`{"op":"void",`), "id", id), "}\n"...)
}

func member(b []byte, name, value string) []byte {
	b = append(append(append(b, '"'), name...), `":`...)
	return append(b, rawjson.Quote(value)...)
}

// head is the first n runes of s, as valid UTF-8.
func head(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// An entry is a record and whether it counts.
type entry struct {
	Record
	void bool
}

// fold reads lines. What is not a line of ours, also the cut end of one, is
// passed over. The operations are applied in their order, so that a record that
// was voided and then confirmed is back: agents have answered a prompt with an
// error and run it all the same.
//
// foreign counts the lines that were passed over, but for the last one, which a
// crash may have cut.
func fold(data []byte) (entries []entry, foreign int) {
	at := make(map[string]int)
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break // torn, or still being written by somebody who takes no locks
		}
		line := data[:end]
		data = data[end+1:]
		if !rawjson.IsObject(line) || !rawjson.Valid(line) {
			foreign++
			continue
		}
		id, _ := rawjson.GetString(line, "id")
		if id == "" || !utf8.ValidString(id) { // not what this package writes
			foreign++
			continue
		}
		i, known := at[id]
		switch op, _ := rawjson.GetString(line, "op"); {
		case op == "prompt" && !known: // a fork that was repeated adds nothing
			if r, ok := parseRecord(id, line); ok {
				at[id] = len(entries)
				entries = append(entries, entry{Record: r})
			}
		case op == "confirm" && known:
			if m, _ := rawjson.GetString(line, "messageId"); m != "" {
				entries[i].MessageID = m
			}
			entries[i].void = false
		case op == "void" && known:
			entries[i].void = true
		}
	}
	return entries, foreign
}

func parseRecord(id string, line []byte) (Record, bool) {
	r := Record{ID: id}
	blocks := rawjson.Get(line, "blocks")
	if !rawjson.IsArray(blocks) {
		return r, false
	}
	r.Blocks = bytes.Clone(blocks) // not a part of the file's text, which is all kept in memory otherwise
	r.MessageID, _ = rawjson.GetString(line, "messageId")
	r.Inherited = string(rawjson.Get(line, "inherited")) == "true"
	title, _ := rawjson.GetString(line, "title")
	sentTitle, _ := rawjson.GetString(line, "sentTitle")
	r.Title, r.SentTitle = head(title, MaxTitle), head(sentTitle, MaxSentTitle)

	for _, el := range rawjson.Elements(rawjson.Get(line, "sent")) {
		hash, ok := rawjson.GetString(el.Value, "hash")
		if !ok {
			return r, false // order counts, so a part of the list is worse than none
		}
		r.Sent = append(r.Sent, Sent{Text: string(rawjson.Get(el.Value, "text")) == "true", Hash: hash})
	}
	count := countElements(blocks)
	for _, el := range rawjson.Elements(rawjson.Get(line, "nonces")) {
		nonce, ok := rawjson.GetString(el.Value, "nonce")
		block, err := strconv.Atoi(string(rawjson.Get(el.Value, "block")))
		if !ok || err != nil || block < 0 || block >= count {
			return r, false // who uses it as an index must be able to trust it
		}
		r.Nonces = append(r.Nonces, Nonce{Nonce: nonce, Block: block})
	}
	for _, el := range rawjson.Elements(rawjson.Get(line, "bodies")) {
		if hash, ok := rawjson.String(el.Value); ok {
			r.Bodies = append(r.Bodies, hash)
		}
	}
	return r, true
}

func countElements(arr []byte) int {
	n := 0
	for range rawjson.Elements(arr) {
		n++
	}
	return n
}
