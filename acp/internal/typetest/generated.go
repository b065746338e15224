// SPDX-License-Identifier: Apache-2.0

package typetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// A Value is what every generated struct can do.
type Value interface {
	json.Marshaler
	json.Unmarshaler
}

// samples makes texts of JSON that follow the schema: each with all members, for
// every definition that has a type.
type samples struct{ defs map[string]any }

func readSamples(t testing.TB, files ...string) samples {
	t.Helper()
	s := samples{map[string]any{}}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v struct {
			Defs       map[string]any               `json:"$defs"`
			Properties map[string]map[string]any    `json:"properties"`
			Variants   map[string]map[string]string `json:"variants"`
		}
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		for name, def := range v.Defs {
			s.defs[name] = def
		}
		for name, props := range v.Properties {
			for k, p := range props {
				s.defs[name].(map[string]any)["properties"].(map[string]any)[k] = p
			}
		}
		for name, variants := range v.Variants {
			def := s.defs[name].(map[string]any)
			for tag, of := range variants {
				def["anyOf"] = append([]any{map[string]any{
					"properties": map[string]any{"type": map[string]any{"const": tag}},
					"allOf":      []any{map[string]any{"$ref": "#/$defs/" + of}},
				}}, def["anyOf"].([]any)...)
			}
		}
	}
	return s
}

// of is the sample of a definition, or of a variant as Union=tag.
func (s samples) of(name string) map[string]any {
	def, tag, _ := strings.Cut(name, "=")
	out := map[string]any{}
	s.fill(out, s.defs[def].(map[string]any), tag)
	return out
}

// fill puts the members of a schema into an object. tag chooses among variants;
// without one the first is taken.
func (s samples) fill(out, n map[string]any, tag string) {
	if r, ok := n["$ref"].(string); ok {
		s.fill(out, s.defs[r[len("#/$defs/"):]].(map[string]any), tag)
	}
	props, _ := n["properties"].(map[string]any)
	for k, p := range props {
		if out[k] == nil {
			out[k] = s.value(p.(map[string]any), k)
		}
	}
	for _, x := range list(n["allOf"]) {
		s.fill(out, x, "")
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		branches := list(n[key])
		for _, x := range branches {
			if tag == "" || strings.Contains(fmt.Sprint(x["properties"]), "const:"+tag+"]") || strings.Contains(fmt.Sprint(x["properties"]), "const:"+tag+" ") {
				s.fill(out, x, "")
				break
			}
		}
	}
}

func list(v any) []map[string]any {
	var out []map[string]any
	all, _ := v.([]any)
	for _, x := range all {
		out = append(out, x.(map[string]any))
	}
	return out
}

func (s samples) value(n map[string]any, name string) any {
	switch {
	case n["const"] != nil:
		return n["const"]
	case n["$ref"] != nil:
		def := s.defs[n["$ref"].(string)[len("#/$defs/"):]].(map[string]any)
		return s.value(def, name)
	case n["properties"] != nil || name == "_meta":
		out := map[string]any{"zzz": map[string]any{"unknown": []any{1, nil}}}
		s.fill(out, n, "")
		return out
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if b := list(n[key]); len(b) > 0 {
			return s.value(b[0], name)
		}
	}
	kinds := fmt.Sprint(n["type"])
	switch {
	case strings.Contains(kinds, "string"):
		return "/text-" + name
	case strings.Contains(kinds, "integer"):
		return 7
	case strings.Contains(kinds, "number"):
		return 0.5
	case strings.Contains(kinds, "boolean"):
		return true
	case strings.Contains(kinds, "array"):
		return []any{s.value(n["items"].(map[string]any), name)}
	case strings.Contains(kinds, "object"):
		of, _ := n["additionalProperties"].(map[string]any)
		return map[string]any{"b": s.value(of, name), "a": s.value(of, name)}
	}
	return map[string]any{"any": "thing"}
}

// adjusted are samples that the schema's structure alone does not make right.
func adjusted(name string, v map[string]any) {
	switch name {
	case "CreateElicitationRequest", "MessageMcpResponse":
		delete(v, "requestId")
		delete(v, "error")
	}
}

// LoseNothing checks that every type that is generated reads and writes all that its definition has, and
// what it does not have.
func (suite Suite) LoseNothing(t *testing.T) {
	s := readSamples(t, suite.Schema...)
	types := suite.Types()
	if len(types) < 100 {
		t.Fatalf("only %d types", len(types))
	}
	for name, v := range types {
		sample := s.of(name)
		adjusted(name, sample)
		sample["zzz"] = []any{1.5, nil, map[string]any{"deep": "\u2028"}}
		in, err := json.Marshal(sample)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.UnmarshalJSON(in); err != nil {
			t.Errorf("%s: %v: %s", name, err, in)
			continue
		}
		out, err := v.MarshalJSON()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a, b := canonical(t, in), canonical(t, out); a != b {
			t.Errorf("%s\nread  %s\nwrote %s", name, a, b)
		}
	}
}

// Strict checks that what the schema requires has to be there, and what it lets be null may be.
func (suite Suite) Strict(t *testing.T) {
	s := readSamples(t, suite.Schema...)
	for name, v := range suite.Types() {
		if strings.Contains(name, "=") {
			continue
		}
		def := s.defs[name].(map[string]any)
		required, _ := def["required"].([]any)
		props, _ := def["properties"].(map[string]any)
		for k, p := range props {
			sample := s.of(name)
			adjusted(name, sample)
			if slices.Contains(required, any(k)) {
				delete(sample, k)
				in, _ := json.Marshal(sample)
				if err := v.UnmarshalJSON(in); err == nil {
					t.Errorf("%s was read without %s", name, k)
				}
				continue
			}
			if null := fmt.Sprint(p.(map[string]any)["type"], p.(map[string]any)["anyOf"]); !strings.Contains(null, "null") {
				continue
			}
			sample[k] = nil
			in, _ := json.Marshal(sample)
			if err := v.UnmarshalJSON(in); err != nil {
				if name == "CreateElicitationRequest" || name == "MessageMcpResponse" {
					continue // what they need depends on their kind
				}
				t.Errorf("%s with a null %s: %v", name, k, err)
				continue
			}
			out, _ := v.MarshalJSON()
			if a, b := canonical(t, in), canonical(t, out); a != b {
				t.Errorf("%s with a null %s\nread  %s\nwrote %s", name, k, a, b)
			}
		}
	}
}

// canonical is JSON with the members of objects in order.
func canonical(t testing.TB, text []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
