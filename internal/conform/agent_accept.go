// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"strings"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// ACP-P2, P3, P6 to P8: what is allowed is let in, and stays what it was.
//
// That a skill is applied (ACP-P5) cannot be seen on the wire. What a model makes of
// it, and whether the agent told it, is for tests that have the model.
func skillAcceptChecks() []Check {
	return []Check{
		{ID: "P2/first", Rule: "ACP-P2", Title: "takes a skill block at the start of a prompt", needs: needSkill, run: skillFirst},
		{ID: "P2/alone", Rule: "ACP-P2", Title: "takes a prompt that is a skill block and nothing else", needs: needSkill, run: skillAlone},
		{ID: "P3/anywhere", Rule: "ACP-P3", Title: "takes skill blocks in the middle and at the end", needs: needInline, run: skillAnywhere},
		{ID: "P3/several", Rule: "ACP-P3", Title: "takes several skill blocks, also the same one twice", needs: needInline, run: skillSeveral},
		{ID: "P1/meta", Rule: "ACP-P1", Title: "takes a skill block with _meta", needs: needSkill, run: skillMeta},
		{ID: "P6/echo", Rule: "ACP-P6", Title: "reports skill blocks in the user message, at their place", needs: needSkill, run: skillEcho},
		{ID: "P6/replay", Rule: "ACP-P6", Title: "replays skill blocks at their place", Answer: true, needs: needSkill, run: skillReplay},
		{ID: "P6/restart", Rule: "ACP-P6", Title: "replays skill blocks also after it was started anew", Answer: true, needs: needSkill, run: skillRestart},
		{ID: "P7/plain", Rule: "ACP-P7", Title: "replays such a session to a client without skills, with all its text", Answer: true, needs: needSkill, run: skillPlainReplay},
		{ID: "P8/link", Rule: "ACP-P8", Title: "takes a link to a SKILL.md for a link", needs: needSkill, run: skillLink},
	}
}

// mustTake sends a prompt that has to be let in.
func (c *chat) mustTake(what string, blocks ...string) (req, resp Frame) {
	req, resp = c.say(blocks...)
	if resp.ErrorValue() != nil {
		c.t.Failf([]Frame{req, resp}, "%s is refused", what)
	}
	return req, resp
}

func skillFirst(t *T) {
	c := t.connect(knowsSkills).chat()
	c.mustTake("a skill of the list at the start of a prompt", skillBlock(c.skills()[0].name()), textBlock(plainText))
}

func skillAlone(t *T) {
	c := t.connect(knowsSkills).chat()
	c.mustTake("a prompt of one skill block", skillBlock(c.skills()[0].name()))
}

func skillAnywhere(t *T) {
	c := t.connect(knowsSkills).chat()
	name := skillBlock(c.skills()[0].name())
	req, _ := c.mustTake("a skill block in the middle", textBlock("Do it with "), name, textBlock(" and nothing else."))
	c.idle(req)
	c.mustTake("a skill block at the end", textBlock("Do it with "), name)
}

// mixed is a prompt with as many skills as the agent takes.
func (c *chat) mixed() []string {
	skills := c.skills()
	one := skillBlock(skills[0].name())
	if !c.t.probe.support.Inline {
		return []string{one, textBlock("Do it.")}
	}
	two := one
	if len(skills) > 1 {
		two = skillBlock(skills[1].name())
	}
	return []string{textBlock("Do it with "), one, textBlock(" first, with "), two, textBlock(" then, and again with "), one}
}

func skillSeveral(t *T) {
	c := t.connect(knowsSkills).chat()
	c.mustTake("a prompt with several skill blocks", c.mixed()...)
}

func skillMeta(t *T) {
	c := t.connect(knowsSkills).chat()
	block := `{"type":"skill","name":` + quote(c.skills()[0].name()) + `,"_meta":{"conform":true}}`
	c.mustTake("a skill block with _meta", block, textBlock(plainText))
}

func skillEcho(t *T) {
	c := t.connect(knowsSkills).chat()
	blocks := c.mixed()
	req, resp := c.tell(blocks...)
	m := c.mustEcho(req, resp)
	if !sameShape(blocks, m.blocks) {
		t.Failf(append([]Frame{req}, m.frames...), "the user message is not what the user sent: %s in place of %s",
			strings.Join(shape(m.blocks), " | "), strings.Join(shape(rawBlocks(blocks)), " | "))
	}
}

func rawBlocks(blocks []string) [][]byte {
	raw := make([][]byte, len(blocks))
	for i, b := range blocks {
		raw[i] = []byte(b)
	}
	return raw
}

// spoken is a session, closed, in which one prompt with skills was said.
func spoken(t *T) (d *driver, c *chat, blocks []string, prompted Frame) {
	d = t.connect(knowsSkills)
	c = d.chat()
	blocks = c.mixed()
	req, prompted := c.tell(blocks...)
	c.mustIdle(req)
	c.close()
	return d, c, blocks, prompted
}

func (c *chat) checkReplay(d *driver, blocks []string, prompted Frame) {
	again, frames, resp, ok := c.resume(d, true)
	if !ok || resp.ErrorValue() != nil {
		c.t.Skipf("the session cannot be resumed, see replay/start: %s", resp.ErrorValue())
	}
	m := again.replayedMessage(frames, prompted, resp)
	if !sameShape(blocks, m.blocks) {
		c.t.Failf(append([]Frame{prompted}, m.frames...), "the replayed message is not what the user sent: %s in place of %s",
			strings.Join(shape(m.blocks), " | "), strings.Join(shape(rawBlocks(blocks)), " | "))
	}
}

// replayedMessage is the user message of a replay. Whether it has the right id and
// comes in time is for replay/start to say.
func (c *chat) replayedMessage(frames []Frame, prompted, resp Frame) message {
	if m := c.message(frames, idOf(prompted)); len(m.frames) > 0 {
		return m
	}
	if ids := c.userMessages(frames); len(ids) > 0 {
		return c.message(frames, ids[0])
	}
	c.sync()
	if len(c.userMessages(c.since(resp.n))) > 0 {
		c.t.Skipf("the history comes after the response, see replay/start")
	}
	c.t.Failf([]Frame{prompted, resp}, "the user message is not in the replay")
	return message{}
}

func skillReplay(t *T) {
	d, c, blocks, prompted := spoken(t)
	c.checkReplay(d, blocks, prompted)
}

func skillRestart(t *T) {
	d, c, blocks, prompted := spoken(t)
	d.Wire.close()
	c.checkReplay(t.connect(knowsSkills), blocks, prompted)
}

// skillPlainReplay: what stands in place of a skill is the agent's choice, the text
// around it is not.
func skillPlainReplay(t *T) {
	d, c, blocks, prompted := spoken(t)
	d.Wire.close()
	plain := t.connect(plainClient)
	again, frames, resp, ok := c.resume(plain, true)
	if !ok || resp.ErrorValue() != nil {
		t.Skipf("the session cannot be resumed by another process: %s", resp.ErrorValue())
	}
	m := again.replayedMessage(frames, prompted, resp)
	got := m.text()
	for _, b := range blocks {
		text, ok := rawjson.GetString([]byte(b), "text")
		if ok && !strings.Contains(got, strings.TrimSpace(text)) {
			t.Failf(append([]Frame{prompted}, m.frames...), "the replay for a client without skills has lost the text %s", quote(text))
		}
	}
}

func skillLink(t *T) {
	c := t.connect(knowsSkills).chat()
	path := c.skills()[0].text("path")
	if path == "" {
		t.Skipf("the agent sends no paths")
	}
	link := `{"type":"resource_link","uri":` + quote("file://"+path) + `,"name":"SKILL.md"}`
	blocks := []string{textBlock("What is wrong with this file?"), link}
	req, resp := c.mustTake("a link to the file of a skill", blocks...)
	m := c.mustEcho(req, resp)
	for _, raw := range m.blocks {
		if kind, _ := rawjson.GetString(raw, "type"); kind == "skill" {
			t.Failf(append([]Frame{req}, m.frames...), "a link to a SKILL.md became a skill block: it is ordinary context")
		}
	}
}
