// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A Reference is a skill as the format's reference tool reads it: name and description
// without blanks around them, and every other scalar as its text. It gives that tool's two
// outputs, byte for byte where both read the file; docs/skills-ref.md lists the differences.
type Reference struct {
	Name, Description string
	// File is the absolute path of the SKILL.md in its directory, links to the directory
	// resolved.
	File string
	// Findings are the warnings that the skill was loaded with.
	Findings []Finding

	fm *Frontmatter
}

// A ReferenceError is why the reference tool would not read a skill either, or why we do
// not. Error is one line in that tool's words where it has words for it.
type ReferenceError struct {
	// Path is the directory or file that was given.
	Path string
	// Message is what the reference tool prints after "Error: ".
	Message string
	// Findings are our own, if there are any.
	Findings []Finding
}

// Error returns the message.
func (e *ReferenceError) Error() string { return e.Message }

// ReadReference reads the head of the skill at path, a directory or its SKILL.md. Values
// that FMT-13 repairs are read, with a warning. The error is a [*ReferenceError] unless path
// cannot be looked at.
func ReadReference(path string) (*Reference, error) {
	fail := func(fs []Finding, format string, args ...any) error {
		return &ReferenceError{Path: path, Message: Sanitize(fmt.Sprintf(format, args...)), Findings: fs}
	}
	v := validation{}
	root, entry, err := v.find(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if entry == nil || !isSkillFile(entry.Name()) {
		return nil, fail(nil, "SKILL.md not found in %s", filepath.Clean(path))
	}
	s, err := LoadIn(root, ".", &LoadOptions{Entry: entry, DirName: v.r.Dir})
	var le *LoadError
	if errors.As(err, &le) {
		return nil, fail(le.Findings, "%s", le.reference())
	} else if err != nil {
		return nil, err
	}
	r := &Reference{File: filepath.Join(root.Name(), entry.Name()), Findings: s.Findings, fm: s.Frontmatter}
	if !r.fm.Has("name") {
		return nil, fail(s.Findings, "Missing required field in frontmatter: name")
	}
	name, description := r.fm.Get("name"), r.fm.Get("description")
	r.Name, r.Description = pyStrip(name.Text), pyStrip(description.Text)
	if name.Kind != Scalar || r.Name == "" {
		return nil, fail(s.Findings, "Field 'name' must be a non-empty string")
	}
	return r, nil
}

// reference is why a skill was skipped, in the reference tool's words.
func (e *LoadError) reference() string {
	for _, f := range e.Findings {
		if !f.Skip {
			continue
		}
		if f.Rule == "FMT-6" {
			if f.kind == kindMissing {
				return "Missing required field in frontmatter: description"
			}
			return "Field 'description' must be a non-empty string"
		}
		if msg := referenceRefusal(f); msg != "" {
			return msg
		}
		return f.Message
	}
	return e.Error()
}

// JSON returns the skill's properties as read-properties prints them, without a line break
// at the end: two blanks a level, and every character beyond ASCII escaped.
func (r *Reference) JSON() []byte {
	w := pyWriter{}
	w.open('{')
	w.member("name").text(r.Name)
	w.member("description").text(r.Description)
	for _, key := range []string{"license", "compatibility", "allowed-tools"} {
		if v := r.fm.Get(key); v != nil {
			w.member(key).value(v)
		}
	}
	switch m := r.fm.Get("metadata"); {
	case m == nil, m.Kind == Scalar && m.Text == "", m.Kind == Sequence && len(m.Items) == 0, m.Kind == Mapping && len(m.Fields) == 0:
	case m.Kind == Mapping:
		// Its values are made text, whatever they are.
		w.member("metadata").open('{')
		for _, f := range m.Fields {
			w.member(f.Key).text(pyStr(f.Value))
		}
		w.close('}')
	default:
		w.member("metadata").value(m)
	}
	w.close('}')
	return w.b
}

// ReferencePrompt returns the <available_skills> block as to-prompt prints it, without a
// line break at the end. It has every skill, also those that [Prompt] leaves out, and it is not empty without
// any. Unlike the reference it escapes the location too (ACT-1).
func ReferencePrompt(skills []*Reference) string {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;").Replace
	var b strings.Builder
	b.WriteString("<available_skills>\n")
	for _, r := range skills {
		fmt.Fprintf(&b, "<skill>\n<name>\n%s\n</name>\n<description>\n%s\n</description>\n<location>\n%s\n</location>\n</skill>\n",
			escape(r.Name), escape(r.Description), escape(r.File))
	}
	b.WriteString("</available_skills>")
	return b.String()
}
