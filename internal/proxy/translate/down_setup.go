// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"fmt"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// beginSetup translates session/new, load, resume and fork. Version 2 has no
// load: it is a resume that replays from the start.
func (d *Down) beginSetup(m jsonrpc.Message) {
	params, err := downServers(m.Params())
	if err != nil {
		d.refuse(m.ID, jsonrpc.CodeInvalidParams, err.Error())
		return
	}
	out := m
	if len(params) != len(m.Params()) {
		out = m.WithParams(params)
	}
	if m.Method == "session/load" {
		out = downMethod(out.WithParams(rawjson.Set(params, []byte(`{"type":"start"}`), "replayFrom")), "session/resume")
		if m.SessionID != "" {
			s := d.session(m.SessionID)
			s.reset() // whoever loads shows the conversation anew
			s.replaying++
			for _, t := range s.turns {
				t.blind = true
			}
		}
	}
	d.call(m, out)
}

// downServers gives each server that is started as a program the type that
// version 2 requires.
func downServers(params []byte) ([]byte, error) {
	list := rawjson.Get(params, "mcpServers")
	var servers [][]byte
	changed := false
	for i, e := range rawjson.Elements(list) {
		server := e.Value
		switch kind := rawjson.Get(server, "type"); {
		case kind == nil && rawjson.IsObject(server):
			server = rawjson.Set(server, []byte(`"stdio"`), "type")
			changed = true
		case string(rawjson.Text(downString(kind))) == "sse":
			name, _ := rawjson.GetString(server, "name")
			return nil, fmt.Errorf("mcpServers[%d] (%q) is of type sse, which this agent cannot reach: the protocol has dropped it. "+
				"Give the server's http or stdio form, or leave it out", i, name)
		}
		servers = append(servers, server)
	}
	if !changed {
		return params, nil
	}
	return rawjson.Set(params, rawjson.Array(servers), "mcpServers"), nil
}

// downString is the token if it is a string, else an empty one.
func downString(tok []byte) []byte {
	if rawjson.IsString(tok) {
		return tok
	}
	return []byte(`""`)
}

// setupAnswered gives the response the shape of version 1: the modes apart, and
// the list of commands as an update behind it, where the client knows the
// session already (ACP-U4).
func (d *Down) setupAnswered(c *downCall, m jsonrpc.Message) {
	s := c.session
	if c.method == "session/load" && s != nil {
		s.replaying--
		d.showAll(s)
	}
	if m.Result() == nil {
		d.opts.ToClient(m)
		return
	}
	if c.method == "session/new" || c.method == "session/fork" {
		if s = nil; m.SessionID != "" {
			s = d.session(m.SessionID)
		}
	}
	result := m.Result()
	commands := rawjson.Get(result, "availableCommands")
	out := rawjson.Delete(result, "availableCommands")
	if list := rawjson.Get(result, "configOptions"); list != nil {
		if rawjson.IsArray(list) {
			out = rawjson.Set(out, d.options(s, list), "configOptions")
			if modes := downModes(list); modes != nil {
				out = rawjson.Set(out, modes, "modes")
			}
		} else {
			out = rawjson.Delete(out, "configOptions")
		}
	}
	d.opts.ToClient(m.WithResult(out))
	if s != nil && rawjson.IsArray(commands) {
		var u object
		u.text("sessionUpdate", "available_commands_update")
		u.put("availableCommands", d.commands(commands))
		d.notify(s.id, u.bytes())
	}
}

// commands are the entries of a list that version 1 knows. Skills do not exist
// there (ACP-C4); the graft stage gives such a client commands in their place.
func (d *Down) commands(list []byte) []byte {
	var out [][]byte
	for _, e := range rawjson.Elements(list) {
		entry, err := acp.ReadAvailableCommand(e.Value)
		if err != nil {
			d.opts.Log.Warn("an entry of the list of commands was left out", "error", err)
			continue
		}
		command, ok := entry.(*acp.Command)
		if !ok {
			d.opts.Log.Debug("an entry of the list of commands was left out: version 1 has no such type")
			continue
		}
		v := rawjson.Delete(e.Value, "type")
		switch {
		case command.Input == nil:
			v = rawjson.Delete(v, "input")
		case command.Input.Type == "text":
			v = rawjson.Set(v, rawjson.Delete(rawjson.Get(v, "input"), "type"), "input")
		default:
			// A richer input can still be typed as text.
			var input object
			input.text("hint", command.Input.Hint)
			input.meta(rawjson.Get(v, "input"))
			v = rawjson.Set(v, input.bytes(), "input")
		}
		out = append(out, v)
	}
	return rawjson.Array(out)
}
