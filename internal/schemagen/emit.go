// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/schemagen/schema"
)

const module = "github.com/skillgraft/skillgraft"

// A file is one that is written.
type file struct {
	name string
	text []byte
}

// A emitter writes the files of one package.
type emitter struct {
	*model
	parts map[string]*bytes.Buffer // by area
	types []generated
	done  map[string]bool // Go types that are written
}

// A generated is a type for the tests to go over: the schema that it follows,
// as Def or Union=tag.
type generated struct{ schema, goName string }

// A source is a package to write.
type source struct {
	table
	load func() (*schema.Node, error)
}

func packages() []source {
	return []source{{tableV2(), schema.V2}, {tableV1(), schema.V1}}
}

func (s source) files() ([]file, error) {
	all, err := s.load()
	if err != nil {
		return nil, err
	}
	e := &emitter{model: newModel(s.table, all), parts: map[string]*bytes.Buffer{}, done: map[string]bool{}}
	for _, name := range e.defs.Keys {
		if _, ok := e.same[name]; ok && e.defs.Get(name).Has("x-method") {
			e.types = append(e.types, generated{name, e.goName(name)})
		}
		if e.skipped(name) {
			continue
		}
		if err := e.def(name); err != nil {
			return nil, err
		}
	}
	for _, name := range sortedKeys(e.plainFor) {
		if err := e.alone(name); err != nil {
			return nil, err
		}
	}
	if err := e.sharedTypes(); err != nil {
		return nil, err
	}
	e.methodNames()
	if err := e.unused(); err != nil {
		return nil, err
	}
	return e.format()
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// def writes what becomes of a definition.
func (e *emitter) def(name string) error {
	def := e.defs.Get(name)
	switch {
	case e.isUnion(name):
		return e.union(name)
	case e.isEnum(name):
		if c := e.constants(name); len(c) > 0 {
			e.constGroup(e.out(name), name, c)
		} else {
			return fmt.Errorf("%s has known values; name them in the table's consts", name)
		}
		return nil
	case e.sharedType(name) != "":
		e.types = append(e.types, generated{name, e.goName(name)})
		return nil
	case len(def.Types()) == 1 && def.Types()[0] != "object", len(branches(def)) > 0 && e.merged[name] == "" && !def.Has("properties"):
		return nil // a plain value
	}
	// A definition that is only a variant is written with its union.
	if slices.ContainsFunc(e.model.variants[name], func(v string) bool { return !strings.HasSuffix(v, "=") }) {
		return nil
	}
	return e.alone(name)
}

// alone writes the struct of a definition that stands for itself.
func (e *emitter) alone(name string) error {
	goName, err := e.standsAlone(name)
	if err != nil || e.done[goName] {
		return err
	}
	members, tags, err := e.membersOf(name)
	if err != nil {
		return err
	}
	b := e.out(name)
	for _, k := range sortedKeys(tags) {
		if prefix, ok := e.consts[name+"."+k]; ok {
			e.used["consts."+name+"."+k] = true
			var group []constant
			for _, v := range tags[k] {
				group = append(group, constant{prefix + camel(v), v})
			}
			e.constGroup(b, name+"."+k, group)
		}
	}
	e.structType(b, goName, e.docOf(name, goName), nil, members, e.check[name])
	e.types = append(e.types, generated{name, goName})
	return nil
}

// membersOf are the members of a definition's struct.
func (e *emitter) membersOf(name string) ([]member, map[string][]string, error) {
	if _, ok := e.merged[name]; ok {
		e.used["merged."+name] = true
		props, required, tags := e.merge(name)
		m, err := e.members(name, props, required)
		return m, tags, err
	}
	def := e.defs.Get(name)
	m, err := e.members(name, def.Get("properties"), def.Requires)
	return m, nil, err
}

// sharedTypes writes the types that many definitions are.
func (e *emitter) sharedTypes() error {
	meta, err := schema.Parse([]byte(`{"_meta":{"type":["object","null"]}}`))
	if err != nil {
		return err
	}
	withID, err := schema.Parse([]byte(`{"sessionId":{"type":"string"},"_meta":{"type":["object","null"]}}`))
	if err != nil {
		return err
	}
	for _, name := range sortedKeys(e.shared) {
		props := meta
		if name == "SessionRef" {
			props = withID
		}
		members, err := e.members(name, props, func(k string) bool { return k == "sessionId" })
		if err != nil {
			return err
		}
		e.structType(e.out(name), name, e.docOf(name, name), nil, members, false)
	}
	return nil
}

// structType writes a struct with what Go needs to read and write it.
func (e *emitter) structType(b *bytes.Buffer, goName, doc string, tag *[2]string, members []member, check bool) {
	e.done[goName] = true
	fmt.Fprintf(b, "\n%stype %s struct {\n", comment(doc), goName)
	for _, x := range members {
		if x.goType == "" {
			continue // it has one value
		}
		fmt.Fprintf(b, "\t%s %s", x.goName, x.goType)
		if x.doc != "" {
			fmt.Fprintf(b, " // %s", x.doc)
		}
		b.WriteByte('\n')
	}
	b.WriteString("\tExtra Members\n}\n")
	fmt.Fprintf(b, "\nfunc (x *%s) members() []object.Field {\n\treturn []object.Field{\n", goName)
	if tag != nil {
		fmt.Fprintf(b, "\t\tobject.Const(%q, %q),\n", tag[0], tag[1])
	}
	for _, x := range members {
		fmt.Fprintf(b, "\t\t%s,\n", x.field)
	}
	b.WriteString("\t\tobject.Rest(&x.Extra),\n\t}\n}\n")
	fmt.Fprintf(b, "\n// UnmarshalJSON implements [encoding/json.Unmarshaler].\n")
	if check {
		fmt.Fprintf(b, "func (x *%s) UnmarshalJSON(data []byte) error {\n\t*x = %s{}\n\tif err := object.Read(data, x.members()); err != nil {\n\t\treturn err\n\t}\n\treturn x.check()\n}\n", goName, goName)
	} else {
		fmt.Fprintf(b, "func (x *%s) UnmarshalJSON(data []byte) error {\n\t*x = %s{}\n\treturn object.Read(data, x.members())\n}\n", goName, goName)
	}
	fmt.Fprintf(b, "\n// MarshalJSON implements [encoding/json.Marshaler].\nfunc (x %s) MarshalJSON() ([]byte, error) { return object.Write(x.members()) }\n", goName)
}

func (e *emitter) constGroup(b *bytes.Buffer, key string, group []constant) {
	doc := e.ourDoc(key)
	if doc == "" {
		doc = fmt.Sprintf("Values of %s. A reader meets others, too.", key)
	} else {
		e.used["docs."+key] = true
	}
	fmt.Fprintf(b, "\n%sconst (\n", comment(doc))
	for _, c := range group {
		fmt.Fprintf(b, "\t%s = %q", c.name, c.value)
		if def, _, _ := strings.Cut(key, "."); e.isUnstable(def+"="+c.value) && !e.isUnstable(def) {
			b.WriteString(" // unstable")
		}
		b.WriteByte('\n')
	}
	b.WriteString(")\n")
}

// methodNames writes the constants of the protocol's methods.
func (e *emitter) methodNames() {
	b := e.out("methods")
	fmt.Fprintf(b, "\n// The protocol's methods, in the schema's order.\nconst (\n")
	for _, name := range e.defs.Keys {
		method := e.defs.Get(name).Str("x-method")
		if method == "" || strings.HasSuffix(name, "Response") {
			continue
		}
		goName, ok := e.methods[name]
		if ok {
			e.used["methods."+name] = true
		} else {
			goName = "Method" + camel(strings.TrimSuffix(strings.TrimSuffix(name, "Request"), "Notification"))
		}
		if goName == "-" {
			continue
		}
		fmt.Fprintf(b, "\t%s = %q", goName, method)
		if e.isUnstable(name) {
			b.WriteString(" // unstable")
		}
		b.WriteByte('\n')
	}
	b.WriteString(")\n")
}

// out is the file that a definition goes to.
func (e *emitter) out(name string) *bytes.Buffer {
	a := area(name)
	if e.parts[a] == nil {
		e.parts[a] = &bytes.Buffer{}
	}
	return e.parts[a]
}

// area sorts definitions into files.
func area(name string) string {
	for _, x := range []struct {
		area  string
		words []string
	}{
		{"methods", []string{"methods"}},
		{"capabilities", []string{"Capabilit"}},
		{"elicitation", []string{"Elicit", "PropertySchema", "MultiSelect", "EnumOption", "StringFormat"}},
		{"permission", []string{"Permission"}},
		{"mcp", []string{"Mcp", "HttpHeader", "EnvVariable", "Proxy"}},
		{"auth", []string{"Auth", "Provider", "Llm", "Logout"}},
		{"terminal", []string{"Terminal", "TextFile"}},
		{"toolcall", []string{"ToolCall", "ToolKind", "Diff"}},
		{"config", []string{"Config", "Mode"}},
		{"state", []string{"StateUpdate", "Background", "Usage", "Cost", "StopReason"}},
		{"activity", []string{"Plan", "Notice", "Compaction", "Subagent", "SessionMessage"}},
		{"update", []string{"SessionUpdate", "Update", "AgentMessage", "UserMessage", "AgentThought"}},
		{"content", []string{"Content", "Resource", "Icon", "Annotations", "Role", "SkillReference"}},
		{"session", []string{"Session", "Prompt", "Replay", "Command", "Skill"}},
	} {
		if slices.ContainsFunc(x.words, func(w string) bool { return strings.Contains(name, w) }) {
			return x.area
		}
	}
	return "base"
}

// unused finds what the table says of things that are not there any more.
func (e *emitter) unused() error {
	var left []string
	look := func(kind string, keys []string) {
		for _, k := range keys {
			if !e.used[kind+"."+k] {
				left = append(left, kind+"["+k+"]")
			}
		}
	}
	look("names", sortedKeys(e.names))
	look("variants", sortedKeys(e.table.variants))
	look("fields", sortedKeys(e.fields))
	look("fieldTypes", sortedKeys(e.fieldTypes))
	look("consts", sortedKeys(e.consts))
	look("merged", sortedKeys(e.merged))
	look("methods", sortedKeys(e.methods))
	look("docs", sortedKeys(e.docs))
	for _, m := range []map[string]string{e.raw, e.byHand, e.same} {
		for _, k := range sortedKeys(m) {
			if e.defs.Get(k) == nil {
				left = append(left, k)
			}
		}
	}
	for k := range e.patches {
		if !strings.Contains(k, ".") && e.defs.Get(k) == nil {
			left = append(left, "patches["+k+"]")
		}
	}
	if left != nil {
		return fmt.Errorf("the table of version %d speaks of what is not in the schema: %s", e.version, strings.Join(left, ", "))
	}
	return nil
}

func (e *emitter) header(b *bytes.Buffer, pkg string) {
	src := e.all.Get("x-source")
	fmt.Fprintf(b, "// SPDX-License-Identifier: Apache-2.0\n\n// Code generated by schemagen. DO NOT EDIT.\n//\n// from %s %s, %s\n// sha256 %s\n\npackage %s\n",
		src.Str("package"), src.Str("version"), src.Str("file"), src.Str("sha256"), pkg)
}

func (e *emitter) format() ([]file, error) {
	var out []file
	for _, a := range sortedKeys(e.parts) {
		var b bytes.Buffer
		e.header(&b, e.name)
		body := e.parts[a].String()
		var imports []string
		if strings.Contains(body, "json.RawMessage") || strings.Contains(body, "json.Unmarshaler)") {
			imports = append(imports, `"encoding/json"`, "")
		}
		if strings.Contains(body, "object.") {
			imports = append(imports, `"`+module+`/acp/internal/object"`)
		}
		if imports != nil {
			fmt.Fprintf(&b, "\nimport (\n%s\n)\n", strings.Join(imports, "\n"))
		}
		b.WriteString(body)
		text, err := format.Source(b.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", a, err, b.Bytes())
		}
		name := "types_" + a + "_gen.go"
		if a == "methods" {
			name = "methods_gen.go"
		}
		out = append(out, file{name, text})
	}
	var b bytes.Buffer
	e.header(&b, e.name+"_test")
	fmt.Fprintf(&b, "\nimport %q\n\n// generatedTypes are all structs that are generated, by the schema that they follow.\nfunc generatedTypes() map[string]value {\n\treturn map[string]value{\n", module+"/"+e.dir)
	for _, g := range e.types {
		fmt.Fprintf(&b, "\t\t%q: &%s.%s{},\n", g.schema, e.name, g.goName)
	}
	b.WriteString("\t}\n}\n")
	text, err := format.Source(b.Bytes())
	return append(out, file{"types_gen_test.go", text}), err
}
