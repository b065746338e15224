// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/schemagen/schema"
)

// A model is a schema with what the table says about it.
type model struct {
	table
	all      *schema.Node
	defs     *schema.Node
	unstable []string
	variants map[string][]string // by definition, the unions' variants that it is, as Union=tag
	used     map[string]bool     // entries of the table that something asked for
	plainFor map[string]bool     // definitions that are variants and stand for themselves, too
	shared   map[string]bool     // the shared types that something is
}

func newModel(t table, all *schema.Node) *model {
	m := &model{table: t, all: all, defs: all.Get("$defs"), variants: map[string][]string{}, used: map[string]bool{}, plainFor: map[string]bool{}, shared: map[string]bool{}}
	for _, x := range all.Items("x-unstable") {
		m.unstable = append(m.unstable, strings.Trim(x.Leaf, `"`))
	}
	for _, name := range m.defs.Keys {
		if !m.isUnion(name) {
			continue
		}
		for _, v := range branches(m.defs.Get(name)) {
			if def := variantDef(v); def != "" {
				_, tag, _ := tagOf(v)
				m.variants[def] = append(m.variants[def], name+"="+tag)
			}
		}
	}
	return m
}

// variantDef is the definition that a branch of a union takes its members from.
func variantDef(v *schema.Node) string {
	if r := v.Ref(); r != "" {
		return r
	}
	if all := v.Items("allOf"); len(all) == 1 {
		return all[0].Ref()
	}
	return ""
}

// skipped are definitions of the wire itself, which jsonrpc has, and those whose
// members went into others.
func (m *model) skipped(name string) bool {
	def := m.defs.Get(name)
	if def.IsTrue("x-docs-ignore") || name == "CancelRequestNotification" {
		return true
	}
	if _, ok := m.same[name]; ok {
		return true
	}
	_, raw := m.raw[name]
	_, hand := m.byHand[name]
	return raw || hand || m.inMerged(name)
}

// inMerged reports whether a definition is only there for merged ones.
func (m *model) inMerged(name string) bool {
	found := false
	for _, def := range m.defs.Keys {
		if def == name || !refersTo(m.defs.Get(def), name) {
			continue
		}
		_, merged := m.merged[def]
		if !takesFrom(m.defs.Get(def), name) || !merged && !m.inMerged(def) {
			return false
		}
		found = true
	}
	return found
}

// takesFrom reports whether the members of a definition are those of name, too.
func takesFrom(n *schema.Node, name string) bool {
	if n.Ref() == name {
		return true
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if slices.ContainsFunc(n.Items(key), func(x *schema.Node) bool { return takesFrom(x, name) }) {
			return true
		}
	}
	return false
}

func refersTo(n *schema.Node, name string) bool {
	if n.Str("$ref") == "#/$defs/"+name {
		return true
	}
	for _, k := range n.Keys {
		if refersTo(n.Vals[k], name) {
			return true
		}
	}
	return slices.ContainsFunc(n.Arr, func(x *schema.Node) bool { return refersTo(x, name) })
}

// isUnion reports whether a definition becomes a sealed interface.
func (m *model) isUnion(name string) bool {
	if _, ok := m.unions[name]; ok {
		return true
	}
	if _, merged := m.merged[name]; merged || m.defs.Get(name).IsTrue("x-docs-ignore") {
		return false
	}
	for _, v := range branches(m.defs.Get(name)) {
		if _, _, ok := tagOf(v); ok {
			return true // and the table has to name it
		}
	}
	return false
}

// isEnum reports whether a definition is a text with known values.
func (m *model) isEnum(name string) bool {
	list := branches(m.defs.Get(name))
	return len(list) > 0 && list[0].Str("const") != "" && slices.Equal(list[0].Types(), []string{"string"})
}

// sharedType is the Go type of definitions that say no more than each other.
func (m *model) sharedType(name string) string {
	def := m.defs.Get(name)
	var members []string
	if p := def.Get("properties"); p != nil {
		for _, k := range p.Keys {
			if k != "_meta" {
				members = append(members, k)
			}
		}
	}
	if !slices.Equal(def.Types(), []string{"object"}) || len(branches(def)) > 0 || m.variants[name] != nil || m.inMerged(name) {
		return ""
	}
	switch {
	case len(members) == 0 && strings.HasSuffix(name, "Capabilities"):
		return "Capability"
	case len(members) == 0 && (strings.HasSuffix(name, "Response") || strings.HasSuffix(name, "Request")):
		return "Empty"
	case slices.Equal(members, []string{"sessionId"}) && def.Has("x-method"):
		return "SessionRef"
	}
	return ""
}

// goName is the name of a definition's type where it is no variant, or where it
// is one and names it.
func (m *model) goName(name string) string {
	if s := m.sharedType(name); s != "" {
		m.shared[s] = true
		return s
	}
	if s, ok := m.same[name]; ok {
		return m.goName(s)
	}
	if s, ok := m.names[name]; ok {
		m.used["names."+name] = true
		return s
	}
	return camel(name)
}

// standsAlone is the name of a definition's type where it is a value of its own.
func (m *model) standsAlone(name string) (string, error) {
	isVariant := slices.ContainsFunc(m.variants[name], func(v string) bool { return !strings.HasSuffix(v, "=") })
	if !isVariant {
		return m.goName(name), nil
	}
	s, ok := m.plain[name]
	if !ok {
		return "", fmt.Errorf("%s is a variant and stands for itself, too; name it in the table's plain", name)
	}
	m.plainFor[name] = true
	return s, nil
}

// variantName is the name of a variant's type.
func (m *model) variantName(union, tag, def string) (string, error) {
	key := union + "=" + tag
	if s, ok := m.table.variants[key]; ok {
		m.used["variants."+key] = true
		return s, nil
	}
	if def == "" || len(m.variants[def]) > 1 {
		return "", fmt.Errorf("%s needs a name in the table's variants", key)
	}
	return m.goName(def), nil
}

// ourDoc is what the tables say about something.
func (m *model) ourDoc(key string) string {
	if doc, ok := m.docs[key]; ok {
		return doc
	}
	return m.sharedDocs[key]
}

func (m *model) isUnstable(what string) bool { return slices.Contains(m.unstable, what) }

// words are parts of names that are written otherwise in Go.
func goWord(w string) string {
	switch w {
	case "id", "Id":
		return "ID"
	case "uri", "Uri":
		return "URI"
	case "url", "Url":
		return "URL"
	case "mcp", "Mcp":
		return "MCP"
	case "api", "Api":
		return "API"
	case "llm", "Llm":
		return "LLM"
	case "acp", "Acp":
		return "ACP"
	case "sse", "Sse":
		return "SSE"
	case "http", "Http":
		return "HTTP"
	case "fs", "Fs":
		return "FS"
	}
	return w
}

// camel is a name of the schema as an exported name of Go.
func camel(name string) string {
	var words []string
	start := 0
	flush := func(end int) {
		if w := name[start:end]; w != "" {
			w = goWord(w)
			words = append(words, strings.ToUpper(w[:1])+w[1:])
		}
	}
	for i, c := range name {
		switch {
		case c == '_' || c == '-' || c == '/' || c == '$':
			flush(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > start:
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return strings.Join(words, "")
}
