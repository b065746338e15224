// SPDX-License-Identifier: Apache-2.0

package skill

import "strings"

// Prompt returns the catalogue that a model is shown so that it can choose a skill: an
// <available_skills> element with name, description and location of each skill in order.
// Skills that only the user may invoke are left out, and without any other the result is
// "" (ACT-1).
//
// Every field is sanitized to one line and escaped, so that the result has exactly one
// closing tag whatever the skills contain. That keeps the structure honest, not the text:
// a description is still the words of its author and belongs where a model gives it no
// authority.
func Prompt(skills []*Skill) string {
	var b strings.Builder
	for _, s := range skills {
		if !s.ModelInvocable() {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("<available_skills>\n")
		}
		b.WriteString("  <skill>\n    <name>")
		b.WriteString(Escape(s.Name))
		b.WriteString("</name>\n    <description>")
		b.WriteString(Escape(s.Description))
		b.WriteString("</description>\n")
		if s.File != "" {
			b.WriteString("    <location>")
			b.WriteString(Escape(s.File))
			b.WriteString("</location>\n")
		}
		b.WriteString("  </skill>\n")
	}
	if b.Len() > 0 {
		b.WriteString("</available_skills>")
	}
	return b.String()
}

// Escape returns s sanitized to one line and with the five characters escaped that have a
// meaning in XML text and attributes.
func Escape(s string) string { return escaper().Replace(Sanitize(s)) }

func escaper() *strings.Replacer {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")
}
