// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

// FixOptions say what is mended.
type FixOptions struct {
	// Rules are the rules whose optional fixes are made, too: those that decide
	// something for the author, such as which of two names is right.
	Rules []string
	// All makes every optional fix.
	All bool
	// DryRun shows what would be done and does nothing.
	DryRun bool
}

// FixSafe is the value of --fix that mends only what is mechanical.
const FixSafe = "safe"

// ParseFix reads the value of --fix: safe, all, name, or rule ids with commas between
// them.
func ParseFix(value string) (*FixOptions, error) {
	o := new(FixOptions)
	for word := range strings.SplitSeq(value, ",") {
		switch word = strings.TrimSpace(word); word {
		case FixSafe:
		case "all":
			o.All = true
		case "name":
			o.Rules = append(o.Rules, "FMT-5")
		default:
			rules, err := pickRules([]string{word})
			if err != nil || word == "" {
				return nil, cli.Usagef("--fix=%s: there is no fix %q; use --fix, --fix=name to take names from directories, --fix=all, or the rule of a finding, such as --fix=FMT-10", value, word)
			}
			o.Rules = append(o.Rules, rules[0].ID)
		}
	}
	return o, nil
}

// fixFlag is what a user types to have a finding mended.
func fixFlag(f skill.Finding) string {
	switch {
	case !f.Fix.Optional:
		return "--fix"
	case f.Rule == "FMT-5":
		return "--fix=name"
	}
	return "--fix=" + f.Rule
}

// Fixed is what was done to a file.
type Fixed struct {
	// Mended are the findings that are mended, or would be.
	Mended []skill.Finding `json:"mended"`
	// Diff is the change in the unified form.
	Diff string `json:"diff"`
	// Written is true when the file on disk has the change.
	Written bool `json:"written"`
	// Failed is why it does not, when that was wanted.
	Failed string `json:"failed,omitempty"`
}

// accepts reports whether a finding is one to mend.
func (o *FixOptions) accepts(f skill.Finding) bool {
	return f.Fix != nil && (!f.Fix.Optional || o.All || slices.Contains(o.Rules, f.Rule))
}

// mend changes a file by the fixes of its findings. It is nil when there are none.
func (o *FixOptions) mend(t Target, r *skill.Report) *Fixed {
	if !slices.ContainsFunc(r.Findings, o.accepts) {
		return nil
	}
	after, mended := skill.Mend(r.Source, &skill.MendOptions{File: r.File, Dir: r.Dir, Accept: o.accepts})
	if bytes.Equal(after, r.Source) {
		return nil
	}
	name := safePath(filepath.ToSlash(t.Path))
	f := &Fixed{Mended: mended, Diff: unified("a/"+name, "b/"+name, string(r.Source), string(after))}
	if o.DryRun {
		return f
	}
	if err := replaceFile(t.Bound, t.File(), r.Source, after); err != nil {
		f.Failed = cause(err)
		return f
	}
	f.Written = true
	return f
}
