// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"bytes"
	"slices"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// downMaxFinished is how many tool calls that have ended keep their content, for
// pieces that come late.
const downMaxFinished = 64

// A downTool is a tool call as the client has it, and as the agent does.
type downTool struct {
	id, name, title string
	shown           bool // the client knows of it
	over            bool // it has ended, and is on the list of those
	content         [][]byte

	// Version 1 replaces the content with every change, so sending each piece
	// of a long output would cost its square. Pieces wait until what is new is
	// a quarter of what was shown, or something else happens.
	size, unshown int
}

func (s *downSession) tool(id string) *downTool {
	t := s.tools[id]
	if t == nil {
		t = &downTool{id: id}
		s.tools[id] = t
	}
	return t
}

// label is the title that version 1 requires.
func (t *downTool) label() string {
	switch {
	case t.title != "":
		return t.title
	case t.name != "":
		return t.name
	}
	return "Tool call"
}

// toolCall translates an upsert: the first for an id is a tool_call, each later
// one a tool_call_update.
func (d *Down) toolCall(s *downSession, m jsonrpc.Message, update []byte) {
	d.opts.ToClient(m.WithParams(rawjson.Set(m.Params(), d.upsert(s, update), "update")))
}

// upsert takes over the change of a tool call, and returns version 1's update.
func (d *Down) upsert(s *downSession, change []byte) []byte {
	id, _ := rawjson.GetString(change, "toolCallId")
	t := s.tool(id)
	first := !t.shown
	t.shown = true
	t.patch(change)
	if content := rawjson.Get(change, "content"); rawjson.IsArray(content) || downNull(content) {
		t.content = nil
		for _, e := range rawjson.Elements(content) {
			t.content = append(t.content, bytes.Clone(e.Value))
		}
		d.refer(s, t, t.content)
		t.unshown = max(t.unshown, 1)
	}
	s.ended(t, change)
	out := rawjson.Delete(change, "capabilities")
	variant := "tool_call_update"
	if first {
		variant = "tool_call"
		out = rawjson.Set(out, rawjson.Quote(t.label()), "title")
	}
	out = rawjson.Set(out, rawjson.Quote(variant), "sessionUpdate")
	for _, f := range []struct {
		name, cleared string // what null means in version 1, which has no clearing
		fits          func([]byte) ([]byte, bool)
	}{
		{"name", "", downFitsString},
		{"title", string(rawjson.Quote(t.label())), downFitsString},
		{"kind", `"other"`, downKind},
		{"status", `"pending"`, downStatus},
		{"locations", "[]", downLocations},
	} {
		value := rawjson.Get(out, f.name)
		if value == nil {
			continue
		}
		if downNull(value) {
			if value = []byte(f.cleared); first && f.name != "title" {
				value = nil
			}
		} else if fitting, ok := f.fits(value); ok {
			value = fitting
		} else {
			value = nil
		}
		if len(value) == 0 {
			out = rawjson.Delete(out, f.name)
		} else {
			out = rawjson.Set(out, value, f.name)
		}
	}
	if first && downNull(rawjson.Get(out, "_meta")) {
		out = rawjson.Delete(out, "_meta")
	}
	if out = rawjson.Delete(out, "content"); t.unshown > 0 {
		out = rawjson.Set(out, d.content(s, t), "content")
	}
	return out
}

// ended lets go of the content of tool calls that have ended long ago.
func (s *downSession) ended(t *downTool, change []byte) {
	switch status, _ := rawjson.GetString(change, "status"); status {
	case acp.ToolCompleted, acp.ToolFailed, acp.ToolCancelled:
	default:
		return
	}
	if t.over {
		return
	}
	t.over = true
	if s.finished = append(s.finished, t); len(s.finished) > downMaxFinished {
		s.finished[0].content = nil
		s.finished[0].over = false
		s.finished = s.finished[1:]
	}
}

// patch takes over what the client is not shown as it came.
func (t *downTool) patch(change []byte) {
	for name, to := range map[string]*string{"name": &t.name, "title": &t.title} {
		if v := rawjson.Get(change, name); downNull(v) {
			*to = ""
		} else if text, ok := rawjson.String(v); ok {
			*to = text
		}
	}
}

func downFitsString(v []byte) ([]byte, bool) { return v, rawjson.IsString(v) }

func downKind(v []byte) ([]byte, bool) {
	kind, ok := rawjson.String(v)
	switch kind {
	case v1.ToolKindRead, v1.ToolKindEdit, v1.ToolKindDelete, v1.ToolKindMove, v1.ToolKindSearch,
		v1.ToolKindExecute, v1.ToolKindThink, v1.ToolKindFetch, v1.ToolKindSwitchMode, v1.ToolKindOther:
		return v, ok
	}
	return []byte(`"other"`), ok
}

func downStatus(v []byte) ([]byte, bool) {
	status, ok := rawjson.String(v)
	switch status {
	case v1.ToolPending, v1.ToolInProgress, v1.ToolCompleted, v1.ToolFailed:
		return v, ok
	case acp.ToolPaused:
		return rawjson.Quote(v1.ToolInProgress), ok
	case acp.ToolCancelled:
		return rawjson.Quote(v1.ToolFailed), ok
	}
	return nil, false // it stays what it was
}

func downLocations(v []byte) ([]byte, bool) {
	if !rawjson.IsArray(v) {
		return nil, false
	}
	var out [][]byte
	for _, e := range rawjson.Elements(v) {
		var l v1.ToolCallLocation
		if l.UnmarshalJSON(e.Value) == nil {
			out = append(out, e.Value)
		}
	}
	return rawjson.Array(out), true
}

// toolContent appends a piece of content.
func (d *Down) toolContent(s *downSession, update []byte) {
	id, _ := rawjson.GetString(update, "toolCallId")
	t := s.tool(id)
	piece := bytes.Clone(rawjson.Get(update, "content"))
	t.content = append(t.content, piece)
	d.refer(s, t, [][]byte{piece})
	d.grown(s, t, len(piece), false)
}

// grown notes that a tool call has more to show, and shows it when it is time or
// must be.
func (d *Down) grown(s *downSession, t *downTool, n int, must bool) {
	if t.unshown == 0 {
		s.dirty = append(s.dirty, t)
	}
	t.unshown += max(n, 1)
	if must || t.unshown >= t.size/4 {
		d.show(s, t)
	}
}

// show sends the client the content of a tool call as it is now.
func (d *Down) show(s *downSession, t *downTool) {
	var u object
	if t.shown {
		u.text("sessionUpdate", "tool_call_update")
		u.text("toolCallId", t.id)
	} else {
		t.shown = true
		u.text("sessionUpdate", "tool_call")
		u.text("toolCallId", t.id)
		u.text("title", t.label())
	}
	u.put("content", d.content(s, t))
	d.notify(s.id, u.bytes())
}

// showAll shows what still waits to be shown: something ends.
func (d *Down) showAll(s *downSession) {
	for len(s.dirty) > 0 {
		d.show(s, s.dirty[0])
	}
}

// content is the content of a tool call in version 1. It counts as shown.
func (d *Down) content(s *downSession, t *downTool) []byte {
	s.dirty = slices.DeleteFunc(s.dirty, func(x *downTool) bool { return x == t })
	var out [][]byte
	t.size, t.unshown = 0, 0
	for _, item := range t.content {
		for _, c := range d.contentItem(s, item) {
			out = append(out, c)
			t.size += len(c)
		}
	}
	return rawjson.Array(out)
}

// contentItem makes what version 1 has of one item: none, one or several.
func (d *Down) contentItem(s *downSession, item []byte) [][]byte {
	read, err := acp.ReadToolCallContent(item)
	if err != nil {
		d.opts.Log.Warn("a tool call's content was left out", "error", err)
		return nil
	}
	switch c := read.(type) {
	case *acp.ToolContent:
		p, ok := d.piece(rawjson.Get(item, "content"))
		if !ok {
			return nil
		}
		return [][]byte{rawjson.Set(item, p.block, "content")}
	case *acp.Diff:
		return downDiff(c)
	case *acp.ToolTerminal:
		// Version 1's terminals are the client's own. The agent's are text.
		if text := s.terminals[c.TerminalID].transcript(); text != "" {
			return [][]byte{downTextContent(text)}
		}
		return nil
	}
	d.opts.Log.Debug("a tool call's content was left out: version 1 has no such type", "type", read.ContentType())
	return nil
}
