// SPDX-License-Identifier: Apache-2.0

package acp_test

import (
	"encoding/json"
	"testing"

	"github.com/skillgraft/skillgraft/acp"
)

func TestClientSkills_ACP_C1_C22(t *testing.T) {
	for caps, want := range map[string]bool{
		`{"session":{"commands":{"skill":{}}}}`:                        true,
		`{"session":{"commands":{"skill":{"_meta":7,"future":[]}}}}`:   true,
		`{"future":1,"session":{"commands":{"x":1,"skill":{"a":{}}}}}`: true,
		`{}`:                                             false,
		`{"session":{}}`:                                 false,
		`{"session":null}`:                               false,
		`{"session":true}`:                               false,
		`{"session":[]}`:                                 false,
		`{"session":"skill"}`:                            false,
		`{"session":{"commands":null}}`:                  false,
		`{"session":{"commands":{}}}`:                    false,
		`{"session":{"commands":[{"skill":{}}]}}`:        false,
		`{"session":{"commands":{"skill":null}}}`:        false,
		`{"session":{"commands":{"skill":true}}}`:        false,
		`{"session":{"commands":{"skill":"yes"}}}`:       false,
		`{"session":{"commands":{"skill":[]}}}`:          false,
		`{"session":{"commands":{"Skill":{}}}}`:          false,
		`{"session":{"prompt":{"skill":{}}}}`:            false,
		`{"commands":{"skill":{}}}`:                      false,
		`{"auth":{"terminal":{}},"elicitation":{}}`:      false,
		`{"session":{"commands":{"\u0073kill":{}}}}`:     true, // a key is its value, not its spelling
		`{"session":{"commands":{"skill":{}},"new":{}}}`: true,
	} {
		var c acp.ClientCapabilities
		if err := json.Unmarshal([]byte(caps), &c); err != nil {
			t.Errorf("%s: %v", caps, err)
		}
		if got := c.Skills(); got != want {
			t.Errorf("%s: got %v", caps, got)
		}
	}
	if (*acp.ClientCapabilities)(nil).Skills() || !acp.SkillClient().Skills() {
		t.Error("nil or SkillClient is wrong")
	}
}

func TestAgentSkillSupport_ACP_C2_C22(t *testing.T) {
	none, first, inline := acp.SkillSupport{}, acp.SkillSupport{Skill: true}, acp.SkillSupport{Skill: true, Inline: true}
	for caps, want := range map[string]acp.SkillSupport{
		`{"session":{"prompt":{"skill":{}}}}`:                                first,
		`{"session":{"prompt":{"skill":{"inline":{}}}}}`:                     inline,
		`{"session":{"prompt":{"skill":{"inline":{"_meta":null,"x":1}}}}}`:   inline,
		`{"session":{"prompt":{"skill":{"inline":null}}}}`:                   first,
		`{"session":{"prompt":{"skill":{"inline":true}}}}`:                   first,
		`{"session":{"prompt":{"skill":{"inline":[]}}}}`:                     first,
		`{"session":{"prompt":{"skill":null}}}`:                              none,
		`{"session":{"prompt":{"skill":true}}}`:                              none,
		`{"session":{"prompt":{"skill":[{"inline":{}}]}}}`:                   none,
		`{"session":{"prompt":{"inline":{}}}}`:                               none,
		`{"session":{"prompt":null}}`:                                        none,
		`{"session":{"prompt":1}}`:                                           none,
		`{"session":{}}`:                                                     none,
		`{"session":null}`:                                                   none,
		`{}`:                                                                 none,
		`{"session":{"commands":{"skill":{}}}}`:                              none,
		`{"session":{"prompt":{"image":"wrong","skill":{"inline":{}}}}}`:     inline,
		`{"session":{"mcp":[],"delete":0,"prompt":{"skill":{"inline":{}}}}}`: inline,
	} {
		var c acp.AgentCapabilities
		if err := json.Unmarshal([]byte(caps), &c); err != nil {
			t.Errorf("%s: %v", caps, err)
		}
		if got := c.SkillSupport(); got != want {
			t.Errorf("%s: got %+v", caps, got)
		}
	}
	var c *acp.AgentCapabilities
	if c.SkillSupport() != none || c.Sessions() {
		t.Error("nil supports something")
	}
	for caps, want := range map[string]bool{`{"session":{}}`: true, `{"session":null}`: false, `{"session":1}`: false, `{}`: false} {
		var c acp.AgentCapabilities
		if err := json.Unmarshal([]byte(caps), &c); err != nil || c.Sessions() != want {
			t.Errorf("%s: sessions %v, %v", caps, c.Sessions(), err)
		}
	}
}

// What a capability says beside what we know is for others to read.
func TestCapabilitiesKeepWhatIsNotKnown_PXY1(t *testing.T) {
	const in = `{"session":{"prompt":{"image":{"max":12345678901234567890},"skill":{"inline":{"_meta":{"a":1e400}}},"video":{}},"mcp":{"stdio":{}},"status":{}},"auth":{"x":1},"nes":{},"_meta":{"k":"\u2028"}}`
	var c acp.AgentCapabilities
	if err := json.Unmarshal([]byte(in), &c); err != nil {
		t.Fatal(err)
	}
	out, err := c.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, string(out), in)
}

func TestCapabilitiesOfAWrongTypeAreNone(t *testing.T) {
	for _, caps := range []string{`null`, `7`, `[]`, `"x"`} {
		var r acp.InitializeRequest
		if err := json.Unmarshal([]byte(`{"protocolVersion":2,"info":{"name":"n","version":"1"},"capabilities":`+caps+`}`), &r); err != nil {
			t.Errorf("%s: %v", caps, err)
		}
		if r.Capabilities.Skills() {
			t.Errorf("%s: skills", caps)
		}
	}
	for _, bad := range []string{`{}`, `{"protocolVersion":"2","info":{"name":"n","version":"1"}}`, `{"protocolVersion":2}`, `{"protocolVersion":2,"info":{"name":"n"}}`, `{"protocolVersion":2.5,"info":{"name":"n","version":"1"}}`} {
		var r acp.InitializeRequest
		if err := json.Unmarshal([]byte(bad), &r); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}
