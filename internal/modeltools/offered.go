// SPDX-License-Identifier: Apache-2.0

package modeltools

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// offered is what the model can use at one moment. It is immutable.
type offered struct {
	names  []string // in order of precedence
	byName map[string]*catalog.Entry
	prompt string // names and descriptions; empty without skills
}

// offer picks from a snapshot, for each name the first skill in order of
// precedence that the model may use. One that it may not use hides no other: the
// user's own skill stays usable when an untrusted workspace has one of its name.
func offer(snap *catalog.Snapshot) *offered {
	o := &offered{byName: map[string]*catalog.Entry{}}
	have := map[string]bool{}
	var shown []*skill.Skill
	for _, e := range snap.All() {
		if !e.ModelInvocable() || !e.Trusted || have[e.Skill.Name] {
			continue
		}
		have[e.Skill.Name] = true
		name := o.free(acpskill.WireName(e.ID))
		o.names, o.byName[name] = append(o.names, name), e
		named := *e.Skill
		named.Name = name
		shown = append(shown, &named)
	}
	o.prompt = skill.Prompt(shown)
	return o
}

// free is a name, or one made from it that nobody has: names that differ in white
// space alone are one name here.
func (o *offered) free(name string) string {
	for i, base := 2, name; o.byName[name] != nil; i++ {
		name = base + "-" + strconv.Itoa(i)
	}
	return name
}

func (o *offered) equal(other *offered) bool {
	return o.prompt == other.prompt && slices.Equal(o.names, other.names)
}

// nameProperty is the schema of a tool's argument that names a skill (ACT-4).
func (o *offered) nameProperty() map[string]any {
	return map[string]any{"type": "string", "enum": o.names, "description": "The skill's name."}
}

// schema is a tool's input schema.
func schema(properties map[string]any, required ...string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// Maps of strings and booleans: there is nothing that could fail.
	_ = enc.Encode(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	return bytes.TrimSpace(b.Bytes())
}
