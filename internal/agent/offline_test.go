// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/skill"
)

func TestMatch(t *testing.T) {
	o := someSkills("Draws charts from tables.", "Writes release notes. Use when a release is made.", "Makes tables from text.")
	for query, want := range map[string]string{
		"draw a chart": "skill-0", "Please make the release notes": "skill-1", "a table out of this text": "skill-2", "what is the weather": "",
	} {
		found := o.match(query)
		if want == "" && len(found) == 0 {
			continue
		}
		if len(found) == 0 || found[0].name != want {
			t.Errorf("%q: got %v, want %s", query, found, want)
		}
	}
}

func TestScriptWish(t *testing.T) {
	in := func(text string, files ...string) *input {
		return &input{text: text, skills: []*invocation{{name: "s", Activation: &skill.Activation{Skill: &skill.Skill{Name: "s"}, Files: files}}}}
	}
	const a, b = "scripts/a.sh", "scripts/b.py"
	for _, tt := range []struct {
		in   *input
		want string
	}{
		{in("run a.sh", a, b), a}, {in("Please run scripts/b.py.", a, b), b}, {in("run `scripts/a.sh one two` please", a, b), a + " one two"},
		{in("execute the script", a), a}, {in("run the script", a, b), ""}, {in("show me a.sh", a), ""}, {in("run c.sh", a), ""}, {in("run README.md", "README.md"), ""},
		{in("the trunk of a.sh", a), ""},
	} {
		got := ""
		if w := asked(tt.in); w != nil {
			got = strings.Join(append([]string{w.script}, w.args...), " ")
		}
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in.text, got, tt.want)
		}
	}
}

// Without a model the agent runs a script of the skill when the prompt asks for that, with
// the user's permission, and shows what it says without what controls a terminal.
func TestOfflineRunsAScript(t *testing.T) {
	opts := Options{}
	opts.Catalog.Trusted = func(string) bool { return true }
	p := serve(t, newWorkspace(t), opts)
	writeSkill(t, p.ws, "tea", "", "Boil water.")
	write(t, p.ws, ".agents/skills/tea/scripts/brew.sh", "#!/bin/sh\n")
	var ran []string
	p.h.scripts.fake = func(_ context.Context, r scriptRun, out io.Writer) end {
		ran = append(ran, r.line())
		_, _ = fmt.Fprint(out, "\x1b[2Jhot\n")
		return end{}
	}
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	for id, tt := range []struct{ option, want string }{{optionOnce, "was run. It says:\n\n    [2Jhot\n"}, {optionReject, "was not run, or failed:\n\n    The user does not allow this."}} {
		p.call(2+id, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"run `+"`brew.sh 'Earl'`"+` of "},{"type":"skill","name":"tea"}]}`)
		p.response(2 + id)
		q, question := p.asked()
		if !strings.Contains(question, "scripts/brew.sh") {
			t.Errorf("got %s", question)
		}
		p.answer(q, tt.option)
		if got := answerOf(t, p.until(`"idle"`)); !strings.Contains(got, tt.want) {
			t.Errorf("got %s", got)
		}
	}
	if !slices.Equal(ran, []string{`scripts/brew.sh ''\''Earl'\'''`}) {
		t.Errorf("ran %q", ran)
	}
	p.quiet()
}

// A model that is chosen in the middle of a session knows what was before, the skill that
// was picked without it included.
func TestAModelAfterNone(t *testing.T) {
	m := answering(t, nil)
	opts := Options{}
	opts.Catalog.Trusted = func(string) bool { return true }
	m.use(&opts)
	opts.Models = []string{ModelOffline, m.spec}
	p := serve(t, newWorkspace(t), opts)
	writeSkill(t, p.ws, "tea", "", "Boil water.")
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	p.say(2, "brew tea")
	p.until(`"idle"`)
	p.call(3, "session/set_config_option", `{"sessionId":"S1","configId":"model","type":"id","value":"`+m.spec+`"}`)
	p.response(3)
	p.say(4, "and now?")
	p.until(`"idle"`)
	m.check(t, p.ws, "1 +user: brew tea\n1 +user: <skill_content name=\"tea\">\n1 +assistant: The prompt names no skill.\n1 +user: and now?")
	p.quiet()
}
