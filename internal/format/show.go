// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// ShowOptions are the flags of the show command.
type ShowOptions struct {
	Choices cli.Choices
	JSON    bool
	Body    bool // also when several skills are shown
}

// Shown is all that there is to know about one skill. Of a skill that cannot be loaded
// there are the file and the findings only.
type Shown struct {
	// Name is how a session's list names it, empty for a skill that is not in the
	// catalog; OwnName is the one in the file.
	Name        string `json:"name,omitempty"`
	OwnName     string `json:"ownName,omitempty"`
	Description string `json:"description,omitempty"`
	Path        string `json:"path"`
	Dir         string `json:"dir"`
	Scope       string `json:"scope,omitempty"`
	ShadowedBy  string `json:"shadowedBy,omitempty"`
	User        bool   `json:"userInvocable"`
	Model       bool   `json:"modelInvocable"`
	// Frontmatter is every field, by the mapping of [skill.Value.AppendJSON].
	Frontmatter json.RawMessage `json:"frontmatter,omitempty"`
	Findings    []skill.Finding `json:"findings"`
	Files       []string        `json:"files"`
	FilesTotal  int             `json:"filesTotal"`
	Agents      []AgentUse      `json:"agents,omitempty"`
	Body        string          `json:"body"`

	fields []shownField
	src    []byte
}

type shownField struct{ key, value string }

// Show is the show command.
func Show(ctx context.Context, o ShowOptions, args []string, std cli.Streams) error {
	where, err := Where(o.Choices)
	if err != nil {
		return cannot(ctx, err)
	}
	m := newMeter(std.Err)
	targets, names, err := pick(ctx, args, where)
	m.end()
	if err != nil {
		return cannot(ctx, err)
	}
	all := []*Shown{}
	for _, t := range targets {
		s, err := look(ctx, t, names)
		if err != nil {
			return cannot(ctx, err)
		}
		all = append(all, s)
	}
	if o.JSON {
		err = cli.WriteJSON(std.Out, all)
	} else {
		err = printShown(all, o.Body || len(all) == 1, std)
	}
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.bad() {
			return cli.Silent(exitFindings)
		}
	}
	return nil
}

// bad reports whether the skill has an error.
func (s *Shown) bad() bool {
	for _, f := range s.Findings {
		if f.Severity == skill.Error {
			return true
		}
	}
	return false
}

// pick finds what arguments mean: names of the catalog, or paths. names has the name in a
// session of each entry.
func pick(ctx context.Context, args []string, where catalog.Options) (targets []Target, names map[*catalog.Entry]string, err error) {
	here, err := fromCatalog(ctx, where)
	if err != nil {
		return nil, nil, err
	}
	names = sessionNames(here.Skills)
	if len(args) == 0 {
		if len(here.Skills) == 0 {
			return nil, nil, noSkills()
		}
		own := slices.DeleteFunc(here.Skills, func(t Target) bool { return t.Copy })
		return own, names, nil
	}
	for _, arg := range args {
		if !strings.ContainsAny(arg, `/\`) && arg != "." && arg != ".." {
			if t, ok := byTheName(here.Skills, names, arg); ok {
				targets = append(targets, t)
				continue
			}
		}
		found, err := Find(ctx, []string{arg}, where)
		var exit *cli.ExitError
		if errors.As(err, &exit) && exit.Status == cli.ExitUsage {
			return nil, nil, cli.Usagef("there is no skill and no file %q here: skillgraft list has the names", arg)
		}
		if err != nil {
			return nil, nil, err
		}
		if len(found.Skills) == 0 {
			return nil, nil, cli.Usagef("there is no skill in %q: name the directory of one, or a name that skillgraft list has", arg)
		}
		for _, t := range found.Skills {
			targets = append(targets, inCatalog(here.Skills, t))
		}
	}
	return targets, names, nil
}

// inCatalog is the catalog's own target for the same file, which knows more.
func inCatalog(here []Target, t Target) Target {
	file := resolved(t.File())
	for _, h := range here {
		if h.Entry != nil && h.Entry.File == file {
			t.Entry = h.Entry
		}
	}
	return t
}

func sessionNames(targets []Target) map[*catalog.Entry]string {
	var entries []*catalog.Entry
	for _, t := range targets {
		if t.Entry != nil {
			entries = append(entries, t.Entry)
		}
	}
	names := map[*catalog.Entry]string{}
	var assign acpskill.Names
	for _, l := range assign.Assign(entries, nil) {
		names[l.Entry] = l.Name
	}
	return names
}

// byTheName finds a skill by the name that a session gives it, by its id, and one that
// could not be loaded by its directory's name.
func byTheName(here []Target, names map[*catalog.Entry]string, name string) (Target, bool) {
	for _, same := range []func(Target) bool{
		func(t Target) bool { return t.Entry != nil && names[t.Entry] == name },
		func(t Target) bool { return t.Entry != nil && t.Entry.ID == name },
		func(t Target) bool { return filepath.Base(t.Dir) == name },
	} {
		for _, t := range here {
			if same(t) {
				return t, true
			}
		}
	}
	return Target{}, false
}

// look reads all of a skill.
func look(ctx context.Context, t Target, names map[*catalog.Entry]string) (*Shown, error) {
	r := CheckOptions{Profile: skill.ProfileSpec}.validate(t)
	s := &Shown{Path: t.Path, Dir: resolved(t.Dir), Findings: append([]skill.Finding{}, r.Findings...), Files: []string{}, src: r.Source}
	var loaded *skill.Skill
	paths := []string{t.File(), resolved(t.File())}
	if e := t.Entry; e != nil {
		loaded = e.Skill
		s.Name, s.Scope = names[e], e.Scope.String()
		if e.ShadowedBy != nil {
			s.ShadowedBy = e.ShadowedBy.File
		}
		paths = append(append(paths, e.Aliases...), e.Copies...)
	} else {
		var err error
		if loaded, err = skill.Load(t.Dir, nil); err != nil {
			return s, nil // the findings say why
		}
	}
	a, err := loaded.Activate(ctx, nil)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return s, nil
	}
	now := a.Skill
	s.OwnName, s.Description, s.Dir = now.Name, now.Description, now.Dir
	s.User, s.Model = now.UserInvocable(), now.ModelInvocable()
	s.Frontmatter = now.Frontmatter.JSON()
	for f := range now.Frontmatter.Fields() {
		if f.Key != "name" && f.Key != "description" {
			s.fields = append(s.fields, shownField{f.Key, fieldText(f.Value)})
		}
	}
	s.Files, s.FilesTotal, s.Body = append(s.Files, a.Files...), a.FilesTotal, a.Body
	s.Agents = usesOf(now, paths)
	return s, nil
}

// fieldText is a field's value in a line.
func fieldText(v *skill.Value) string {
	if v.Kind == skill.Scalar {
		return v.Text
	}
	return string(v.AppendJSON(nil))
}
