// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// downAsk is a request for permission that the client has not answered.
type downAsk struct {
	session *downSession
	tool    *downTool
	made    bool // the tool call is ours, and stands for the question alone
	changed bool // the question differs from what the tool call shows
}

// permission translates a request for permission. Version 1 asks about a tool
// call and shows its title as the question. So the client is told of the tool
// call first, then asked under the title of the question, and told the tool
// call's own title again once it has answered.
func (d *Down) permission(m jsonrpc.Message) {
	var r acp.RequestPermissionRequest
	if err := r.UnmarshalJSON(m.Params()); err != nil {
		d.answerAgent(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "params: %v", err))
		return
	}
	options := d.permissionOptions(rawjson.Get(m.Params(), "options"))
	if len(options) == 0 {
		d.opts.Log.Warn("a request for permission has no option that version 1 knows: it counts as cancelled")
		d.opts.ToAgent(jsonrpc.Scan(jsonrpc.EncodeResult(m.ID, []byte(`{"outcome":{"outcome":"cancelled"}}`))))
		return
	}
	s := d.session(r.SessionID)
	ask := &downAsk{session: s}
	var call object // what is asked about
	var content [][]byte
	switch subject := r.Subject.(type) {
	case *acp.ToolCallSubject:
		change := rawjson.Get(m.Params(), "subject", "toolCall")
		ask.tool = s.tool(subject.ToolCall.ToolCallID)
		if !ask.tool.shown || downHasMore(change) {
			d.notify(s.id, d.upsert(s, change))
		}
		if kind, ok := downKind(rawjson.Get(change, "kind")); ok {
			call.put("kind", kind)
		}
		if status, ok := downStatus(rawjson.Get(change, "status")); ok {
			call.put("status", status)
		}
		if locations, ok := downLocations(rawjson.Get(change, "locations")); ok {
			call.put("locations", locations)
		}
		call.put("rawInput", rawjson.Get(change, "rawInput"))
		call.meta(change)
	case *acp.CommandSubject:
		ask.tool = d.questionTool(s, ask, subject.ToolCallID, r.Title)
		content = append(content, downTextContent(downFenced("console", "$ "+downVisible(subject.Command, true))+"\nin "+downCode(subject.Cwd)))
		if ask.made {
			call.text("kind", v1.ToolKindExecute)
			call.text("status", v1.ToolPending)
			call.put("rawInput", downCommandInput(subject))
		}
	default:
		ask.tool = d.questionTool(s, ask, "", r.Title)
		call.text("status", v1.ToolPending)
	}
	call.text("toolCallId", ask.tool.id)
	call.text("title", r.Title)
	if text := downQuestion(&r, ask.tool); text != "" {
		content = append([][]byte{downTextContent(text)}, content...)
	}
	ask.changed = len(content) > 0 || r.Title != ask.tool.label()
	for _, e := range rawjson.Elements(d.content(s, ask.tool)) {
		content = append(content, e.Value)
	}
	if len(content) > 0 {
		call.put("content", rawjson.Array(content))
	}

	var params object
	params.text("sessionId", r.SessionID)
	params.put("toolCall", call.bytes())
	params.put("options", rawjson.Array(options))
	params.meta(m.Params())
	d.asks[m.ID.Plain()] = ask
	d.opts.ToClient(m.WithParams(params.bytes()))
}

// questionTool is the tool call that a question is asked under: the agent's, or
// else one that is made for it.
func (d *Down) questionTool(s *downSession, ask *downAsk, id, title string) *downTool {
	if ask.made = id == ""; ask.made {
		id, _ = rawjson.String([]byte(downOwnID()))
	}
	t := s.tool(id)
	if ask.made {
		t.title = title
	}
	if !t.shown {
		d.show(s, t)
	}
	return t
}

// downHasMore reports whether a change of a tool call changes anything.
func downHasMore(change []byte) bool {
	n := 0
	for range rawjson.Members(change) {
		n++
	}
	return n > 1
}

// downQuestion is what the question says beside its title.
func downQuestion(r *acp.RequestPermissionRequest, t *downTool) string {
	var parts []string
	if t.title != "" && t.title != r.Title {
		parts = append(parts, t.title)
	}
	if strings.TrimSpace(r.Description) != "" {
		parts = append(parts, r.Description)
	}
	return strings.Join(parts, "\n\n")
}

func downCommandInput(c *acp.CommandSubject) []byte {
	var o object
	o.text("command", c.Command)
	o.text("cwd", c.Cwd)
	return o.bytes()
}

// permissionOptions are those that version 1 knows. Of another kind nobody could
// say whether it allows or refuses.
func (d *Down) permissionOptions(list []byte) [][]byte {
	var out [][]byte
	for _, e := range rawjson.Elements(list) {
		var o acp.PermissionOption
		if o.UnmarshalJSON(e.Value) != nil {
			continue
		}
		switch o.Kind {
		case v1.AllowOnce, v1.AllowAlways, v1.RejectOnce, v1.RejectAlways:
			out = append(out, e.Value)
		default:
			d.opts.Log.Debug("an option of a request for permission was left out: version 1 has no such kind", "kind", o.Kind)
		}
	}
	return out
}

// answerAsk passes on an answer of the client, which is the same in both
// versions, and puts right what the question has changed of the tool call.
func (d *Down) answerAsk(m jsonrpc.Message) {
	d.opts.ToAgent(m)
	ask := d.asks[m.ID.Plain()]
	if ask == nil {
		return
	}
	delete(d.asks, m.ID.Plain())
	if ask.session.closed || !ask.made && !ask.changed || ask.session.tools[ask.tool.id] != ask.tool {
		return
	}
	var u object
	u.text("sessionUpdate", "tool_call_update")
	u.text("toolCallId", ask.tool.id)
	if ask.made {
		u.text("status", v1.ToolCompleted)
		delete(ask.session.tools, ask.tool.id)
	} else {
		u.text("title", ask.tool.label())
		u.put("content", d.content(ask.session, ask.tool))
	}
	d.notify(ask.session.id, u.bytes())
}

// elicitation passes on a question to a client that has said that it asks such.
// The parameters are the same in both versions.
func (d *Down) elicitation(m jsonrpc.Message) {
	var r v1.CreateElicitationRequest
	if err := r.UnmarshalJSON(m.Params()); err != nil {
		d.answerAgent(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "params: %v", err))
		return
	}
	if r.Mode == acp.ElicitForm && d.client.form || r.Mode == acp.ElicitURL && d.client.url {
		d.opts.ToClient(m)
		return
	}
	d.answerAgent(m.ID, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the client did not advertise capabilities.elicitation for this mode: ask in the conversation instead"))
}

// answerAgent answers a request of the agent in the client's place.
func (d *Down) answerAgent(id jsonrpc.ID, e *jsonrpc.Error) {
	d.opts.ToAgent(jsonrpc.Scan(jsonrpc.EncodeError(id, e)))
}
