// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"fmt"
	"strings"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// ACP-P1 to ACP-P4: what is not allowed is refused as a whole.
func skillRejectChecks() []Check {
	named := func(id, rule, title, what string, name func(string) string) Check {
		return Check{ID: id, Rule: rule, Title: title, needs: needSkill, run: func(t *T) {
			c := t.connect(knowsSkills).chat()
			c.mustRefuse(what, true, skillBlock(name(c.skills()[0].name())), textBlock(plainText))
		}}
	}
	return []Check{
		{ID: "P4/unsupported", Rule: "ACP-P4", Title: "refuses a skill block if it does not advertise that it takes them", needs: needSession, run: skillUnsupported},
		{ID: "P4/unknown", Rule: "ACP-P4", Title: "refuses a prompt with a skill that is not in the list", needs: needSkill, run: skillUnknown},
		{ID: "P4/nothing-inserted", Rule: "ACP-P4", Title: "inserts nothing of a prompt that it refuses", needs: needSkill, run: skillNothingInserted},
		{ID: "P4/whole", Rule: "ACP-P4", Title: "refuses the whole prompt when one of its skills cannot be had", needs: needInline, run: skillWhole},
		{ID: "P4/reason", Rule: "ACP-P4", Title: "says in the error which block, and names the skill", Should: true, needs: needSkill, run: skillReason},
		{ID: "P4/command", Rule: "ACP-P4", Title: "refuses a block that names a command", needs: needSkill, run: skillCommand},
		{ID: "P4/model-only", Rule: "ACP-P4", Title: "refuses a block that names a skill for the model only", needs: needSkill, run: skillModelOnly},
		named("P1/case", "ACP-P1", "tells names apart by case", "a name in capitals", strings.ToUpper),
		named("P1/blank", "ACP-P1", "compares names byte for byte, blanks too", "a name with a blank behind it", func(s string) string { return s + " " }),
		named("P1/slash", "ACP-P1", "takes no slash before a name", "a name with a slash before it", func(s string) string { return "/" + s }),
		{ID: "P1/nameless", Rule: "ACP-P1", Title: "refuses a skill block without a name, or with one that is no string", needs: needSkill, run: skillNameless},
		{ID: "P2/second", Rule: "ACP-P2", Title: "refuses a second skill block if it takes one only", needs: needFirst | needSkill, run: skillSecond},
		{ID: "P2/place", Rule: "ACP-P2", Title: "refuses a skill block that is not first if it takes it there only", needs: needFirst | needSkill, run: skillPlace},
	}
}

func skillUnsupported(t *T) {
	if t.probe.support.Skill {
		t.Skipf("the agent advertises session.prompt.skill")
	}
	c := t.connect(knowsSkills).chat()
	c.mustRefuse("a skill block, for which no capability was advertised,", false, skillBlock(skillOne), textBlock(plainText))
}

const unknownSkill = "conform-no-such-skill"

func skillUnknown(t *T) {
	c := t.connect(knowsSkills).chat()
	c.settle()
	c.mustRefuse("a skill that is not in the list", true, skillBlock(unknownSkill), textBlock(plainText))
}

func skillNothingInserted(t *T) {
	c := t.connect(knowsSkills).chat()
	c.settle()
	req, resp := c.say(skillBlock(unknownSkill), textBlock(plainText))
	if resp.ErrorValue() == nil {
		t.Skipf("the agent does not refuse it, see P4/unknown")
	}
	c.mustBeUntouched("a skill that is not in the list", req, resp)
	// What is not seen now must not be seen later, either.
	ok, accepted := c.tell(textBlock("Another text."))
	c.mustIdle(ok)
	c.close()
	again, frames, _, answered := c.resume(c.driver, true)
	if !answered {
		return // replay/start looks at that
	}
	for _, id := range again.userMessages(frames) {
		if m := again.message(frames, id); strings.Contains(m.text(), plainText) {
			t.Failf(append([]Frame{req, resp, accepted}, m.frames...), "a prompt that was refused comes back in the replay")
		}
	}
}

func skillWhole(t *T) {
	c := t.connect(knowsSkills).chat()
	good := c.skills()[0].name()
	c.mustRefuse("one skill that is in the list and one that is not", true,
		skillBlock(good), textBlock(plainText), skillBlock(unknownSkill))
}

func skillReason(t *T) {
	c := t.connect(knowsSkills).chat()
	c.settle()
	req, resp := c.say(skillBlock(unknownSkill), textBlock(plainText))
	if resp.ErrorValue() == nil {
		t.Skipf("the agent does not refuse it, see P4/unknown")
	}
	said := resp.errorMessage() + string(rawjson.Get(resp.ErrorValue(), "data"))
	if !strings.Contains(said, "0") || !strings.Contains(said, unknownSkill) {
		t.Failf([]Frame{req, resp}, "the error does not say that it is block 0, and which name: a user cannot tell what to change")
	}
}

func skillCommand(t *T) {
	c := t.connect(knowsSkills).chat()
	for _, e := range c.list() {
		if e.kind() == "command" {
			c.mustRefuse("a block that names a command", true, skillBlock(e.name()), textBlock(plainText))
			return
		}
	}
	t.Skipf("the agent lists no command")
}

func skillModelOnly(t *T) {
	c := t.connect(knowsSkills).chat()
	for _, e := range c.list() {
		if e.kind() == "skill" && strings.Contains(e.name(), skillHidden) {
			t.Skipf("the agent lists the skill, see A7/invocable")
		}
	}
	c.mustRefuse("a skill that has user-invocable: false", true, skillBlock(skillHidden), textBlock(plainText))
}

func skillNameless(t *T) {
	c := t.connect(knowsSkills).chat()
	c.settle()
	for _, block := range []string{`{"type":"skill"}`, `{"type":"skill","name":7}`, `{"type":"skill","name":null}`, `{"type":"skill","name":""}`} {
		c.mustRefuse(fmt.Sprintf("the block %s", block), true, block, textBlock(plainText))
	}
}

func skillSecond(t *T) {
	c := t.connect(knowsSkills).chat()
	name := skillBlock(c.skills()[0].name())
	c.mustRefuse("a second skill block, without inline,", true, name, name, textBlock(plainText))
}

func skillPlace(t *T) {
	c := t.connect(knowsSkills).chat()
	name := skillBlock(c.skills()[0].name())
	c.mustRefuse("a skill block behind text, without inline,", true, textBlock(plainText), name)
}
