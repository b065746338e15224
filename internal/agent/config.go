// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/skill"
)

// A Mode is what the agent does without asking.
type Mode string

// The modes.
const (
	// ModeAsk asks before anything is changed or run.
	ModeAsk Mode = "ask"
	// ModeEdits changes files in the session's directories without asking, and asks
	// before anything is run.
	ModeEdits Mode = "edits"
	// ModeRead changes and runs nothing.
	ModeRead Mode = "read"
)

// Modes are all of them, the default one first.
func Modes() []Mode { return []Mode{ModeAsk, ModeEdits, ModeRead} }

// UnmarshalText implements [encoding.TextUnmarshaler], so that a flag can be of
// this type.
func (m *Mode) UnmarshalText(text []byte) error {
	if !slices.Contains(Modes(), Mode(text)) {
		return fmt.Errorf("%q is no mode; use ask, edits or read", text)
	}
	*m = Mode(text)
	return nil
}

// MarshalText implements [encoding.TextMarshaler].
func (m Mode) MarshalText() ([]byte, error) { return []byte(m), nil }

// ModelOffline is the model that is none.
const ModelOffline = "offline"

// The ids of the options.
const (
	optionModel = "model"
	optionMode  = "mode"
)

// configOptions is what the client can choose, and what is chosen.
func (s *session) configOptions() []acp.ConfigOption {
	s.mu.Lock()
	mode, spec := s.mode, s.spec
	s.mu.Unlock()
	models := acp.SelectValues{}
	for _, m := range s.handler.models(spec) {
		v := acp.SelectValue{Value: m, Name: m}
		if m == ModelOffline {
			v.Name, v.Description = "Offline", "No language model: shows the skills' instructions and runs their scripts when asked."
		}
		models.Values = append(models.Values, v)
	}
	return []acp.ConfigOption{
		&acp.SelectOption{ConfigID: optionMode, Name: "Mode", Category: acp.CategoryMode, CurrentValue: string(mode),
			Description: "What the agent does without asking.",
			Options: acp.SelectValues{Values: []acp.SelectValue{
				{Value: string(ModeAsk), Name: "Ask", Description: "Ask before a file is changed and before anything is run."},
				{Value: string(ModeEdits), Name: "Edit files", Description: "Change files in the session's directories without asking; ask before anything is run."},
				{Value: string(ModeRead), Name: "Read only", Description: "Change nothing and run nothing."},
			}}},
		&acp.SelectOption{ConfigID: optionModel, Name: "Model", Category: acp.CategoryModel, CurrentValue: spec, Options: models},
	}
}

// models are the models to choose from, with the one that is in use.
func (h *handler) models(inUse string) []string {
	out := slices.Clone(h.opts.Models)
	for _, m := range []string{inUse, ModelOffline} {
		if m != "" && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// configure takes over what was chosen in the session before, where that is still a
// choice.
func (s *session) configure() {
	s.mode, s.spec = s.handler.opts.Mode, s.handler.models("")[0]
	if m := Mode(s.history.option(optionMode)); slices.Contains(Modes(), m) {
		s.mode = m
	}
	if m := s.history.option(optionModel); slices.Contains(s.handler.models(""), m) {
		s.spec = m
	}
}

// SetConfigOption implements [acp.ConfigOptionSetter]. What is chosen counts from the
// next request to the model on.
func (h *handler) SetConfigOption(_ context.Context, as *acp.AgentSession, r *acp.SetConfigOptionRequest) (*acp.SetConfigOptionResponse, error) {
	s := h.session(as)
	if s == nil {
		return nil, sessionNotFound(r.SessionID)
	}
	var value string
	if err := json.Unmarshal(r.Value, &value); err != nil {
		return nil, invalidParams("params.value: has to be a string, one of the option's values")
	}
	s.mu.Lock()
	err := s.set(r.ConfigID, value)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	change := record{Type: recordConfig, Option: r.ConfigID, Value: value}
	if s.history.said() {
		s.keep(change)
	} else {
		s.history.note(change) // alone it is not worth a file
	}
	return &acp.SetConfigOptionResponse{ConfigOptions: s.configOptions()}, nil
}

func (s *session) set(id, value string) error {
	switch id {
	case optionMode:
		if !slices.Contains(Modes(), Mode(value)) {
			return invalidParams("params.value: there is no mode %s; the modes are ask, edits and read", quoted(value))
		}
		s.mode = Mode(value)
	case optionModel:
		if !slices.Contains(s.handler.models(s.spec), value) {
			return invalidParams("params.value: there is no model %s to choose; start the agent with --model for each one that is wanted", quoted(value))
		}
		s.spec = value
	default:
		return invalidParams("params.configId: there is no option %s; the options are mode and model", skill.Sanitize(quoted(id)))
	}
	return nil
}

// setting is the session's mode and model.
func (s *session) setting() (Mode, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode, s.spec
}
