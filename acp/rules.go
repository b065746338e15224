// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// SkillState is what a name stands for in a session, as far as skill blocks are
// concerned.
type SkillState uint8

// The states of a name.
const (
	SkillUnknown   SkillState = iota // no skill entry has this name
	SkillInvocable                   // the user can invoke it
	SkillModelOnly                   // there is such a skill, and only the model may use it
	SkillIsCommand                   // a plain command has this name
)

// A Resolution is the answer of a [SkillResolver].
type Resolution struct {
	State SkillState
	Hint  string // a name that would resolve and looks like what was meant; may be empty
}

// A SkillResolver says what a name stands for in the session's current list.
// Names are compared byte for byte (ACP-P1).
type SkillResolver func(name string) Resolution

// A ResolvedSkill is a skill block of a prompt that stands.
type ResolvedSkill struct {
	Block int    // its index in the prompt
	Name  string // the name of the entry
}

// ResolveIn is the resolver for a list. It is not safe for concurrent use.
func ResolveIn(list []AvailableCommand) SkillResolver {
	var byName map[string]AvailableCommand
	return func(name string) Resolution {
		if byName == nil {
			byName = make(map[string]AvailableCommand, len(list))
			for _, c := range list {
				if _, twice := byName[c.EntryName()]; !twice {
					byName[c.EntryName()] = c
				}
			}
		}
		switch byName[name].(type) {
		case *Skill:
			return Resolution{State: SkillInvocable}
		case *Command:
			return Resolution{State: SkillIsCommand}
		}
		for _, c := range list {
			if s, ok := c.(*Skill); ok && strings.EqualFold(s.Name, name) {
				return Resolution{Hint: s.Name}
			}
		}
		return Resolution{}
	}
}

// CheckPrompt holds a prompt, the raw array of content blocks, against the rules
// ACP-P1 to ACP-P4. It returns the skill blocks in their order, or a
// *[PromptError] for the first one that does not stand; then no part of the
// prompt counts. Agents, proxies and clients share it.
//
// Blocks of other types are not looked into, and a prompt without a skill block
// costs one pass over its bytes.
func CheckPrompt(prompt []byte, support SkillSupport, resolve SkillResolver) ([]ResolvedSkill, error) {
	prompt = bytes.TrimSpace(prompt)
	if !rawjson.IsArray(prompt) {
		return nil, &PromptError{Block: -1, Reason: "prompt is not an array of content blocks"}
	}
	if !mayHoldSkill(prompt) {
		return nil, nil
	}
	if _, err := rawjson.Skip(prompt, 0); err != nil {
		return nil, &PromptError{Block: -1, Reason: err.Error()}
	}
	var found []ResolvedSkill
	for i, e := range rawjson.Elements(prompt) {
		block, err := skillBlock(i, e.Value)
		if err != nil {
			return nil, err
		}
		if block == nil {
			continue
		}
		if err := checkPlace(i, len(found), block.name, support); err != nil {
			return nil, err
		}
		if err := checkName(i, *block, resolve); err != nil {
			return nil, err
		}
		found = append(found, ResolvedSkill{Block: i, Name: block.name})
	}
	return found, nil
}

// CheckContent is [CheckPrompt] for blocks that are decoded.
func CheckContent(blocks []ContentBlock, support SkillSupport, resolve SkillResolver) ([]ResolvedSkill, error) {
	var found []ResolvedSkill
	for i, b := range blocks {
		ref, ok := b.(*SkillReference)
		if !ok {
			continue
		}
		if err := checkPlace(i, len(found), ref.Name, support); err != nil {
			return nil, err
		}
		if err := checkName(i, rawSkill{name: ref.Name}, resolve); err != nil {
			return nil, err
		}
		found = append(found, ResolvedSkill{Block: i, Name: ref.Name})
	}
	return found, nil
}

// mayHoldSkill rules out most prompts without looking at their structure: the
// word must stand there, plainly or with an escape.
func mayHoldSkill(prompt []byte) bool {
	return bytes.Contains(prompt, []byte(`skill`)) || bytes.Contains(prompt, []byte(`\u`))
}

// A rawSkill is a skill block as it was written. problem says what is wrong with
// its name, before the name is looked up.
type rawSkill struct {
	name    string
	problem string
}

// skillBlock reads a block if it is a skill block, nil if it is another one.
func skillBlock(i int, tok []byte) (*rawSkill, error) {
	if !rawjson.IsObject(tok) {
		return nil, nil // malformed, and for the reader of all blocks to say
	}
	var kind, name []byte
	for m := range rawjson.Members(tok) {
		switch string(m.Key) {
		case "type":
			if kind != nil {
				return nil, &PromptError{Rule: "ACP-P1", Block: i, Reason: "the block has two members of the name type"}
			}
			kind = m.Value
		case "name":
			if name != nil && rawjson.IsString(kind) && string(rawjson.Text(kind)) == "skill" {
				return nil, &PromptError{Rule: "ACP-P1", Block: i, Reason: "the skill block has two members of the name name"}
			}
			name = m.Value
		}
	}
	if s, ok := rawjson.String(kind); !ok || s != "skill" {
		return nil, nil
	}
	if name == nil {
		return &rawSkill{problem: "the skill block has no name"}, nil
	}
	s, ok := rawjson.String(name)
	if !ok {
		return &rawSkill{problem: "the name of the skill block is not a string"}, nil
	}
	return &rawSkill{name: s}, nil
}

// checkPlace is ACP-P2, ACP-P3 and the part of ACP-P4 about what is advertised.
func checkPlace(block, before int, name string, support SkillSupport) error {
	switch {
	case !support.Skill:
		return &PromptError{Rule: "ACP-P4", Block: block, Name: name, Reason: "the agent does not take skill blocks (it did not advertise session.prompt.skill)"}
	case support.Inline:
		return nil
	case before > 0:
		return &PromptError{Rule: "ACP-P2", Block: block, Name: name, Reason: "a prompt can have one skill block only (the agent did not advertise session.prompt.skill.inline)"}
	case block > 0:
		return &PromptError{Rule: "ACP-P2", Block: block, Name: name, Reason: "a skill block can only be the first block (the agent did not advertise session.prompt.skill.inline)"}
	}
	return nil
}

// checkName is ACP-P1 and the part of ACP-P4 about what names resolve.
func checkName(block int, s rawSkill, resolve SkillResolver) error {
	fail := func(rule, format string, args ...any) error {
		return &PromptError{Rule: rule, Block: block, Name: s.name, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case s.problem != "":
		return fail("ACP-P1", "%s", s.problem)
	case s.name == "":
		return fail("ACP-P1", "the name of the skill block is empty")
	}
	shown := showName(s.name)
	switch r := resolve(s.name); r.State {
	case SkillInvocable:
		return nil
	case SkillModelOnly:
		return fail("ACP-P4", "skill %s can be used by the model only", shown)
	case SkillIsCommand:
		return fail("ACP-P4", "%s is a command, not a skill; invoke it with text that starts with a slash and its name", shown)
	default:
		if r.Hint != "" {
			return fail("ACP-P4", "no skill of this session is named %s; did you mean %s?", shown, showName(r.Hint))
		}
		return fail("ACP-P4", "no skill of this session is named %s", shown)
	}
}
