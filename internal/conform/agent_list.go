// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// ACP-A: advertising, without what needs a change on disk.
func listChecks() []Check {
	return []Check{
		{ID: "A0/type", Rule: "CORE-SES", Title: "gives every entry of a list a type, a name and a description", needs: needSession, run: listType},
		{ID: "A1/setup", Rule: "ACP-A1", Title: "sends no skill entry to a client without skills, after new, resume and fork", needs: needSession, run: func(t *T) { noSkillEntries(t, plainClient) }},
		{ID: "A2/commands", Rule: "ACP-A2", Title: "gives such a client the same skills as commands", needs: needSkill, run: listAsCommands},
		{ID: "A3/shape", Rule: "ACP-A3", Title: "lists skills with a name, a description, perhaps an absolute path, and no input", needs: needSkill, run: listShape},
		{ID: "A4/unique", Rule: "ACP-A4", Title: "lists each name once", needs: needSession, run: listUnique},
		{ID: "A4/blanks", Rule: "ACP-A4", Title: "lists skills under names without white space", needs: needSkill, run: listBlanks},
		{ID: "A5/line", Rule: "ACP-A5", Title: "describes a skill on one line without control characters", Should: true, needs: needSkill, run: listDescription},
		{ID: "A5/short", Rule: "ACP-A5", Title: "sends the short description of a skill that has one", Should: true, needs: needSkill, run: listShort},
		{ID: "A6/path", Rule: "ACP-A6", Title: "says as path the file that defines the skill", needs: needSkill, run: listPath},
		{ID: "A7/invocable", Rule: "ACP-A7", Title: "lists no skill that has user-invocable: false", Should: true, needs: needSkill, run: listInvocable},
	}
}

// eachSkill calls f for the skill entries of all lists of a session, however it was
// set up.
func eachSkill(t *T, f func(e entry)) {
	n := 0
	t.connect(knowsSkills).setups(func(_ string, c *chat) {
		for _, l := range c.settle() {
			for _, e := range l.entries {
				if e.kind() == "skill" {
					n++
					f(e)
				}
			}
		}
	})
	if n == 0 {
		t.Skipf("the agent lists no skill here")
	}
}

func listType(t *T) {
	t.connect(knowsSkills).setups(func(_ string, c *chat) {
		for _, l := range c.settle() {
			for i, e := range l.entries {
				for _, name := range []string{"type", "name", "description"} {
					if name != "type" && e.kind() == "skill" {
						continue // A3/shape looks at these
					}
					if v := rawjson.Get(e.raw, name); !rawjson.IsString(v) {
						t.Failf([]Frame{l.frame}, "availableCommands[%d] has no %s: it is required in version 2", i, name)
					}
				}
			}
		}
	})
}

func listAsCommands(t *T) {
	skills := t.connect(knowsSkills).chat().skills()
	plain := t.connect(plainClient).chat()
	list := plain.list()
	frame := plain.setup
	if len(list) > 0 {
		frame = list[0].frame
	}
	for _, s := range skills {
		found := slices.ContainsFunc(list, func(e entry) bool {
			// An agent may mark a skill in the name of the command, as in
			// $name and skill:name.
			return e.kind() == "command" && strings.HasSuffix(e.name(), s.name())
		})
		if !found {
			t.Failf([]Frame{s.frame, frame}, "the skill %s is not among the commands of a client without skills", quote(s.name()))
		}
	}
}

func listShape(t *T) {
	eachSkill(t, func(e entry) {
		for _, name := range []string{"name", "description"} {
			if s, ok := rawjson.GetString(e.raw, name); !ok || strings.TrimSpace(s) == "" {
				t.Failf([]Frame{e.frame}, "a skill entry has no %s: %s", name, e.raw)
			}
		}
		if in := rawjson.Get(e.raw, "input"); in != nil && string(in) != "null" {
			t.Failf([]Frame{e.frame}, "the skill %s has an input: a skill entry has none", describe(e))
		}
		if p := rawjson.Get(e.raw, "path"); p != nil && string(p) != "null" {
			if s, ok := rawjson.String(p); !ok || !acp.IsAbsolutePath(s) {
				t.Failf([]Frame{e.frame}, "the path of the skill %s is not absolute", describe(e))
			}
		}
	})
}

func listUnique(t *T) {
	t.connect(knowsSkills).setups(func(_ string, c *chat) {
		for _, l := range c.settle() {
			seen := map[string]bool{}
			for _, e := range l.entries {
				if e.name() != "" && seen[e.name()] {
					t.Failf([]Frame{l.frame}, "the name %s stands twice in one list: qualify one of the two", quote(e.name()))
				}
				seen[e.name()] = true
			}
		}
	})
}

func listBlanks(t *T) {
	eachSkill(t, func(e entry) {
		if strings.ContainsFunc(e.name(), unicode.IsSpace) {
			t.Failf([]Frame{e.frame}, "the name of the skill %s has white space", describe(e))
		}
	})
}

func listDescription(t *T) {
	eachSkill(t, func(e entry) {
		if strings.ContainsFunc(e.text("description"), unicode.IsControl) {
			t.Failf([]Frame{e.frame}, "the description of the skill %s has line ends or control characters: it is shown to people", describe(e))
		}
	})
}

func listShort(t *T) {
	found := false
	eachSkill(t, func(e entry) {
		if !strings.Contains(e.text("path"), t.places.work) || !strings.Contains(e.name(), skillOne) {
			return
		}
		found = true
		if d := e.text("description"); strings.Contains(d, "written for a model") {
			t.Failf([]Frame{e.frame}, "the skill %s has a short description for people (metadata.short-description), and the long one is sent", describe(e))
		}
	})
	if !found {
		t.Skipf("the agent does not list the checker's skill with its path")
	}
}

func listPath(t *T) {
	paths := 0
	eachSkill(t, func(e entry) {
		path := e.text("path")
		if path == "" {
			return
		}
		paths++
		st, err := os.Stat(path)
		switch {
		case err != nil && strings.HasPrefix(path, t.places.base):
			t.Failf([]Frame{e.frame}, "the path of the skill %s does not exist", describe(e))
		case err != nil:
		case !st.Mode().IsRegular():
			t.Failf([]Frame{e.frame}, "the path of the skill %s is no file: it is the file that defines the skill", describe(e))
		case strings.Contains(e.name(), skillOne) && strings.Contains(path, skillTwo):
			t.Failf([]Frame{e.frame}, "the path of the skill %s is the file of another one", describe(e))
		}
	})
	if paths == 0 {
		t.Skipf("the agent sends no paths; they are optional")
	}
}

func listInvocable(t *T) {
	eachSkill(t, func(e entry) {
		if strings.Contains(e.name(), skillHidden) {
			t.Failf([]Frame{e.frame}, "the skill %s can be used by the model only (user-invocable: false), and a client can do nothing with it", describe(e))
		}
	})
}
