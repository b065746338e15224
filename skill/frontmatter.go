// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"iter"
	"strings"
	"sync/atomic"
)

// Frontmatter is the parsed head of a SKILL.md. It keeps every field, known or not, in the
// author's order and spelling. It is immutable and safe for concurrent use.
type Frontmatter struct {
	// Name is the name field, empty when it is missing or not text.
	Name string
	// Description is the description field, empty when it is missing, null or not text.
	// It may hold line breaks; see [Skill.DisplayDescription].
	Description string
	// License and Compatibility are those fields, empty when missing or not text.
	License       string
	Compatibility string

	// root is nil for a simple block whose values nobody has asked for since it was
	// loaded: lists need the fields above and little else, and values take more space than
	// the text that they come from.
	root atomic.Pointer[Value]
	raw  string
	line int // of the block's first line in the file
}

// newFrontmatter returns the fields of a block that was read as root, which it keeps.
func newFrontmatter(root *Value, raw string, line int) *Frontmatter {
	fm := &Frontmatter{raw: raw, line: line}
	fm.root.Store(root)
	fm.Name = strings.TrimSpace(fm.text("name"))
	fm.Description = fm.text("description")
	fm.License = fm.text("license")
	fm.Compatibility = fm.text("compatibility")
	return fm
}

// forget drops the values, which lie in space of somebody else. The block must be simple.
func (fm *Frontmatter) forget() { fm.root.Store(nil) }

// values returns the whole mapping.
func (fm *Frontmatter) values() *Value {
	root := fm.root.Load()
	if root == nil {
		if root = readSimple(fm.raw, fm.line, nil); !fm.root.CompareAndSwap(nil, root) {
			return fm.root.Load()
		}
	}
	return root
}

func (fm *Frontmatter) text(key string) string {
	v := fm.Get(key)
	if v.IsNull() || v.Kind != Scalar {
		return ""
	}
	return v.Text
}

// Has reports whether there is a field of this name, whatever its value.
func (fm *Frontmatter) Has(key string) bool { return fm.Get(key) != nil }

// Get returns the value of a top-level field, or nil.
func (fm *Frontmatter) Get(key string) *Value {
	if fm.root.Load() == nil && !strings.Contains(fm.raw, key) {
		return nil // the keys of a simple block stand in it as they are
	}
	return fm.values().Get(key)
}

// Fields returns the top-level fields in the author's order.
func (fm *Frontmatter) Fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for _, f := range fm.values().Fields {
			if !yield(f) {
				return
			}
		}
	}
}

// AllowedTools returns the entries of allowed-tools, from text, a list or a comma list
// (FMT-9). They are what the author asks for, never a grant (ACT-9).
func (fm *Frontmatter) AllowedTools() []string { return toolsOf(fm.Get("allowed-tools")) }

// Metadata yields the entries of metadata in the author's order. Values that are not text
// keep their shape; scalar text is as written (FMT-8).
func (fm *Frontmatter) Metadata() iter.Seq2[string, *Value] {
	return func(yield func(string, *Value) bool) {
		m := fm.Get("metadata")
		if m == nil {
			return
		}
		for _, f := range m.Fields {
			if !yield(f.Key, f.Value) {
				return
			}
		}
	}
}

// ShortDescription returns metadata.short-description, the form meant for people rather
// than for a model, or "".
func (fm *Frontmatter) ShortDescription() string {
	v := fm.Get("metadata").Get("short-description")
	if v.IsNull() || v.Kind != Scalar {
		return ""
	}
	return v.Text
}

// Raw returns the block between the fences as it stands in the file, line breaks
// normalised.
func (fm *Frontmatter) Raw() string { return fm.raw }

// JSON returns the whole frontmatter as one JSON object; [Value.AppendJSON] defines the
// mapping.
func (fm *Frontmatter) JSON() []byte { return fm.values().AppendJSON(nil) }

// MarshalJSON returns what JSON returns.
func (fm *Frontmatter) MarshalJSON() ([]byte, error) { return fm.JSON(), nil }
