// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// update translates a session/update. A known variant that is malformed is left
// out: there is nothing that it could mean to the client.
func (d *Down) update(m jsonrpc.Message) {
	update := rawjson.Get(m.Params(), "update")
	if _, err := acp.ReadSessionUpdate(update); err != nil || m.SessionID == "" {
		d.opts.Log.Warn("an update of the agent is malformed; it was left out", "variant", m.Variant, "error", err)
		return
	}
	s := d.session(m.SessionID)
	switch m.Variant {
	case "state_update":
		d.state(s, update)
	case "user_message", "user_message_chunk":
		if id, ok := rawjson.GetString(update, "messageId"); ok {
			s.echo(id)
		}
		if s.replaying == 0 {
			return // the client shows itself what it has sent
		}
		if m.Variant == "user_message" {
			d.whole(s, m.Variant, update)
			return
		}
		d.chunk(s, m, update)
	case "agent_message_chunk", "agent_thought_chunk":
		d.chunk(s, m, update)
	case "agent_message", "agent_thought":
		d.whole(s, m.Variant, update)
	case "tool_call_update":
		d.toolCall(s, m, update)
	case "tool_call_content_chunk":
		d.toolContent(s, update)
	case "terminal_update":
		d.terminalUpdate(s, update)
	case "terminal_output_chunk":
		d.terminalOutput(s, update)
	case "plan_update", "plan_removed":
		d.plan(s, m, update)
	case "available_commands_update":
		list := d.commands(rawjson.Get(update, "availableCommands"))
		d.opts.ToClient(m.WithParams(rawjson.Set(m.Params(), list, "update", "availableCommands")))
	case "config_option_update":
		before := s.mode
		list := d.options(s, rawjson.Get(update, "configOptions"))
		d.opts.ToClient(m.WithParams(rawjson.Set(m.Params(), list, "update", "configOptions")))
		d.modeChanged(s, before)
	case "session_info_update", "usage_update":
		d.same(m, update, true)
	case "notice":
		d.same(m, update, d.client.notices)
	case "compaction_update", "compaction_summary_chunk":
		d.same(m, update, d.client.compaction)
	case "subagent_update", "session_message", "session_message_chunk":
		d.same(m, update, d.client.subagents)
	default:
		d.same(m, update, false)
	}
}

// same passes on an update that is the same in both versions, to a client that
// knows it.
func (d *Down) same(m jsonrpc.Message, update []byte, known bool) {
	if known {
		if _, err := v1.ReadSessionUpdate(update); err == nil {
			d.opts.ToClient(m)
			return
		}
	}
	d.opts.Log.Debug("an update was left out: the client does not know it", "variant", m.Variant)
}

// downPlan is one of a session's plans.
type downPlan struct {
	id      string
	entries [][]byte
}

// plan makes the one plan of version 1 of those that the agent has: their
// entries behind one another, in the order in which the plans came.
func (d *Down) plan(s *downSession, m jsonrpc.Message, update []byte) {
	if d.client.plans {
		d.same(m, update, true)
		return
	}
	id, _ := rawjson.GetString(update, "plan", "planId")
	if m.Variant == "plan_removed" {
		id, _ = rawjson.GetString(update, "planId")
	}
	at := 0
	for at < len(s.plans) && s.plans[at].id != id {
		at++
	}
	switch kind, _ := rawjson.GetString(update, "plan", "type"); {
	case m.Variant == "plan_removed":
		if at == len(s.plans) {
			return
		}
		s.plans = append(s.plans[:at], s.plans[at+1:]...)
	case kind != "items":
		d.opts.Log.Debug("a plan was left out: the client shows none of that type", "type", kind)
		return
	default:
		if at == len(s.plans) {
			s.plans = append(s.plans, downPlan{id: id})
		}
		s.plans[at].entries = downPlanEntries(rawjson.Get(update, "plan", "entries"))
	}
	var all [][]byte
	for _, p := range s.plans {
		all = append(all, p.entries...)
	}
	var u object
	u.text("sessionUpdate", "plan")
	u.put("entries", rawjson.Array(all))
	u.meta(update)
	d.notify(s.id, u.bytes())
}

// downPlanEntries are the entries with what version 1 has for their state: one
// that was given up is done with, and its text says how.
func downPlanEntries(list []byte) [][]byte {
	var out [][]byte
	for _, e := range rawjson.Elements(list) {
		var entry acp.PlanEntry
		if entry.UnmarshalJSON(e.Value) != nil {
			continue
		}
		v := append([]byte(nil), e.Value...)
		switch entry.Status {
		case v1.PlanPending, v1.PlanInProgress, v1.PlanCompleted:
		case acp.PlanCancelled:
			v = rawjson.Set(v, rawjson.Quote(v1.PlanCompleted), "status")
			v = rawjson.Set(v, rawjson.Quote(entry.Content+" (cancelled)"), "content")
		default:
			v = rawjson.Set(v, rawjson.Quote(v1.PlanPending), "status")
		}
		switch entry.Priority {
		case v1.PriorityHigh, v1.PriorityMedium, v1.PriorityLow:
		default:
			v = rawjson.Set(v, rawjson.Quote(v1.PriorityMedium), "priority")
		}
		out = append(out, v)
	}
	return out
}
