// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"fmt"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	v1 "github.com/skillgraft/skillgraft/acp/v1"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// options translates a session's configuration options, and remembers which of
// them are its mode and its model. Of several in a category the first counts.
func (d *Down) options(s *downSession, list []byte) []byte {
	var out [][]byte
	var mode, current, model string
	for _, e := range rawjson.Elements(list) {
		option := rename(e.Value, "configId", "id")
		if groups := rawjson.Get(option, "options"); rawjson.IsArray(groups) {
			var renamed [][]byte
			for _, g := range rawjson.Elements(groups) {
				renamed = append(renamed, rename(g.Value, "groupId", "group"))
			}
			option = rawjson.Set(option, rawjson.Array(renamed), "options")
		}
		read, err := v1.ReadConfigOption(option)
		if err != nil {
			d.opts.Log.Warn("a configuration option was left out", "error", err)
			continue
		}
		switch o := read.(type) {
		case *v1.SelectOption:
			if o.Category == acp.CategoryMode && mode == "" {
				mode, current = o.ID, o.CurrentValue
			}
			if o.Category == acp.CategoryModel && model == "" {
				model = o.ID
			}
		case *v1.BooleanOption:
			if !d.client.boolean {
				continue
			}
		default:
			d.opts.Log.Debug("a configuration option was left out: version 1 has no such type", "type", read.OptionType())
			continue
		}
		out = append(out, option)
	}
	if s != nil {
		s.modeOption, s.mode, s.modelOption = mode, current, model
	}
	return rawjson.Array(out)
}

// downModes makes the modes of version 1 of the option that is their place in
// version 2; nil when there is none. A client that shows options leaves them
// alone.
func downModes(list []byte) []byte {
	for _, e := range rawjson.Elements(list) {
		var o acp.SelectOption
		if o.UnmarshalJSON(e.Value) != nil || o.Category != acp.CategoryMode {
			continue
		}
		var modes [][]byte
		add := func(value []byte) {
			var mode v1.SessionMode
			if value = rename(value, "value", "id"); mode.UnmarshalJSON(value) == nil {
				modes = append(modes, value)
			}
		}
		for _, v := range rawjson.Elements(rawjson.Get(e.Value, "options")) {
			group := rawjson.Get(v.Value, "options")
			if !rawjson.IsArray(group) {
				add(v.Value)
			}
			for _, v := range rawjson.Elements(group) {
				add(v.Value)
			}
		}
		var out object
		out.text("currentModeId", o.CurrentValue)
		out.put("availableModes", rawjson.Array(modes))
		return out.bytes()
	}
	return nil
}

// setByCategory translates session/set_mode and session/set_model, which in
// version 2 set the option of that category.
func (d *Down) setByCategory(m jsonrpc.Message, member, option, what string) {
	value := rawjson.Get(m.Params(), member)
	switch {
	case !rawjson.IsString(value):
		d.refuse(m.ID, jsonrpc.CodeInvalidParams, member+" is missing: name one of those in the session's response")
		return
	case option == "":
		d.refuse(m.ID, jsonrpc.CodeInvalidParams, fmt.Sprintf("the session has no %s: see the configOptions in its response, and use session/set_config_option", what))
		return
	}
	var params object
	params.text("sessionId", m.SessionID)
	params.text("configId", option)
	params.put("type", []byte(`"id"`))
	params.put("value", value)
	params.meta(m.Params())
	c := d.call(m, downMethod(m.WithParams(params.bytes()), "session/set_config_option"))
	if m.Method == "session/set_mode" {
		c.mode, _ = rawjson.String(value)
	}
}

// setOption gives the value of an option the type that version 2 requires.
func (d *Down) setOption(m jsonrpc.Message) {
	out := m
	if rawjson.IsObject(m.Params()) && rawjson.Get(m.Params(), "type") == nil {
		kind := acp.ValueID
		if v := string(rawjson.Get(m.Params(), "value")); v == "true" || v == "false" {
			kind = acp.ValueBoolean
		}
		out = m.WithParams(rawjson.Set(m.Params(), rawjson.Quote(kind), "type"))
	}
	d.call(m, out)
}

// optionSet takes over the options that the agent has answered with. A client
// that set a mode learns what else has changed by an update.
func (d *Down) optionSet(c *downCall, m jsonrpc.Message) jsonrpc.Message {
	list := rawjson.Get(m.Result(), "configOptions")
	if c.session == nil || !rawjson.IsArray(list) {
		if c.method == "session/set_config_option" {
			return m
		}
		return m.WithResult(downEmptyResult(m.Result()))
	}
	before := c.session.mode
	if c.mode != "" {
		before = c.mode
	}
	options := d.options(c.session, list)
	d.modeChanged(c.session, before)
	if c.method == "session/set_config_option" {
		return m.WithResult(rawjson.Set(m.Result(), options, "configOptions"))
	}
	var u object
	u.text("sessionUpdate", "config_option_update")
	u.put("configOptions", options)
	d.notify(c.session.id, u.bytes())
	return m.WithResult(downEmptyResult(m.Result()))
}

func downEmptyResult(result []byte) []byte {
	var out object
	out.meta(result)
	return out.bytes()
}

// modeChanged tells a client that shows modes, and no options, of another one.
func (d *Down) modeChanged(s *downSession, before string) {
	if s.mode == before || s.mode == "" {
		return
	}
	var u object
	u.text("sessionUpdate", "current_mode_update")
	u.text("currentModeId", s.mode)
	d.notify(s.id, u.bytes())
}
