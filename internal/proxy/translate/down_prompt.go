// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A downTurn is a prompt of the client that has no answer yet.
//
// In version 1 the answer is the end of the turn, in version 2 that the prompt
// was inserted; the end is an idle state, which names no prompt. Between the two
// this is sound:
//
//   - One prompt at a time, as nearly all clients do: the next end is its end.
//   - Several: an end is that of every accepted prompt whose user message the
//     agent has reported, since it is ready for the next one then. One that was
//     accepted and not reported yet is still to come. An agent that reports no
//     user messages ends all that it has accepted.
//   - Work that goes on in the background after the end: the prompt is answered,
//     and the updates go on outside of a turn, as version 1 has it for lists too.
//   - Work that no prompt of this client has begun: its updates are shown, its end
//     ends nothing.
type downTurn struct {
	id        jsonrpc.ID
	accepted  bool
	message   string // the id that the agent gave it
	echoed    bool   // the agent has reported the user message
	ran       bool   // the agent was running since it was accepted
	cancelled bool   // by session/cancel
	withdrawn bool   // by $/cancel_request, before it was accepted
	blind     bool   // it was open during a replay, where its user message cannot be told from old ones
}

// downEnd is how foreground work ended.
type downEnd struct {
	stop             string
	err, usage, meta []byte // as they stood in the state_update
}

// downEcho is a user message that the agent has reported while a prompt had no
// answer, and how the work on it ended if it has.
type downEcho struct {
	message string
	end     *downEnd
}

func (d *Down) beginTurn(m jsonrpc.Message) {
	c := d.call(m, m)
	if c.session == nil {
		return // malformed; the agent says so
	}
	c.turn = &downTurn{id: m.ID, blind: c.session.replaying > 0}
	c.session.turns = append(c.session.turns, c.turn)
}

// promptAnswered keeps the acceptance from the client; an error is its answer.
func (d *Down) promptAnswered(c *downCall, m jsonrpc.Message) {
	s, t := c.session, c.turn
	if t.accepted {
		d.opts.Log.Warn("the agent answered a prompt twice; the second answer was dropped", "id", string(m.ID))
		return
	}
	if m.Result() == nil {
		if t.cancelled && string(rawjson.Get(m.ErrorValue(), "code")) == strconv.Itoa(jsonrpc.CodeCancelled) {
			// Never inserted. Version 1 knows a cancelled turn as a result.
			d.finish(s, t, downEnd{stop: v1.StopCancelled})
			return
		}
		d.drop(s, t)
		d.opts.ToClient(m)
		return
	}
	t.accepted = true
	t.message, _ = rawjson.GetString(m.Result(), "messageId")
	// Agents of an earlier draft name no message. The oldest that was reported
	// is nobody else's then.
	at := slices.IndexFunc(s.echoes, func(e downEcho) bool { return t.message == "" && !t.blind || e.message == t.message })
	var end *downEnd
	if t.echoed = at >= 0; t.echoed {
		t.message, end = s.echoes[at].message, s.echoes[at].end
		s.echoes = slices.Delete(s.echoes, at, at+1)
	}
	s.dropEchoes()
	switch {
	case s.closed:
		d.finish(s, t, downEnd{stop: v1.StopCancelled})
	case end != nil:
		d.finish(s, t, *end) // over before it was answered
	case t.withdrawn && !t.cancelled:
		t.cancelled = true
		d.sendCancel(s)
	}
}

// echo notes that the agent reported a user message. Live, the client shows
// itself what it sent, so this is all that becomes of it.
func (s *downSession) echo(id string) {
	waiting := false
	for _, t := range s.turns {
		if t.accepted && t.message == id {
			t.echoed = true
			return
		}
		waiting = waiting || !t.accepted
	}
	for _, t := range s.turns {
		if t.accepted && t.message == "" && !t.blind {
			t.message, t.echoed = id, true
			return
		}
	}
	if waiting && !slices.ContainsFunc(s.echoes, func(e downEcho) bool { return e.message == id }) {
		s.echoes = append(s.echoes, downEcho{message: id})
	}
}

func (s *downSession) dropEchoes() {
	if !slices.ContainsFunc(s.turns, func(t *downTurn) bool { return !t.accepted }) {
		s.echoes = nil
	}
}

// state takes a state_update, which never reaches the client: it becomes the
// answers to the prompts that it ends.
func (d *Down) state(s *downSession, update []byte) {
	state, _ := rawjson.GetString(update, "state")
	if state == "running" || state == "requires_action" {
		for _, t := range s.turns {
			t.ran = t.ran || t.accepted
		}
	}
	if state != "idle" {
		return
	}
	d.showAll(s)
	stop, said := rawjson.GetString(update, "stopReason")
	update = bytes.Clone(update) // the end may be kept
	end := downEnd{stop: stop, err: objectAt(update, "error"), usage: objectAt(update, "usage"), meta: objectAt(update, "_meta")}
	reports := slices.ContainsFunc(s.turns, func(t *downTurn) bool { return t.accepted && t.echoed })
	for _, t := range slices.Clone(s.turns) {
		switch {
		case !t.accepted:
		case !said && !t.ran:
			// Ready, and nothing has ended: as after a resume.
		case t.echoed || !reports || t.cancelled || t.blind:
			d.finish(s, t, end)
		}
	}
	if said {
		for i := range s.echoes {
			if s.echoes[i].end == nil {
				s.echoes[i].end = &end
			}
		}
	}
}

// drop takes a turn that is answered off the list.
func (d *Down) drop(s *downSession, t *downTurn) {
	s.turns = slices.DeleteFunc(s.turns, func(x *downTurn) bool { return x == t })
	delete(d.calls, t.id.Plain())
	s.dropEchoes()
}

// finish answers a prompt with the end of its turn.
func (d *Down) finish(s *downSession, t *downTurn, end downEnd) {
	d.drop(s, t)
	if end.stop == "error" || end.err != nil {
		d.opts.ToClient(jsonrpc.Scan(jsonrpc.EncodeError(t.id, downTurnError(end.err))))
		return
	}
	switch end.stop {
	case v1.StopEndTurn, v1.StopMaxTokens, v1.StopMaxTurnRequests, v1.StopRefusal, v1.StopCancelled:
	default:
		// Version 1's list is closed. The turn is over, whatever the reason.
		d.opts.Log.Debug("a stop reason that version 1 does not have", "stopReason", end.stop)
		end.stop = v1.StopEndTurn
		if t.cancelled {
			end.stop = v1.StopCancelled
		}
	}
	var result object
	result.text("stopReason", end.stop)
	var usage v1.Usage
	if end.usage != nil && usage.UnmarshalJSON(end.usage) == nil {
		result.put("usage", end.usage)
	}
	result.put("_meta", end.meta)
	d.opts.ToClient(jsonrpc.Scan(jsonrpc.EncodeResult(t.id, result.bytes())))
}

// downTurnError is the answer to a prompt whose turn failed.
func downTurnError(tok []byte) *jsonrpc.Error {
	e := &jsonrpc.Error{Code: jsonrpc.CodeInternal, Data: rawjson.Get(tok, "data")}
	if code, err := strconv.ParseInt(string(rawjson.Get(tok, "code")), 10, 32); err == nil {
		e.Code = int(code)
	}
	if e.Message, _ = rawjson.GetString(tok, "message"); e.Message == "" {
		e.Message = "the agent ended the turn with an error and did not say which: see its own log"
	}
	return e
}

// cancelTurns is session/cancel. The prompts are answered when the agent says
// that the work has stopped.
func (d *Down) cancelTurns(m jsonrpc.Message) {
	if s := d.sessions[m.SessionID]; s != nil {
		for _, t := range s.turns {
			t.cancelled = true
		}
	}
	d.opts.ToAgent(m)
}

// cancelRequest is $/cancel_request. A prompt that the agent has accepted is no
// open request there any more: its turn is cancelled, and with it, as by
// session/cancel, what other prompts have added to it.
func (d *Down) cancelRequest(m jsonrpc.Message) {
	c := d.calls[jsonrpc.ID(rawjson.Get(m.Params(), "requestId")).Plain()]
	switch {
	case c == nil || c.turn == nil:
	case !c.turn.accepted:
		c.turn.withdrawn = true
	case c.turn.cancelled:
		return
	default:
		for _, t := range c.session.turns {
			t.cancelled = true
		}
		d.sendCancel(c.session)
		return
	}
	d.opts.ToAgent(m)
}

func (d *Down) sendCancel(s *downSession) {
	var params object
	params.text("sessionId", s.id)
	d.opts.ToAgent(jsonrpc.Scan(jsonrpc.EncodeNotification("session/cancel", params.bytes())))
}
