// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"slices"

	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// Found is what lies on the disk.
type Found struct {
	Skills   []FoundSkill    `json:"skills"`
	Findings []skill.Finding `json:"findings"`

	roots []catalog.Root
}

// A FoundSkill is a skill and how it can be had.
type FoundSkill struct {
	// Name is how a session's list names it, and what --skill takes.
	Name string `json:"name"`
	// OwnName is the name in the file, which another skill may have, too.
	OwnName     string        `json:"ownName"`
	Description string        `json:"description"`
	Scope       catalog.Scope `json:"scope"`
	File        string        `json:"file"`
	Root        string        `json:"root"`
	Path        string        `json:"path"` // of the file as it was found, through links
	User        bool          `json:"userInvocable"`
	Model       bool          `json:"modelInvocable"`
	// ShadowedBy is the file that has the bare name.
	ShadowedBy string   `json:"shadowedBy,omitempty"`
	Copies     []string `json:"copies,omitempty"`
	Aliases    []string `json:"aliases,omitempty"`
}

// Look finds the skills on the disk.
func Look(ctx context.Context, where catalog.Options) (*Found, error) {
	snapshot, err := catalog.Scan(ctx, where)
	if err != nil {
		return nil, err
	}
	// The names that a session would give (ACP-A4), as far as the agent's own
	// commands do not have them.
	names := map[*catalog.Entry]string{}
	var assign acpskill.Names
	for _, l := range assign.Assign(snapshot.All(), nil) {
		names[l.Entry] = l.Name
	}
	f := &Found{Skills: []FoundSkill{}, Findings: slices.Concat([]skill.Finding{}, snapshot.Findings()), roots: snapshot.Roots()}
	for _, e := range snapshot.All() {
		s := FoundSkill{
			Name: e.ID, OwnName: e.Name, Description: e.DisplayDescription(), Scope: e.Scope, File: e.File, Root: e.Root, Path: e.Path,
			User: e.UserInvocable(), Model: e.ModelInvocable(), Copies: e.Copies, Aliases: e.Aliases,
		}
		if name, ok := names[e]; ok {
			s.Name = name
		}
		if e.ShadowedBy != nil {
			s.ShadowedBy = e.ShadowedBy.File
		}
		f.Skills = append(f.Skills, s)
	}
	return f, nil
}

// Bad reports whether something is there that could not be used.
func (f *Found) Bad() bool {
	return slices.ContainsFunc(f.Findings, func(x skill.Finding) bool { return x.Skip || x.Severity == skill.Error })
}
