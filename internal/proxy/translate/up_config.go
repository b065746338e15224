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

// methodSetModel picks one of a session's models. The list of models and this
// method were never more than a draft of version 1, which agents speak all the
// same.
const methodSetModel = "session/set_model"

// takeOptions reads the options of a setup's result: those that the agent has,
// and one each of its modes and models where it has no option for them.
func (u *Up) takeOptions(s *upSession, result []byte) {
	s.modeID, s.modelID = "", ""
	s.options = u.readOptions(rawjson.Get(result, "configOptions"))
	s.modeID = u.addOption(s, acp.CategoryMode, "Mode", rawjson.Get(result, "modes"), "availableModes", "id", "currentModeId")
	s.modelID = u.addOption(s, acp.CategoryModel, "Model", rawjson.Get(result, "models"), "availableModels", "modelId", "currentModelId")
}

// readOptions are the agent's options in version 2's form.
func (u *Up) readOptions(list []byte) [][]byte {
	out := [][]byte{}
	for _, tok := range rawjson.Values(list) {
		option := rename(tok, "id", "configId")
		if !rawjson.IsString(rawjson.Get(option, "type")) {
			option = rawjson.Set(option, []byte(`"select"`), "type")
		}
		if values := rawjson.Values(rawjson.Get(option, "options")); len(values) > 0 {
			for i, v := range values {
				values[i] = rename(v, "group", "groupId")
			}
			option = rawjson.Set(option, rawjson.Array(values), "options")
		}
		if _, err := acp.ReadConfigOption(option); err != nil {
			u.opts.Log.Warn("an option of the session was left out, since it is malformed", "error", err)
			continue
		}
		out = append(out, bytes.Clone(option))
	}
	return out
}

// addOption makes an option of a list of modes or models. It returns the option's
// id, empty when there is nothing to choose from or the agent has an option for
// it, which is the one to use then.
func (u *Up) addOption(s *upSession, category, name string, state []byte, list, idName, currentName string) string {
	if s.byCategory(category) >= 0 {
		return ""
	}
	values := [][]byte{}
	for _, tok := range rawjson.Values(rawjson.Get(state, list)) {
		if rawjson.IsString(rawjson.Get(tok, idName)) {
			values = append(values, rename(tok, idName, "value"))
		}
	}
	current := rawjson.Get(state, currentName)
	if len(values) == 0 || !rawjson.IsString(current) {
		return ""
	}
	id := category
	for s.byID(id) >= 0 {
		id += "_"
	}
	option := objectOf(textField("configId", id), textField("name", name), textField("category", category), textField("type", "select"),
		field{"currentValue", current}, field{"options", rawjson.Array(values)}, field{"_meta", objectAt(state, "_meta")})
	if _, err := acp.ReadConfigOption(option); err != nil {
		u.opts.Log.Warn("the session's choices were left out, since they are malformed", "of", category, "error", err)
		return ""
	}
	s.options = append(s.options, option)
	return id
}

func (s *upSession) byID(id string) int { return s.optionWith("configId", id) }

func (s *upSession) byCategory(category string) int { return s.optionWith("category", category) }

func (s *upSession) optionWith(name, value string) int {
	return slices.IndexFunc(s.options, func(o []byte) bool {
		v, ok := rawjson.GetString(o, name)
		return ok && v == value
	})
}

// setOption is session/set_config_option.
func (u *Up) setOption(m jsonrpc.Message) {
	s := u.session(m.SessionID)
	id, _ := rawjson.GetString(m.Params(), "configId")
	value := rawjson.Get(m.Params(), "value")
	var method, name string
	switch {
	case id != "" && id == s.modeID:
		method, name = v1.MethodSetMode, "modeId"
	case id != "" && id == s.modelID:
		method, name = methodSetModel, "modelId"
	default:
		u.setOwnOption(s, m)
		return
	}
	if !rawjson.IsString(value) {
		u.refuse(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "value: the option %q takes the value of one of its options, which is a string", id))
		return
	}
	value = bytes.Clone(value)
	params := objectOf(textField("sessionId", m.SessionID), field{name, value}, field{"_meta", objectAt(m.Params(), "_meta")})
	u.call(m, method, params, func(c *upCall, r jsonrpc.Message) {
		s.setCurrent(s.byID(id), value)
		u.answer(c, r, s.optionsResult(r.Result()))
	})
}

// setOwnOption is one of the agent's own options. Version 1 marks the type of a
// value only where it is a boolean.
func (u *Up) setOwnOption(s *upSession, m jsonrpc.Message) {
	params := m.Params()
	if kind, _ := rawjson.GetString(params, "type"); kind != acp.ValueBoolean {
		params = rawjson.Delete(params, "type")
	}
	u.call(m, m.Method, params, func(c *upCall, r jsonrpc.Message) {
		u.replaceOptions(s, rawjson.Get(r.Result(), "configOptions"))
		u.answer(c, r, s.optionsResult(r.Result()))
	})
}

// optionsResult is a result with the session's options, which version 2 has all
// of them in.
func (s *upSession) optionsResult(result []byte) []byte {
	if !rawjson.IsObject(result) {
		result = []byte("{}")
	}
	return rawjson.Set(result, rawjson.Array(s.options), "configOptions")
}

// setCurrent changes an option's value. It reports whether that is another one.
func (s *upSession) setCurrent(i int, value []byte) bool {
	if i < 0 || bytes.Equal(rawjson.Get(s.options[i], "currentValue"), value) {
		return false
	}
	option := rawjson.Set(s.options[i], value, "currentValue")
	if _, err := acp.ReadConfigOption(option); err != nil {
		return false
	}
	s.options[i] = option
	return true
}

// replaceOptions takes over a new list of the agent's options. Those that we made
// of modes and models stay, unless the agent has an option for them by now.
func (u *Up) replaceOptions(s *upSession, list []byte) {
	if !rawjson.IsArray(list) {
		return
	}
	old := *s
	s.options = u.readOptions(list)
	for _, made := range []struct {
		id       *string
		category string
	}{{&s.modeID, acp.CategoryMode}, {&s.modelID, acp.CategoryModel}} {
		i := old.byID(*made.id)
		switch {
		case *made.id == "" || i < 0:
		case s.byCategory(made.category) >= 0 || s.byID(*made.id) >= 0:
			*made.id = ""
		default:
			s.options = append(s.options, old.options[i])
		}
	}
}

// modeChanged is current_mode_update. A mode that is known already, from the
// answer to what the client asked for, is no news.
func (u *Up) modeChanged(s *upSession, m jsonrpc.Message, update []byte) {
	mode := rawjson.Get(update, "currentModeId")
	if mode == nil {
		mode = rawjson.Get(update, "modeId") // as version 1's documentation has it
	}
	i := s.byCategory(acp.CategoryMode)
	if i < 0 || !rawjson.IsString(mode) {
		u.opts.Log.Debug("the agent changed to a mode of a session that has none; that was dropped")
		return
	}
	if s.setCurrent(i, bytes.Clone(mode)) {
		u.forwardOptions(s, m, rawjson.Delete(rawjson.Delete(update, "currentModeId"), "modeId"))
	}
}

func (u *Up) optionsChanged(s *upSession, m jsonrpc.Message, update []byte) {
	if !rawjson.IsArray(rawjson.Get(update, "configOptions")) {
		u.forward(s, m, update) // malformed: it is dropped there
		return
	}
	u.replaceOptions(s, rawjson.Get(update, "configOptions"))
	u.forwardOptions(s, m, update)
}

func (u *Up) forwardOptions(s *upSession, m jsonrpc.Message, update []byte) {
	update = rawjson.Set(update, []byte(`"config_option_update"`), "sessionUpdate")
	u.forward(s, m, rawjson.Set(update, rawjson.Array(s.options), "configOptions"))
}
