// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"crypto/sha256"
	"hash"
	"strconv"
	"unicode/utf8"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// downMaxMessages is how many messages of a session are remembered. One that an
// agent sends whole again after so many others is shown again.
const downMaxMessages = 1024

// A downMessage is what the client has been shown of a message: a sum over it,
// not the text, since a session may be long.
//
// Version 1 can only append. A message that the agent sends whole is shown from
// where what was shown ends; one that was replaced by something else cannot be
// taken back, and is shown anew under an id of its own.
type downMessage struct {
	sum      hash.Hash
	n        int // bytes in the sum
	revision int
}

func (d *Down) message(s *downSession, kind, id string) *downMessage {
	key := kind + " " + id
	m := s.messages[key]
	if m == nil {
		if len(s.said) >= downMaxMessages {
			delete(s.messages, s.said[0])
			s.said = s.said[1:]
		}
		m = &downMessage{sum: sha256.New()}
		s.messages[key] = m
		s.said = append(s.said, key)
	}
	return m
}

func (m *downMessage) add(b []byte) {
	m.sum.Write(b)
	m.n += len(b)
}

// restart has what comes next be a message of its own, unless nothing was shown.
func (m *downMessage) restart() {
	if m.n > 0 {
		m.sum, m.n = sha256.New(), 0
		m.revision++
	}
}

// id is the message's id in version 1.
func (m *downMessage) id(id string) string {
	if m.revision == 0 {
		return id
	}
	return id + "~" + strconv.Itoa(m.revision)
}

// A downPiece is a content block as version 1 has it.
type downPiece struct {
	block []byte
	sum   []byte // what it adds to the sum of its message
	text  bool   // it is text, of which a part can be shown
}

// piece makes a content block of version 1 of one of version 2. ok is false for
// what version 1 does not have.
func (d *Down) piece(tok []byte) (p downPiece, ok bool) {
	read, err := v1.ReadContentBlock(tok)
	if err != nil {
		d.opts.Log.Warn("a content block was left out", "error", err)
		return p, false
	}
	switch b := read.(type) {
	case *v1.Text:
		return downPiece{block: tok, sum: []byte(b.Text), text: true}, true
	case *v1.UnknownBlock:
		name, named := rawjson.GetString(tok, "name")
		if b.Type == "skill" && named {
			// Somebody chose it with a client that knows skills (ACP-P7).
			return downPiece{block: downTextBlock("/" + name), sum: []byte("/" + name), text: true}, true
		}
		d.opts.Log.Debug("a content block was left out: version 1 has no such type", "type", b.Type)
		return p, false
	}
	return downPiece{block: tok, sum: tok}, true
}

// chunk passes on a piece of a message. Almost always it goes as it came.
func (d *Down) chunk(s *downSession, m jsonrpc.Message, update []byte) {
	tok := rawjson.Get(update, "content")
	piece, ok := d.piece(tok)
	if !ok {
		return
	}
	params := m.Params()
	if id, named := rawjson.GetString(update, "messageId"); named {
		msg := d.message(s, m.Variant[:len(m.Variant)-len("_chunk")], id)
		msg.add(piece.sum)
		if msg.revision > 0 {
			params = rawjson.Set(params, rawjson.Quote(msg.id(id)), "update", "messageId")
		}
	}
	if string(piece.block) != string(tok) {
		params = rawjson.Set(params, piece.block, "update", "content")
	}
	if len(params) != len(m.Params()) || &params[0] != &m.Params()[0] {
		m = m.WithParams(params)
	}
	d.opts.ToClient(m)
}

// whole passes on what is new of a message that the agent has sent whole.
func (d *Down) whole(s *downSession, variant string, update []byte) {
	id, named := rawjson.GetString(update, "messageId")
	content := rawjson.Get(update, "content")
	if !named || content == nil || !rawjson.IsArray(content) && !downNull(content) {
		return
	}
	msg := d.message(s, variant, id)
	var pieces []downPiece
	for _, e := range rawjson.Elements(content) {
		if p, ok := d.piece(e.Value); ok && len(p.sum) > 0 {
			pieces = append(pieces, p)
		}
	}
	if len(pieces) == 0 {
		msg.restart()
		return
	}
	skip, within := msg.behind(pieces)
	if skip < 0 {
		msg.restart()
		skip, within = 0, 0
	}
	meta := objectAt(update, "_meta")
	for _, p := range pieces[skip:] {
		if within > 0 {
			p.sum = p.sum[within:]
			p.block = rawjson.Set(p.block, rawjson.Quote(string(p.sum)), "text")
			within = 0
		}
		msg.add(p.sum)
		var u object
		u.text("sessionUpdate", variant+"_chunk")
		u.text("messageId", msg.id(id))
		u.put("content", p.block)
		u.put("_meta", meta)
		meta = nil
		d.notify(s.id, u.bytes())
	}
}

// behind finds where in pieces that ends which has been shown: in which of them,
// and how far into it. The first is -1 when they do not start with it.
func (m *downMessage) behind(pieces []downPiece) (piece, within int) {
	sum, left := sha256.New(), m.n
	for _, p := range pieces {
		if left == 0 {
			break
		}
		if left < len(p.sum) {
			if !p.text || !utf8.RuneStart(p.sum[left]) {
				return -1, 0
			}
			within = left
			sum.Write(p.sum[:left])
			left = 0
			break
		}
		piece++
		sum.Write(p.sum)
		left -= len(p.sum)
	}
	if left > 0 || string(sum.Sum(nil)) != string(m.sum.Sum(nil)) {
		return -1, 0
	}
	return piece, within
}
