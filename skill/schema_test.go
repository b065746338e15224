// SPDX-License-Identifier: Apache-2.0

package skill_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/skillgraft/skillgraft/skill"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(skill.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("skill.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("skill.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaAgreesWithParse: on every vector that is YAML as it stands, an error of the
// schema is a finding of ours about the fields, and the other way round.
func TestSchemaAgreesWithParse(t *testing.T) {
	s := compileSchema(t)
	checked := 0
	for _, v := range vectors(t) {
		doc := skill.Parse([]byte(v.source), nil)
		yaml := func(f skill.Finding) bool { return f.Rule == "FMT-4" } // what JSON has no word for
		if doc.Frontmatter == nil || slices.ContainsFunc(doc.Findings, yaml) {
			continue
		}
		checked++
		inst, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc.Frontmatter.JSON()))
		if err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
		want := slices.ContainsFunc(doc.Findings, func(f skill.Finding) bool {
			// What a schema cannot see: where the frontmatter stands, a # that cuts, and how
			// the entries of a text are separated.
			seen := f.Rule != "FMT-14" && f.Rule != "FMT-11" && f.Rule != "FMT-3" && !(f.Rule == "FMT-9" && f.Severity == skill.Warning)
			return seen && f.Severity != skill.Info && !strings.Contains(f.Message, "neither the user")
		})
		// NFKC comes before the rule about characters, which no pattern can say.
		if v.name == "fmt-5-nfkc" {
			want = true
		}
		// Null is text that is not there; a validator accepts it where a field may be left out.
		// Text that looks like a number is a number in JSON; an editor may well ask for quotes.
		if v.name == "fmt-9-empty" || v.name == "fmt-4-spelling" {
			want = true
		}
		if got := s.Validate(inst) != nil; got != want {
			t.Errorf("%s: schema says %v, the validator %v", v.name, s.Validate(inst), doc.Findings)
		}
	}
	if checked < 30 {
		t.Errorf("only %d vectors were compared", checked)
	}
}

// TestSchemaFields: the schema knows the fields that the validator knows.
func TestSchemaFields(t *testing.T) {
	var s struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(skill.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Properties) < 10 {
		t.Fatal("no fields")
	}
	for key := range s.Properties {
		doc := skill.Parse([]byte("---\n"+key+": true\n---\n"), nil)
		for _, f := range doc.Findings {
			if f.Rule == "FMT-10" && f.Severity != skill.Info {
				t.Errorf("%s: %v", key, f)
			}
		}
	}
}
