// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
)

// composer writes the prompt that the agent gets. It is a copy of what it needs,
// so that it can work without the stage's lock.
type composer struct {
	profile *profile.Profile
	takes   acp.SkillSupport
	names   []string // of the agent's list, which it could take for an invocation
}

func (s *Stage) composer(sess *session) composer {
	c := composer{profile: s.conn.profile, takes: s.conn.agentSkill}
	for _, tok := range sess.agent {
		if name, ok := rawjson.GetString(tok, "name"); ok {
			c.names = append(c.names, name)
		}
	}
	return c
}

// composed is a prompt for the agent.
type composed struct {
	blocks [][]byte
	nonces []journal.Nonce
	bodies []string // see journal.Record
	lost   []string // fields of the agent's own skills that expansion cannot apply
}

// compose writes the skills of a prompt in the way that holds at this agent.
// Blocks that are no skill keep their order and their bytes (PXY-5); but for
// one: the native form of some agents is a single text, into which the block of
// text behind the skill goes.
func (c composer) compose(list [][]byte, uses []use) (*composed, error) {
	out := &composed{}
	done := make([]bool, len(uses))
	var hoisted []byte

	list = c.native(list, uses, done, out)
	list, hoisted, err := c.blocks(list, uses, done)
	if err != nil {
		return nil, err
	}
	var expanded []use
	said := map[string]bool{}
	for i, u := range uses {
		if done[i] {
			said[u.entry.name] = true
		}
	}
	for i, u := range uses {
		switch {
		case done[i]:
		case said[u.entry.name]:
			list[u.block] = mention(u) // once a prompt is enough (ACT-5)
		case u.act == nil:
			if !c.takes.Skill {
				return nil, &acp.PromptError{Rule: "ACP-P4", Block: u.block, Name: u.entry.name,
					Reason: fmt.Sprintf("the agent lists skill %q and takes no skill blocks, and its file cannot be read", u.entry.name)}
			}
			return nil, &acp.PromptError{Rule: "ACP-P2", Block: u.block, Name: u.entry.name,
				Reason: fmt.Sprintf("the agent takes skill %q only once and at the start of a prompt, and its file cannot be read", u.entry.name)}
		default:
			said[u.entry.name] = true
			list[u.block] = c.expansion(u, out)
			expanded = append(expanded, u)
		}
	}
	if len(expanded) > 0 {
		list = c.guardEnds(list, expanded)
	}
	if hoisted != nil {
		list = append([][]byte{hoisted}, list...)
	}
	out.blocks = slices.DeleteFunc(list, func(b []byte) bool { return b == nil })
	return out, nil
}

// native writes what the profile's form can. Where a replay will show the skill's
// instructions, it has to be possible to tell them: else they are written out by us.
func (c composer) native(list [][]byte, uses []use, done []bool, made *composed) [][]byte {
	if c.profile.Form == nil {
		return slices.Clone(list)
	}
	var own []profile.Use
	var at []int
	for i, u := range uses {
		if u.entry.how == native && (c.profile.Replay != profile.ReplaysExpanded || tellingLine(u.act) != "") {
			own = append(own, profile.Use{Block: u.block, Name: u.entry.agentName, Path: u.entry.listedFile()})
			at = append(at, i)
		}
	}
	blocks, written := c.profile.Form.Apply(list, own, len(uses)-len(own))
	for j, ok := range written {
		done[at[j]] = ok
		if ok && c.profile.Replay == profile.ReplaysExpanded {
			made.bodies = append(made.bodies, journal.HashText(tellingLine(uses[at[j]].act)))
		}
	}
	return slices.Clone(blocks)
}

func (e *entry) listedFile() string {
	if e.listed.Entry == nil {
		return ""
	}
	return e.listed.File
}

// blocks leaves to the agent the blocks that it takes itself (PXY-4). Where it
// takes one at the start, the first of them is moved there and leaves its name
// behind: it applies to the whole prompt wherever it stands (ACP-P5).
func (c composer) blocks(list [][]byte, uses []use, done []bool) (_ [][]byte, hoisted []byte, err error) {
	front := false
	for i, u := range uses {
		if u.entry.how != block || !c.takes.Skill {
			continue // an agent that lists skills need not take blocks (ACP-U1)
		}
		tok := list[u.block]
		if name, _ := rawjson.GetString(tok, "name"); name != u.entry.agentName {
			tok = rawjson.Set(tok, rawjson.Quote(u.entry.agentName), "name")
		}
		switch {
		case c.takes.Inline, i == 0 && u.block == 0:
			list[u.block], done[i], front = tok, true, true
		case !front:
			hoisted, list[u.block] = tok, mention(u)
			done[i], front = true, true
		}
	}
	return list, hoisted, nil
}

// expansion is the skill's content as a block of text. Where the content would
// itself trigger the agent's syntax, it says where to read the skill instead.
func (c composer) expansion(u use, out *composed) []byte {
	nonce := rand.Text()
	text := u.act.Wrap(&skill.WrapOptions{ID: nonce})
	if f := c.profile.Form; f != nil && f.Triggers(text, c.names) {
		text = u.act.Wrap(&skill.WrapOptions{ID: nonce, Pointer: true})
	}
	out.nonces = append(out.nonces, journal.Nonce{Nonce: nonce, Block: u.block})
	if u.entry.how != expand {
		out.lost = append(out.lost, lostFields(u.act.Skill)...)
	}
	return profile.TextBlock(text)
}

// guardEnds keeps an agent that looks at one end of a prompt from taking what stands
// there for a command, which would lose the skill: an expansion takes that place, and
// leaves the skill's name at its own.
func (c composer) guardEnds(list [][]byte, expanded []use) [][]byte {
	if c.profile.Form == nil {
		return list
	}
	swap := func(at int, u use) (expansion []byte) {
		if text, ok := blockText(list[at]); !ok || !c.profile.Form.Triggers(text, c.names) {
			return nil
		}
		expansion, list[u.block] = list[u.block], mention(u)
		return expansion
	}
	switch c.profile.Form.LooksAt() {
	case profile.FirstBlock:
		if e := swap(0, expanded[0]); e != nil {
			return append([][]byte{e}, list...)
		}
	case profile.LastBlock:
		if e := swap(len(list)-1, expanded[len(expanded)-1]); e != nil {
			return append(list, e)
		}
	}
	return list
}

// mention names a skill whose content stands elsewhere in the prompt.
func mention(u use) []byte {
	name := u.entry.agentName
	if u.act != nil {
		name = u.act.Skill.Name
	}
	return profile.TextBlock(fmt.Sprintf("the skill %q", skill.Sanitize(name)))
}

// lostFields are fields of the frontmatter that only the agent itself applies.
func lostFields(sk *skill.Skill) (lost []string) {
	for _, f := range []string{"allowed-tools", "disallowed-tools", "argument-hint", "arguments", "context", "agent", "model", "effort", "hooks"} {
		if sk.Frontmatter != nil && sk.Frontmatter.Has(f) {
			lost = append(lost, f)
		}
	}
	return lost
}
