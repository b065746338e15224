// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

const (
	activateName = "activate_skill"
	// maxSkillFile is the largest file of a skill that the model is given, in bytes.
	maxSkillFile = 256 << 10
	maxFound     = 20 // skills
)

// activateTool is how the model takes up a skill (ACT-4).
func activateTool(o *offered) *tool {
	return &tool{Tool: model.Tool{Name: activateName, Description: "Get the instructions of a skill. Call it before you begin a task that one of the available skills describes, and follow what it says.", Schema: schema(
		property{name: "name", kind: "string", description: "The skill's name.", enum: o.names},
	)}, run: func(ctx context.Context, c *call) outcome {
		var args struct{ Name string }
		if problem, ok := c.args(&args); !ok {
			return problem
		}
		c.open(acp.ToolKindRead, inTitle("Activate the skill %s", args.Name), false)
		i, problem := c.s.takeUp(ctx, args.Name)
		if i == nil {
			return problem
		}
		if !i.known {
			r := i.record()
			r.ByModel = true
			c.s.keep(r)
		}
		if i.known {
			return done("You have the instructions of the skill %q already, and they have not changed: follow those.", skill.Sanitize(args.Name)) // ACT-5
		}
		return outcome{text: i.Wrapped(), silent: true}
	}}
}

// takeUp reads a skill that the model may use. It is looked up in the list of this
// moment, byte for byte, as the enum has it.
func (s *session) takeUp(ctx context.Context, name string) (*invocation, outcome) {
	o := s.skills().offer()
	e := o.byName[name]
	if e == nil {
		if r, ok := s.history.activated()[name]; ok && !r.ByModel {
			return nil, failure("The user has invoked the skill %q: its instructions are in the conversation. Follow those.", skill.Sanitize(name))
		}
		if len(o.names) == 0 {
			return nil, failure("there are no skills any more")
		}
		return nil, failure("there is no skill %q. There are: %s", skill.Sanitize(name), strings.Join(o.names, ", "))
	}
	a, err := e.Activate(ctx, nil)
	switch {
	case err != nil:
		return nil, failure("the skill %q cannot be read any more: %v", skill.Sanitize(name), err)
	case !a.Skill.ModelInvocable():
		return nil, failure("the skill %q may be used only when the user chooses it", skill.Sanitize(name))
	}
	i := &invocation{Activation: a, name: name, times: 1, trusted: e.Trusted}
	i.known = s.history.hasSkill(i.key(), a.Hash)
	return i, outcome{}
}

// readable are the skills whose files the model may read: those that are active and
// those that it could activate.
func (s *session) readable() []*catalog.Entry {
	sh := s.skills()
	active := map[string]bool{}
	for _, r := range s.history.activated() {
		active[r.Skill] = true
	}
	o := sh.offer()
	var out []*catalog.Entry
	for _, e := range sh.Catalog().All() {
		if active[keyOf(e.Skill)] {
			out = append(out, e)
		}
	}
	for _, name := range o.names {
		if e := o.byName[name]; !active[keyOf(e.Skill)] {
			out = append(out, e)
		}
	}
	return out
}

// skillOf is an active skill by its name, or one that the model can use.
func (s *session) skillOf(name string) (*catalog.Entry, outcome) {
	sh := s.skills()
	if r, ok := s.history.activated()[name]; ok {
		for _, e := range sh.Catalog().All() {
			if keyOf(e.Skill) == r.Skill {
				return e, outcome{}
			}
		}
		return nil, failure("the skill %q is gone", skill.Sanitize(name))
	}
	if e := sh.offer().byName[name]; e != nil {
		return e, outcome{}
	}
	var have []string
	for _, e := range s.readable() {
		have = append(have, e.ID)
	}
	return nil, failure("there is no skill %q. There are: %s", skill.Sanitize(name), strings.Join(have, ", "))
}

func readSkillTool() *tool {
	return &tool{Tool: model.Tool{Name: "read_skill_file", Description: "Read a file in a skill's directory, as the skill's instructions and its list of files name it.", Schema: schema(
		property{name: "skill", kind: "string", description: "The skill's name."},
		property{name: "path", kind: "string", description: "The file, relative to the skill's directory."},
	)}, run: func(_ context.Context, c *call) outcome {
		var args struct{ Skill, Path string }
		if problem, ok := c.args(&args); !ok {
			return problem
		}
		title := inTitle("Read %s of the skill %s", args.Path, args.Skill)
		e, problem := c.s.skillOf(args.Skill)
		if e == nil {
			c.open(acp.ToolKindRead, title, false)
			return problem
		}
		path := inDir(e.Dir, args.Path)
		c.open(acp.ToolKindRead, title, false, filepath.Join(e.Dir, filepath.FromSlash(path)))
		data, err := e.ReadFile(path, maxSkillFile) // ACT-7
		if err != nil {
			return failure("%s of the skill %q cannot be read: %s", skill.Sanitize(args.Path), skill.Sanitize(args.Skill), why(err))
		}
		if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
			return failure("%s is no text", skill.Sanitize(args.Path))
		}
		return outcome{text: string(data), silent: true}
	}}
}

// inDir is a path relative to a directory, also when a model has put the directory in
// front of it. What it leads to is decided when it is opened.
func inDir(dir, path string) string {
	if dir == "" || !filepath.IsAbs(filepath.FromSlash(path)) {
		return path
	}
	if rel, err := filepath.Rel(dir, filepath.FromSlash(path)); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// findSkillsTool is there when the catalogue does not have all of the descriptions.
func findSkillsTool() *tool {
	return &tool{Tool: model.Tool{Name: "find_skills", Description: "Search the whole descriptions of all available skills, since the list of them is shortened.", Schema: schema(
		property{name: "query", kind: "string", description: "Words of what the skill should be for."},
	)}, run: func(_ context.Context, c *call) outcome {
		var args struct{ Query string }
		if problem, ok := c.args(&args); !ok {
			return problem
		}
		c.open(acp.ToolKindSearch, inTitle("Find skills for %s", args.Query), false)
		o := c.s.skills().offer()
		found := o.match(args.Query)
		if len(found) == 0 {
			return done("No skill has one of these words in its name or description.")
		}
		var b strings.Builder
		for _, m := range found[:min(len(found), maxFound)] {
			fmt.Fprintf(&b, "<skill><name>%s</name><description>%s</description></skill>\n", skill.Escape(m.name), skill.Escape(o.byName[m.name].Description))
		}
		if more := len(found) - maxFound; more > 0 {
			fmt.Fprintf(&b, "[and %d more that fit less]\n", more)
		}
		return outcome{text: b.String(), silent: true}
	}}
}

// A match is how well a skill fits words.
type match struct {
	name  string
	score float64
}

// match finds skills by words, the best first. Words count by how few skills have
// them, and more in a name than in a description.
func (o *offered) match(query string) []match {
	asked := wordsOf(query)
	if len(asked) == 0 {
		return nil
	}
	inName := make([]map[string]bool, len(o.names))
	inText := make([]map[string]bool, len(o.names))
	have := map[string]int{}
	for i, name := range o.names {
		inName[i], inText[i] = set(wordsOf(name)), set(wordsOf(o.byName[name].Description))
		for _, w := range asked {
			if inName[i][w] || inText[i][w] {
				have[w]++
			}
		}
	}
	var out []match
	for i, name := range o.names {
		score := 0.0
		for _, w := range asked {
			weight := 1 / float64(max(have[w], 1))
			switch {
			case inName[i][w]:
				score += 3 * weight
			case inText[i][w]:
				score += weight
			}
		}
		if score > 0 {
			out = append(out, match{name, score})
		}
	}
	slices.SortStableFunc(out, func(a, b match) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	return out
}
