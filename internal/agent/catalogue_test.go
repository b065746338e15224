// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/internal/scriptmodel"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// someSkills makes what a model is offered.
func someSkills(descriptions ...string) *offered {
	o := &offered{byName: map[string]*catalog.Entry{}}
	for i, d := range descriptions {
		name := fmt.Sprintf("skill-%d", i)
		o.names = append(o.names, name)
		o.byName[name] = &catalog.Entry{Skill: &skill.Skill{Name: name, Description: d, File: "/skills/" + name + "/SKILL.md"}}
	}
	return o
}

// Whatever the skills say, the catalogue stays in its budget as long as that has room
// for the words about it, says when something is missing, and is well formed (ACT-1).
func TestCatalogueStaysInItsBudget_ACT_1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		descriptions := rapid.SliceOfN(rapid.String(), 0, 60).Draw(t, "descriptions")
		budget := rapid.IntRange(200, 3000).Draw(t, "budget")
		o := someSkills(descriptions...)
		text, shortened := o.catalogue(budget)
		if len(descriptions) == 0 {
			if text != "" {
				t.Fatalf("without skills: %q", text)
			}
			return
		}
		if n := skill.EstimateTokens(text); n > budget {
			t.Fatalf("%d tokens for a budget of %d: %s", n, budget, text)
		}
		if strings.Count(text, "</available_skills>") != 1 || !strings.HasSuffix(text, "</available_skills>") {
			t.Fatalf("not well formed: %s", text)
		}
		if shortened != strings.Contains(text, "<note>") {
			t.Fatalf("it does not say that it is shortened: %s", text)
		}
		if !shortened && strings.Count(text, "<location>") != len(descriptions) {
			t.Fatalf("skills are missing: %s", text)
		}
	})
}

// Each step of shortening says what it leaves out.
func TestCatalogueSaysWhatIsMissing(t *testing.T) {
	var long []string
	for range 40 {
		long = append(long, strings.Repeat("word ", 60))
	}
	o := someSkills(long...)
	for _, tt := range []struct {
		budget int
		want   string
	}{
		{4500, ""}, {3900, "locations are left out."}, {2000, "descriptions cut to"}, {900, "skills have no description here"}, {300, "skills are not in it"},
	} {
		text, _ := o.catalogue(tt.budget)
		if !strings.Contains(text, tt.want) || tt.want == "" && strings.Contains(text, "<note>") {
			t.Errorf("budget %d, want %q: %d tokens, %.400s", tt.budget, tt.want, skill.EstimateTokens(text), text)
		}
	}
}

// With 500 skills the system text stays in its budget and says what was shortened, and
// every one of them can be activated and found.
func TestFiveHundredSkills(t *testing.T) {
	const skills = 500
	ws := newWorkspace(t)
	for i := range skills {
		write(t, ws, fmt.Sprintf(".agents/skills/skill-%03d/SKILL.md", i),
			fmt.Sprintf("---\nname: skill-%03d\ndescription: Handles documents of kind number%03d. %s\n---\nInstructions %03d.\n", i, i, strings.Repeat("Use it when somebody asks for such a document. ", 10), i))
	}
	wanted := 0
	m := answering(t, func(r scriptmodel.Request) scriptmodel.Answer {
		asked := len(r.New()) == 1 && strings.HasPrefix(r.New()[0].Text, "activate")
		switch {
		case asked:
			// One turn activates many: a model may call for several at once.
			a := scriptmodel.Answer{}
			for ; wanted < skills && len(a.Calls) < 100; wanted++ {
				a.Calls = append(a.Calls, scriptmodel.Call{Name: activateName, Arguments: fmt.Sprintf(`{"name":"skill-%03d"}`, wanted)})
			}
			return a
		case len(r.New()) == 1 && strings.HasPrefix(r.New()[0].Text, "find"):
			return scriptmodel.Answer{Calls: []scriptmodel.Call{{Name: "find_skills", Arguments: `{"query":"something for number437 documents"}`}}}
		}
		return scriptmodel.Answer{Text: "done"}
	})
	opts := Options{}
	opts.Catalog.Trusted = func(string) bool { return true }
	m.use(&opts)
	p := serve(t, ws, opts)
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	for id := 2; id < 2+skills/100; id++ {
		p.call(id, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"activate"}]}`)
		p.until(`"idle"`)
		p.response(id)
	}
	p.call(10, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"find"}]}`)
	p.until(`"idle"`)
	p.response(10)

	requests := m.Requests()
	first := requests[0]
	system := ""
	for _, x := range first.Texts() {
		if x.Role == "system" {
			system += x.Text
		}
	}
	_, catalogue, _ := strings.Cut(system, "<available_skills>")
	if n := skill.EstimateTokens(catalogue); n > DefaultCatalogueTokens+400 { // with the words around it
		t.Errorf("the system text has %d tokens from the catalogue on", n)
	}
	if !strings.Contains(system, "The list is shortened") {
		t.Errorf("it does not say what was shortened: %.2000s", system)
	}
	tool, ok := first.Tool(activateName)
	if !ok {
		t.Fatal("there is no tool for activation")
	}
	var enum struct {
		Properties struct{ Name struct{ Enum []string } }
	}
	if err := json.Unmarshal(tool.Schema, &enum); err != nil || len(enum.Properties.Name.Enum) != skills {
		t.Errorf("the enum has %d names, %v", len(enum.Properties.Name.Enum), err)
	}
	last := requests[len(requests)-1]
	for i := range skills {
		if last.Count(fmt.Sprintf("Instructions %03d.", i)) != 1 {
			t.Errorf("skill %03d was not activated once", i)
		}
	}
	found := slices.ContainsFunc(last.New(), func(x scriptmodel.Text) bool {
		return strings.HasPrefix(x.Text, "<skill><name>skill-437</name>")
	})
	if !found {
		t.Errorf("find_skills did not find it first: %v", last.New())
	}
}
