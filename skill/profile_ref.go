// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// likeReference replaces the findings by those that the reference tool would have, in its
// words and order. It judges what our parser reads, so that the reference's way of cutting
// files does not count.
func likeReference(v *validation) {
	ours := v.r.Findings
	v.r.Findings = nil
	if v.r.Document == nil {
		v.unread(ours)
		return
	}
	d := v.r.Document
	r := referee{v: v, fm: d.Frontmatter}
	for _, f := range ours {
		if msg := referenceRefusal(f); msg != "" {
			f.Message, f.Severity = msg, Error
			v.r.Findings = []Finding{f}
			return
		}
	}
	if d.Frontmatter == nil {
		v.unread(ours)
		return
	}
	r.fields()
	r.name()
	r.description()
	r.compatibility()
}

// unread passes on why there is nothing to judge.
func (v *validation) unread(ours []Finding) {
	for _, f := range ours {
		if f.Skip {
			if f.Rule == "FMT-1" && v.r.Source == nil {
				f.Message = "Missing required file: SKILL.md"
			}
			v.r.Findings = append(v.r.Findings, f)
			return
		}
	}
}

// referenceRefusal is what the reference tool says of a file that it does not read, or "".
func referenceRefusal(f Finding) string {
	switch {
	case f.kind == kindUnclosed:
		return "SKILL.md frontmatter not properly closed with ---"
	case f.Rule == "FMT-2", f.Rule == "FMT-14" && f.Line > 0:
		return "SKILL.md must start with YAML frontmatter (---)"
	case f.kind == kindShape:
		return "SKILL.md frontmatter must be a YAML mapping"
	case f.Rule == "FMT-4":
		return "Invalid YAML in frontmatter: " + strings.TrimPrefix(cmp.Or(f.parser, f.Message), notYAML)
	}
	return ""
}

// referee is the reference tool's set of checks.
type referee struct {
	v  *validation
	fm *Frontmatter
}

func (r *referee) fail(rule, key, format string, args ...any) {
	f := Finding{Rule: rule, Message: Sanitize(fmt.Sprintf(format, args...)), Line: r.v.r.Document.fenceLine, Column: 1}
	if val := r.fm.Get(key); val != nil {
		f.Line, f.Column = val.Line, val.Column
	}
	r.v.report(f)
}

func (r *referee) fields() {
	known := formatFields()
	var extra []string
	at := ""
	for f := range r.fm.Fields() {
		if !slices.Contains(known, f.Key) {
			at = f.Key
			extra = append(extra, f.Key)
		}
	}
	if len(extra) == 0 {
		return
	}
	slices.Sort(extra)
	slices.Sort(known)
	r.fail("FMT-10", at, "Unexpected fields in frontmatter: %s. Only ['%s'] are allowed.", strings.Join(slices.Compact(extra), ", "), strings.Join(known, "', '"))
}

// text returns a field as the reference has it: every scalar is a string, null too.
func (r *referee) text(key string) (s string, ok bool) {
	v := r.fm.Get(key)
	if v == nil || v.Kind != Scalar {
		return "", false
	}
	return v.Text, true
}

func (r *referee) name() {
	if !r.fm.Has("name") {
		r.fail("FMT-5", "", "Missing required field in frontmatter: name")
		return
	}
	name, ok := r.text("name")
	if name = strings.TrimSpace(name); !ok || name == "" {
		r.fail("FMT-5", "name", "Field 'name' must be a non-empty string")
		return
	}
	name = norm.NFKC.String(name)
	fail := func(format string, args ...any) { r.fail("FMT-5", "name", format, args...) }
	if n := utf8.RuneCountInString(name); n > MaxName {
		fail("Skill name '%s' exceeds %d character limit (%d chars)", name, MaxName, n)
	}
	if name != strings.ToLower(name) {
		fail("Skill name '%s' must be lowercase", name)
	}
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
		fail("Skill name cannot start or end with a hyphen")
	}
	if strings.Contains(name, "--") {
		fail("Skill name cannot contain consecutive hyphens")
	}
	if strings.ContainsFunc(name, func(c rune) bool { return c != '-' && !unicode.IsLetter(c) && !unicode.IsNumber(c) }) {
		fail("Skill name '%s' contains invalid characters. Only letters, digits, and hyphens are allowed.", name)
	}
	if dir := r.v.r.Dir; norm.NFKC.String(dir) != name {
		fail("Directory name '%s' must match skill name '%s'", dir, name)
	}
}

func (r *referee) description() {
	if !r.fm.Has("description") {
		r.fail("FMT-6", "", "Missing required field in frontmatter: description")
		return
	}
	text, ok := r.text("description")
	if !ok || strings.TrimSpace(text) == "" {
		r.fail("FMT-6", "description", "Field 'description' must be a non-empty string")
		return
	}
	if n := utf8.RuneCountInString(text); n > MaxDescription {
		r.fail("FMT-6", "description", "Description exceeds %d character limit (%d chars)", MaxDescription, n)
	}
}

func (r *referee) compatibility() {
	if !r.fm.Has("compatibility") {
		return
	}
	text, ok := r.text("compatibility")
	if !ok {
		r.fail("FMT-7", "compatibility", "Field 'compatibility' must be a string")
		return
	}
	if n := utf8.RuneCountInString(text); n > MaxCompatibility {
		r.fail("FMT-7", "compatibility", "Compatibility exceeds %d character limit (%d chars)", MaxCompatibility, n)
	}
}
