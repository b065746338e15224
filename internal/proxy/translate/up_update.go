// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// planID is the plan of a session: version 1 has one, and no name for it.
const planID = "plan"

// update translates a session/update of the agent. A variant that is not known
// here is one to version 2's readers as well.
func (u *Up) update(m jsonrpc.Message) {
	update := rawjson.Get(m.Params(), "update")
	if m.SessionID == "" || !rawjson.IsObject(update) {
		u.opts.Log.Warn("the agent sent an update without a session or without content; it was dropped")
		return
	}
	s := u.session(m.SessionID)
	if s.closed {
		return
	}
	if upIsWork(m.Variant) {
		u.workBegan(s)
	}
	if m.Variant != "user_message_chunk" {
		u.flushUser(s)
	}
	switch m.Variant {
	case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk":
		u.chunk(s, m, update)
	case "tool_call":
		s.message = upMessage{}
		u.forwardWork(s, m, u.toolCall(s, rawjson.Set(update, []byte(`"tool_call_update"`), "sessionUpdate")))
	case "tool_call_update":
		u.forwardWork(s, m, u.toolCall(s, update))
	case "plan":
		plan := objectOf(textField("type", "items"), textField("planId", planID), field{"entries", rawjson.Get(update, "entries")})
		update = rawjson.Set(update, []byte(`"plan_update"`), "sessionUpdate")
		u.forwardWork(s, m, rawjson.Set(rawjson.Delete(update, "entries"), plan, "plan"))
	case "available_commands_update":
		if list := rawjson.Get(update, "availableCommands"); rawjson.IsArray(list) {
			update = rawjson.Set(update, u.commands(list), "availableCommands")
		}
		u.forward(s, m, update)
	case "state_update", "user_message":
		u.opts.Log.Warn("the agent sent an update that its version of the protocol does not have; it was dropped, since that is for the proxy to say", "variant", m.Variant)
	case "current_mode_update":
		u.modeChanged(s, m, update)
	case "config_option_update":
		u.optionsChanged(s, m, update)
	default:
		u.forward(s, m, update)
	}
}

// upIsWork reports whether an update is a sign that the agent works on a prompt.
// Lists, options, titles and figures are sent at any time.
func upIsWork(variant string) bool {
	switch variant {
	case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update",
		"plan", "plan_update", "compaction_update", "compaction_summary_chunk":
		return true
	}
	return false
}

// forwardWork sends on what the agent does in a turn.
func (u *Up) forwardWork(s *upSession, m jsonrpc.Message, update []byte) {
	if s.turn != nil {
		s.turn.output = true
	}
	u.forward(s, m, update)
}

// forward sends on an update of the agent, unless it is of a replay that the
// client did not ask for. What does not have the shape that version 2 gives it
// never gets there: the client would take it for our mistake.
func (u *Up) forward(s *upSession, m jsonrpc.Message, update []byte) {
	if r := s.replay; s.closed || r != nil && r.swallow && upIsHistory(m.Variant) {
		return
	}
	if _, err := acp.ReadSessionUpdate(update); err != nil {
		u.opts.Log.Warn("the agent sent an update that is malformed; it was dropped", "variant", m.Variant, "error", err)
		return
	}
	u.opts.ToClient(m.WithParams(rawjson.Set(m.Params(), update, "update")))
}

// upIsHistory reports whether an update is of the conversation, and not of the
// session's present state.
func upIsHistory(variant string) bool {
	switch variant {
	case "available_commands_update", "current_mode_update", "config_option_update", "session_info_update", "usage_update":
		return false
	}
	return true
}

// commands are the agent's commands in version 2's form. There a type is
// required; skills are nothing that version 1 knows, whatever stands in an entry
// (ACP-C4). Some agents describe a command by nothing.
func (u *Up) commands(list []byte) []byte {
	out := [][]byte{}
	for _, tok := range rawjson.Values(list) {
		name, ok := rawjson.GetString(tok, "name")
		if !ok || name == "" {
			u.opts.Log.Warn("the agent lists a command without a name; it was left out")
			continue
		}
		tok = rawjson.Set(tok, []byte(`"command"`), "type")
		if d, _ := rawjson.GetString(tok, "description"); strings.TrimSpace(d) == "" {
			tok = rawjson.Set(tok, rawjson.Quote(name), "description")
		}
		switch input := rawjson.Get(tok, "input"); {
		case input == nil:
		case !rawjson.IsObject(input):
			tok = rawjson.Delete(tok, "input")
		default:
			if hint := rawjson.Get(input, "hint"); !rawjson.IsString(hint) {
				input = rawjson.Set(input, []byte(`""`), "hint")
			}
			tok = rawjson.Set(tok, rawjson.Set(input, []byte(`"text"`), "type"), "input")
		}
		out = append(out, tok)
	}
	return rawjson.Array(out)
}
