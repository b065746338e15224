// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/schemagen/schema"
)

// A kind is what decides how a member is read.
type kind int

const (
	scalar kind = iota // a text
	number             // a number or truth value, whose zero says something
	compound
	union
	raw
	list
	free // an object whose names are free
)

// A typ is the type of a member.
type typ struct {
	kind   kind
	goType string // of an element, for list and free
	read   string // the expression of its reader; of an element's, for list and free
	null   bool
	note   string // what a reader of the struct wants to know about the values
}

// A member is one field of a struct.
type member struct {
	json, goName string
	goType       string
	field        string // the expression that makes the object.Field
	doc          string
}

// typeOf finds the Go type of a schema.
func (m *model) typeOf(n *schema.Node) (typ, error) {
	if r := n.Ref(); r != "" {
		return m.typeOfDef(r)
	}
	if all := n.Items("allOf"); len(all) == 1 {
		return m.typeOf(all[0])
	}
	if any := n.Items("anyOf"); len(any) == 2 && slices.Equal(any[1].Types(), []string{"null"}) {
		t, err := m.typeOf(any[0])
		t.null = true
		return t, err
	}
	types := n.Types()
	null := slices.Contains(types, "null")
	types = slices.DeleteFunc(types, func(t string) bool { return t == "null" })
	if len(types) == 0 && !n.Has("anyOf") && !n.Has("oneOf") {
		return typ{kind: raw, goType: "json.RawMessage", read: "object.Any"}, nil
	}
	if len(types) != 1 {
		return typ{}, fmt.Errorf("no Go type for %s", n)
	}
	t := typ{null: null}
	switch types[0] {
	case "string":
		t.kind, t.goType, t.read = scalar, "string", "object.String"
		switch {
		case n.Str("contentEncoding") != "":
			t.note = n.Str("contentEncoding")
		case n.Str("format") == "date-time":
			t.note = "RFC 3339"
		}
	case "boolean":
		t.kind, t.goType, t.read = number, "bool", "object.Bool"
		if n.Has("default") {
			t.kind = scalar // false is what nothing means
		}
	case "integer":
		t.kind, t.goType = number, n.Str("format")
		if t.goType == "" {
			t.goType = "int64"
		}
		t.read = "object.Int[" + t.goType + "]"
		if min := n.Get("minimum"); min != nil && min.Leaf == "1" {
			t.kind = scalar // zero is no value
		}
	case "number":
		t.kind, t.goType, t.read = number, "float64", "object.Float"
	case "array":
		e, err := m.typeOf(n.Get("items"))
		if err != nil {
			return t, err
		}
		if e.kind == list || e.kind == free {
			return t, fmt.Errorf("no Go type for %s", n)
		}
		t.kind, t.goType, t.read, t.note = list, e.goType, e.read, e.note
	case "object":
		of := n.Get("additionalProperties")
		if of == nil || !of.Obj {
			return typ{kind: raw, goType: "json.RawMessage", read: "object.Any", null: null}, nil
		}
		e, err := m.typeOf(of)
		if err != nil {
			return t, err
		}
		t.kind, t.goType, t.read = free, e.goType, e.read
	default:
		return t, fmt.Errorf("no Go type for %s", n)
	}
	return t, nil
}

func (m *model) typeOfDef(name string) (typ, error) {
	def := m.defs.Get(name)
	switch {
	case def == nil:
		return typ{}, fmt.Errorf("there is no definition %s", name)
	case m.same[name] != "":
		return m.typeOfDef(m.same[name])
	case m.raw[name] != "":
		return typ{kind: raw, goType: "json.RawMessage", read: "object.Any"}, nil
	case m.byHand[name] != "":
		goName := m.goName(name)
		return typ{kind: compound, goType: goName, read: "object.Struct[" + goName + "]"}, nil
	case m.isUnion(name):
		goName := m.goName(name)
		return typ{kind: union, goType: goName, read: "Read" + goName}, nil
	case m.isEnum(name):
		t := typ{kind: scalar, goType: "string", read: "object.String"}
		if c := m.constants(name); len(c) > 0 {
			t.note = c[0].name + ", ... or another one"
		}
		return t, nil
	}
	if t := def.Types(); len(t) == 1 && t[0] != "object" {
		x, err := m.typeOf(def)
		if name == "AbsolutePath" {
			x.note = "absolute"
		}
		return x, err
	}
	if !slices.Contains(def.Types(), "object") && m.merged[name] == "" {
		return typ{}, fmt.Errorf("no Go type for %s: %s", name, def)
	}
	goName, err := m.standsAlone(name)
	return typ{kind: compound, goType: goName, read: "object.Struct[" + goName + "]"}, err
}

// members are those of an object of a schema, _meta last.
func (m *model) members(def string, props *schema.Node, requires func(string) bool) ([]member, error) {
	var out []member
	var meta *member
	if props == nil {
		return nil, nil
	}
	for _, name := range props.Keys {
		x, err := m.member(def, name, props.Vals[name], requires(name))
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", def, name, err)
		}
		if name == "_meta" {
			meta = &x
			continue
		}
		out = append(out, x)
	}
	if meta != nil {
		out = append(out, *meta)
	}
	return out, nil
}

func (m *model) member(def, name string, n *schema.Node, required bool) (member, error) {
	key := def + "." + name
	x := member{json: name, goName: camel(name)}
	if s, ok := m.fields[key]; ok {
		m.used["fields."+key] = true
		x.goName = s
	}
	three := m.patches[def] && !required || m.patches[key]
	if m.patches[key] {
		m.used["patches."+key] = true
	}
	if name == "_meta" {
		x.goName, x.goType, x.field = "Meta", "json.RawMessage", "object.Meta(&x.Meta)"
		if three {
			x.field, x.doc = "object.PatchMeta(&x.Meta)", "null clears"
		}
		return x, nil
	}
	if prefix, ok := m.consts[key]; ok {
		_, _, tags := m.merge(def)
		if known := tags[name]; len(known) > 0 {
			x.doc = prefix + camel(known[0]) + ", ... or another one"
		}
	} else if s := m.ourDoc(key); s != "" {
		m.used["docs."+key] = true
		x.doc = s
	}
	if h, ok := m.fieldTypes[key]; ok {
		m.used["fieldTypes."+key] = true
		x.goType, x.field = h.goType, h.field
		return x, nil
	}
	t, err := m.typeOf(n)
	if err != nil {
		return x, err
	}
	if x.doc == "" {
		x.doc = t.note
	}
	if m.isUnstable(key) {
		x.doc = strings.TrimSuffix("unstable; "+x.doc, "; ")
	}
	at := fmt.Sprintf("(%q, &x.%s, ", name, x.goName)
	read := t.read + ")"
	soft := n.IsTrue("x-deserialize-default-on-error")
	switch {
	case t.kind == raw && three:
		x.goType, x.field = t.goType, fmt.Sprintf("object.Raw(%q, &x.%s)", name, x.goName)
		x.doc = "null clears"
	case t.kind == raw && required:
		x.goType, x.field = t.goType, "object.Must"+at+read
	case t.kind == raw:
		x.goType, x.field = t.goType, fmt.Sprintf("object.Raw(%q, &x.%s)", name, x.goName)
		if x.doc == "" {
			x.doc = "as on the wire"
		}
	case t.kind == list && three:
		x.goType = "Patch[[]" + t.goType + "]"
		x.field = "object." + pick(soft, "Soft", "Strict") + "PatchList" + at + read
	case three:
		x.goType = "Patch[" + t.goType + "]"
		x.field = "object." + pick(soft, "Soft", "Strict") + "Patch" + at + read
	case t.kind == list:
		x.goType, x.field = "[]"+t.goType, "object.List"+at+t.read+", "+listMode(n, t, required)+")"
	case t.kind == free:
		x.goType = "[]Named[" + t.goType + "]"
		x.field = fmt.Sprintf("object.Map%s%s, %v)", at, t.read, required)
	case required:
		x.goType, x.field = t.goType, "object.Must"+at+read
	case t.kind == number || t.kind == compound:
		x.goType, x.field = "*"+t.goType, "object."+pick(soft, "Soft", "Strict")+"Ptr"+at+read
	default:
		x.goType, x.field = t.goType, "object."+pick(soft, "Soft", "Strict")+at+read
	}
	return x, nil
}

func pick(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

func listMode(n *schema.Node, t typ, required bool) string {
	var modes []string
	if required {
		modes = append(modes, "object.Required")
	}
	if n.IsTrue("x-deserialize-skip-invalid-items") {
		modes = append(modes, "object.SkipBad")
	}
	if n.IsTrue("x-deserialize-default-on-error") {
		modes = append(modes, "object.SoftList")
	} else if n.IsTrue("x-deserialize-default-on-null") || t.null {
		modes = append(modes, "object.NullEmpty")
	}
	if modes == nil {
		return "0"
	}
	return strings.Join(modes, "|")
}
