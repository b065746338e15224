// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// checker holds the rules about fields (FMT-4 to FMT-11). Each method is one group of
// rules, so that a new rule is a new method in all.
type checker struct {
	fm     *Frontmatter
	dir    string
	report func(Finding)
	fix    *fixer
	load   bool // nobody will read advice to the author
	fence  int  // line of the first fence, the place of what is missing
}

func (c *checker) all() {
	c.structure(c.fm.values(), "", 0)
	c.name()
	c.description()
	c.texts()
	c.metadata()
	c.tools()
	c.flags()
	c.fields()
}

func (c *checker) add(rule string, sev Severity, v *Value, format string, args ...any) {
	c.addFix(rule, sev, v, nil, format, args...)
}

func (c *checker) addFix(rule string, sev Severity, v *Value, fix *Fix, format string, args ...any) {
	f := Finding{Rule: rule, Severity: sev, Fix: fix, Message: fmt.Sprintf(format, args...), Line: c.fence}
	if v != nil {
		f.Line, f.Column = v.Line, v.Column
	}
	c.report(f)
}

// structure walks the mapping for what the format's YAML may not contain (FMT-4). top is
// the field that a nested value belongs to.
func (c *checker) structure(v *Value, top string, depth int) {
	essential := top == "name" || top == "description"
	ban := func(what string) {
		c.report(Finding{Rule: "FMT-4", Line: v.Line, Column: v.Column, Skip: essential,
			Message: fmt.Sprintf("%s in the value of %s; write the value out, in quotes if it is text", what, shown(top))})
	}
	if depth > 0 {
		switch {
		case v.Kind == Alias:
			ban("the alias *" + Sanitize(v.Text))
		case v.Anchor != "":
			ban("the anchor &" + Sanitize(v.Anchor))
		case v.Tag != "" && !coreTag(v.Tag):
			ban("the tag " + Sanitize(v.Tag))
		}
	}
	for _, it := range v.Items {
		c.structure(it, top, depth+1)
	}
	if len(v.Fields) == 0 {
		return
	}
	seen := seenKeys{fields: v.Fields}
	for i, f := range v.Fields {
		in := top
		if depth == 0 {
			in = f.Key
		}
		switch first, dup := seen.before(i); {
		case f.Key == complexKey || strings.HasPrefix(f.Key, "*") && f.Value.Line == f.Line && depth == 0:
			c.report(Finding{Rule: "FMT-4", Line: f.Line, Column: f.Column,
				Message: "a field name must be plain text; rename the field"})
		case f.Key == "<<":
			c.report(Finding{Rule: "FMT-4", Line: f.Line, Column: f.Column,
				Message: "merge keys are not part of the format; write the fields out"})
		case dup:
			// Which of the two counts is anybody's guess, and guesses differ between
			// agents; for a field of the skill itself nobody may guess.
			c.report(Finding{Rule: "FMT-4", Line: f.Line, Column: f.Column, Skip: depth == 0,
				Message: fmt.Sprintf("%s is given twice, first in line %d; remove one", shown(f.Key), first)})
		}
		c.structure(f.Value, in, depth+1)
	}
}

// seenKeys finds fields that are given twice. Most mappings have few fields, for which a map
// costs more than looking.
type seenKeys struct {
	fields []Field
	first  map[string]int // line by key, when there are many
}

// before returns the line of the first field with the same key as field i, if i is not it.
func (s *seenKeys) before(i int) (line int, found bool) {
	key := s.fields[i].Key
	if len(s.fields) <= 16 {
		for _, f := range s.fields[:i] {
			if f.Key == key {
				return f.Line, true
			}
		}
		return 0, false
	}
	if s.first == nil {
		s.first = make(map[string]int, len(s.fields))
	}
	if line, found = s.first[key]; !found {
		s.first[key] = s.fields[i].Line
	}
	return line, found
}

func (c *checker) name() {
	v := c.fm.Get("name")
	name := c.fm.Name
	if name == "" {
		msg := "name is missing; add a name field equal to the directory's name"
		if v != nil {
			msg = "name is empty or not text; make it equal to the directory's name"
		}
		c.addFix("FMT-5", Error, v, c.nameFix(v), "%s", msg)
		return
	}
	n := nfkc(name)
	if l := utf8.RuneCountInString(n); l > MaxName {
		c.add("FMT-5", Error, v, "name has %d characters, at most %d are allowed; shorten it and the directory's name", l, MaxName)
	}
	for _, r := range n {
		if nameRune(r) {
			continue
		}
		c.add("FMT-5", Error, v, "name contains %s; use lower-case letters, digits and hyphens only", character(r))
		break
	}
	if strings.HasPrefix(n, "-") || strings.HasSuffix(n, "-") || strings.Contains(n, "--") {
		c.add("FMT-5", Error, v, "name has a hyphen at an end or two in a row; remove it")
	}
	if c.dir != "" && n != nfkc(c.dir) {
		c.addFix("FMT-5", Error, v, c.nameFix(v), "name %q is not the directory's name %q; make them equal", Sanitize(name), Sanitize(c.dir))
	}
	c.visible("name", v)
}

// nfkc is the form in which names are compared, which for most is the one that they have.
func nfkc(s string) string {
	if isASCII(s) {
		return s
	}
	return norm.NFKC.String(s)
}

// nameFix gives the skill its directory's name, where that is one.
func (c *checker) nameFix(v *Value) *Fix {
	if c.fix == nil || !validName(c.dir) {
		return nil
	}
	if v == nil {
		return c.fix.addField("name", c.dir)
	}
	return optional(c.fix.set(c.fm, "name", c.dir, "use the directory's name"))
}

// validName reports whether s breaks none of FMT-5.
func validName(s string) bool {
	n := norm.NFKC.String(s)
	if n == "" || utf8.RuneCountInString(n) > MaxName || strings.HasPrefix(n, "-") || strings.HasSuffix(n, "-") || strings.Contains(n, "--") {
		return false
	}
	return !strings.ContainsFunc(n, func(r rune) bool { return !nameRune(r) })
}

// nameRune reports whether r may stand in a name: a hyphen, a digit, or a letter that is
// not an upper-case one (FMT-5). Letters of scripts without case count as lower-case.
func nameRune(r rune) bool {
	return r == '-' || unicode.IsDigit(r) || unicode.IsLetter(r) && unicode.ToLower(r) == r
}

func (c *checker) description() {
	v := c.fm.Get("description")
	d := c.fm.Description
	if blank(d) {
		msg := "description is missing; say what the skill does and when to use it"
		if v != nil {
			msg = "description is empty; say what the skill does and when to use it"
			if !v.IsNull() && v.Kind != Scalar {
				msg = "description is " + v.Kind.String() + "; make it text, in quotes if it starts with a bracket"
			}
		}
		f := Finding{Rule: "FMT-6", Message: msg, Skip: true, Line: c.fence, kind: kindMissing}
		if v != nil {
			f.Line, f.Column, f.kind = v.Line, v.Column, kindOther
		}
		c.report(f)
		return
	}
	if l := utf8.RuneCountInString(d); l > MaxDescription {
		c.add("FMT-6", Error, v, "description has %d characters, at most %d are allowed; move details into the body", l, MaxDescription)
	}
	c.cut("description", v)
	c.visible("description", v)
}

// cut warns about a plain value that a # ends (FMT-11). A comment that says something about
// the value looks the same, so that the fix is the author's to choose.
func (c *checker) cut(field string, v *Value) {
	if !v.comment {
		return
	}
	var fix *Fix
	if c.fix != nil {
		at := c.fix.offset(v.Line, v.Column)
		end := c.fix.lineStart(v.Line) + len(c.fix.lineText(v.Line))
		if all := strings.TrimRight(string(c.fix.src[at:end]), " \t"); strings.HasPrefix(all, v.Text) {
			fix = &Fix{Message: "put the whole text in quotes", Optional: true, Edits: []Edit{{at, at + len(all), quoted(all)}}}
		}
	}
	c.report(Finding{Rule: "FMT-11", Severity: Warning, Line: v.Line, Column: v.Column, Fix: fix, author: field != "description",
		Message: fmt.Sprintf("a # cuts the %s; put the whole text in quotes", field)})
}

// visible warns about characters that a reader cannot see (FMT-11).
func (c *checker) visible(field string, v *Value) {
	if r, ok := hasHidden(v.Text); ok {
		c.add("FMT-11", Warning, v, "%s contains the invisible character %s; remove it", field, describe(r))
	}
}

func (c *checker) texts() {
	for _, key := range []string{"license", "compatibility"} {
		v := c.fm.Get(key)
		if v == nil {
			continue
		}
		if v.Kind != Scalar || v.IsNull() {
			c.add("FMT-7", Error, v, "%s is not text; write a string or remove the field", key)
			continue
		}
		c.cut(key, v)
		if key == "compatibility" {
			if l := utf8.RuneCountInString(v.Text); l < 1 || l > MaxCompatibility {
				c.add("FMT-7", Error, v, "compatibility has %d characters; use 1 to %d or remove the field", l, MaxCompatibility)
			}
		}
	}
}

func (c *checker) metadata() {
	m := c.fm.Get("metadata")
	if m.IsNull() {
		return
	}
	if m.Kind != Mapping {
		c.add("FMT-8", Error, m, "metadata is %s; make it a mapping of names to text", m.Kind)
		return
	}
	for _, f := range m.Fields {
		if f.Value.Kind != Scalar {
			c.add("FMT-8", Error, f.Value, "metadata.%s is %s; values must be text", shown(f.Key), f.Value.Kind)
		}
	}
}

func (c *checker) tools() {
	v := c.fm.Get("allowed-tools")
	if v.IsNull() {
		return
	}
	if v.Kind != Scalar {
		c.addFix("FMT-9", Error, v, c.toolsFix(v), "allowed-tools is %s; write one line with blanks between the entries", v.Kind)
		return
	}
	if _, comma := splitTools(v.Text); comma {
		c.addFix("FMT-9", Warning, v, c.toolsFix(v), "allowed-tools is separated by commas; use blanks")
	}
}

// toolsFix writes the entries in the format's own form, if that says the same.
func (c *checker) toolsFix(v *Value) *Fix {
	tools := toolsOf(v)
	if c.fix == nil || len(tools) == 0 {
		return nil
	}
	text := strings.Join(tools, " ")
	if again, comma := splitTools(text); comma || !slices.Equal(again, tools) {
		return nil // an entry with a blank or comma of its own
	}
	return c.fix.set(c.fm, "allowed-tools", text, "write the entries as one line with blanks between them")
}

// flags reports switches that are not clearly on or off, because they are then read the
// restrictive way (ACT-10), which an author should hear about.
func (c *checker) flags() {
	for _, key := range []string{userInvocable, disableModel} {
		v := c.fm.Get(key)
		if v == nil {
			continue
		}
		if _, ok := v.Bool(); !ok {
			c.addFix("ACT-10", Warning, v, c.flagFix(key, v), "%s is neither true nor false and is read the restrictive way; write true or false", key)
		}
	}
	if !invocableByUser(c.fm) && !invocableByModel(c.fm) {
		c.add("ACT-10", Warning, c.fm.Get(userInvocable), "neither the user nor the model may invoke this skill; change %s or %s", userInvocable, disableModel)
	}
}

// flagFix writes a boolean of other languages as YAML's. The skill then stops being read the
// restrictive way, which is for the author to want.
func (c *checker) flagFix(key string, v *Value) *Fix {
	if c.fix == nil || v.Kind != Scalar {
		return nil
	}
	to := ""
	switch strings.ToLower(v.Text) {
	case "yes", "on", "y", "1", "true":
		to = "true"
	case "no", "off", "n", "0", "false":
		to = "false"
	default:
		return nil
	}
	at := c.fix.offset(v.Line, v.Column)
	if !v.Plain || !strings.HasPrefix(string(c.fix.src[at:]), v.Text) {
		return nil
	}
	return &Fix{Message: "write " + to, Optional: true, Edits: []Edit{{at, at + len(v.Text), to}}}
}

// shown is a field name fit for a message.
func shown(key string) string {
	if s := Sanitize(key); s != "" && key != complexKey {
		return s
	}
	return "a field"
}

// character names r so that it can be recognised even if it does not print.
func character(r rune) string {
	if unicode.IsPrint(r) && !hidden(r) && r != ' ' {
		return fmt.Sprintf("%q", string(r))
	}
	return describe(r)
}
