// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"fmt"
	"slices"
	"strings"
)

// A Profile is whose view [Validate] takes.
type Profile string

const (
	// ProfileSpec is the format's own view, with advice.
	ProfileSpec Profile = "spec"
	// ProfileSkillsRef gives the verdict of the format's reference tool and its messages,
	// without advice, except where that tool is at fault; docs/skills-ref.md lists these.
	ProfileSkillsRef Profile = "skills-ref"
	// ProfileClaude is ProfileSpec for skills written for Claude: the fields that Claude
	// Code knows are in order, and what its upload refuses is a warning.
	ProfileClaude Profile = "claude"
)

// Profiles returns the names of all profiles, the default one first.
func Profiles() []Profile { return []Profile{ProfileSpec, ProfileSkillsRef, ProfileClaude} }

func profileNames() []string {
	var out []string
	for _, p := range Profiles() {
		out = append(out, string(p))
	}
	return out
}

// profiles holds what each profile does to the findings of a run.
func profiles() map[Profile]func(*validation) {
	return map[Profile]func(*validation){
		ProfileSpec:      func(*validation) {},
		ProfileSkillsRef: likeReference,
		ProfileClaude:    likeClaude,
	}
}

// likeClaude takes out the notes about fields that Claude Code knows, and adds what Claude
// does not accept although the format does (A29).
func likeClaude(v *validation) {
	known := claudeFields()
	v.r.Findings = slices.DeleteFunc(v.r.Findings, func(f Finding) bool {
		return f.Rule == "FMT-10" && f.Severity == Info && slices.Contains(known, f.field)
	})
	d := v.r.Document
	if d == nil || d.Frontmatter == nil {
		return
	}
	warn := func(rule, field, format string, args ...any) {
		f := Finding{Rule: rule, Severity: Warning, Message: fmt.Sprintf(format, args...)}
		if val := d.Frontmatter.Get(field); val != nil {
			f.Line, f.Column = val.Line, val.Column
		}
		v.report(f)
	}
	if strings.ContainsAny(d.Frontmatter.Description, "<>") {
		warn("FMT-6", "description", "description contains angle brackets, which Claude refuses in uploaded skills; write the placeholder in capitals or in quotes")
	}
	if strings.ContainsAny(d.Frontmatter.Name, "<>") {
		warn("FMT-5", "name", "name contains angle brackets, which Claude refuses; use letters, digits and hyphens")
	}
	for _, word := range []string{"anthropic", "claude"} {
		if strings.Contains(strings.ToLower(d.Frontmatter.Name), word) {
			warn("FMT-5", "name", "name contains %q, which Claude reserves; choose another name", word)
		}
	}
}

// claudeFields are the fields beyond the format that Claude Code gives a meaning.
func claudeFields() []string {
	return []string{userInvocable, disableModel, "argument-hint", "arguments", "model", "effort", "context",
		"agent", "hooks", "paths", "shell", "when_to_use"}
}
