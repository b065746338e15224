// SPDX-License-Identifier: Apache-2.0

package scriptmodel

import "encoding/json"

// Tool is a tool that the model is offered.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // of its arguments
}

// addTool reads a tool as every dialect writes it.
func (r *Request) addTool(raw json.RawMessage) {
	type function struct {
		Name                 string          `json:"name"`
		Description          string          `json:"description"`
		InputSchema          json.RawMessage `json:"input_schema"`         // Anthropic
		Parameters           json.RawMessage `json:"parameters"`           // OpenAI, Gemini
		ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"` // Gemini
	}
	var t struct {
		function
		Function *function `json:"function"` // Chat
	}
	if json.Unmarshal(raw, &t) != nil {
		return // a tool of the provider's own, in some form
	}
	f := t.function
	if t.Function != nil {
		f = *t.Function
	}
	schema := f.InputSchema
	for _, other := range []json.RawMessage{f.Parameters, f.ParametersJSONSchema} {
		if schema == nil {
			schema = other
		}
	}
	if f.Name != "" {
		r.tools = append(r.tools, Tool{f.Name, f.Description, schema})
	}
}
