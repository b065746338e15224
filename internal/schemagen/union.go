// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"strings"
)

// A variant is one of a union's structs.
type variant struct {
	tag    string // empty: it has none
	goName string
}

// union writes a sealed interface, its variants, its unknown variant and its
// reader.
func (e *emitter) union(name string) error {
	u, ok := e.unions[name]
	if !ok {
		return fmt.Errorf("%s is a union; name its parts in the table's unions, or say in merged why it is one struct", name)
	}
	goName, b := e.goName(name), e.out(name)
	var tagName string
	var variants []variant
	for _, v := range branches(e.defs.Get(name)) {
		if v.Has("not") {
			continue // what is not known
		}
		k, tag, tagged := tagOf(v)
		def := variantDef(v)
		if !tagged && def == "" {
			continue // the same, said otherwise
		}
		if tagged {
			tagName = k
		}
		x := variant{tag: tag}
		var err error
		if tagged {
			x.goName, err = e.variantName(name, tag, def)
		} else {
			x.goName, err = e.standsAlone(def)
		}
		if err != nil {
			return err
		}
		variants = append(variants, x)
		if e.done[x.goName] {
			continue
		}
		if err := e.variant(b, name, def, k, x); err != nil {
			return err
		}
	}
	if u.byHand != "" {
		return nil
	}
	marker := "is" + goName
	of := map[string]string{"sessionUpdate": "the sessionUpdate member"}[tagName]
	if of == "" {
		of = "the " + tagName + " member"
	}
	fmt.Fprintf(b, "\n%stype %s interface {\n\t// %s is %s.\n\t%s() string\n\t%s()\n\tjson.Marshaler\n}\n",
		comment(e.unionDoc(name, goName, u, variants)), goName, u.method, of, u.method, marker)
	field := u.field
	if field == "" {
		field = camel(tagName)
	}
	article := "An"
	fmt.Fprintf(b, "\n// %s %s is a [%s] of a kind that is not known here. It is written as it was\n// read.\ntype %s struct {\n\t%s string\n\tRaw json.RawMessage\n}\n",
		article, u.unknown, goName, u.unknown, field)
	for _, x := range variants {
		fmt.Fprintf(b, "\n// %s implements [%s].\nfunc (*%s) %s() string { return %q }\nfunc (*%s) %s() {}\n", u.method, goName, x.goName, u.method, x.tag, x.goName, marker)
	}
	fmt.Fprintf(b, "\n// %s implements [%s].\nfunc (x *%s) %s() string { return x.%s }\nfunc (*%s) %s() {}\n", u.method, goName, u.unknown, u.method, field, u.unknown, marker)
	fmt.Fprintf(b, "\n// MarshalJSON implements [encoding/json.Marshaler]: the value as it was read.\nfunc (x %s) MarshalJSON() ([]byte, error) { return object.Encode(nil, x.Raw) }\n", u.unknown)
	e.reader(b, goName, tagName, u, field, variants)
	return nil
}

func (e *emitter) reader(b *bytes.Buffer, goName, tagName string, u unionNames, field string, variants []variant) {
	fmt.Fprintf(b, "\n// Read%s reads one [%s]. One of a known kind that is malformed is an\n// error and never an unknown one.\nfunc Read%s(tok []byte) (%s, error) {\n\ttok = object.Trim(tok)\n", goName, goName, goName, goName)
	untagged := ""
	for _, x := range variants {
		if x.tag == "" {
			untagged = x.goName
		}
	}
	kind := "kind"
	if untagged != "" {
		fmt.Fprintf(b, "\tkind, err := object.OptionalTag(tok, %q)\n", tagName)
		kind = "*kind"
	} else {
		fmt.Fprintf(b, "\tkind, err := object.Tag(tok, %q)\n", tagName)
	}
	b.WriteString("\tif err != nil {\n\t\treturn nil, err\n\t}\n")
	if untagged != "" {
		fmt.Fprintf(b, "\tif kind == nil {\n\t\treturn object.Variant[%s](tok, &%s{})\n\t}\n", goName, untagged)
	}
	fmt.Fprintf(b, "\tswitch %s {\n", kind)
	for _, x := range variants {
		if x.tag != "" {
			fmt.Fprintf(b, "\tcase %q:\n\t\treturn object.Variant[%s](tok, &%s{})\n", x.tag, goName, x.goName)
		}
	}
	fmt.Fprintf(b, "\t}\n\tx := &%s{%s: %s}\n\tx.Raw, _ = object.Any(tok)\n\treturn object.Unknown[%s](tok, x)\n}\n", u.unknown, field, kind, goName)
}

// variant writes the struct of a variant: the tag, the members that all variants
// have, and its own.
func (e *emitter) variant(b *bytes.Buffer, name, def, tagName string, x variant) error {
	union := e.defs.Get(name)
	members, err := e.members(name, union.Get("properties"), union.Requires)
	if err != nil {
		return err
	}
	key := name + "=" + x.tag
	if def != "" && e.defs.Get(def) == nil {
		return fmt.Errorf("%s: there is no definition %s", key, def)
	}
	if def != "" {
		own, tags, err := e.membersOf(def)
		if err != nil {
			return err
		}
		_ = tags // the constants stand beside the definition itself
		for _, m := range own {
			if m.json == "_meta" && hasMeta(members) {
				continue
			}
			members = append(members, m)
		}
	}
	members = metaLast(members)
	var tag *[2]string
	if x.tag != "" {
		tag = &[2]string{tagName, x.tag}
	} else {
		key = def
	}
	doc := e.ourDoc(x.goName)
	if doc == "" {
		doc = e.docOf(def, x.goName)
	} else {
		e.used["docs."+x.goName] = true
		doc = e.marked(doc, def)
	}
	if e.isUnstable(key) && !e.isUnstable(def) {
		doc += unstableNote
	}
	e.structType(b, x.goName, doc, tag, members, e.check[def])
	e.types = append(e.types, generated{key, x.goName})
	return nil
}

func hasMeta(members []member) bool {
	for _, m := range members {
		if m.json == "_meta" {
			return true
		}
	}
	return false
}

func metaLast(members []member) []member {
	var out []member
	var meta []member
	for _, m := range members {
		if m.json == "_meta" {
			meta = append(meta, m)
		} else {
			out = append(out, m)
		}
	}
	return append(out, meta...)
}

const unstableNote = "\n\nUnstable: the protocol's stable schema does not have it, and it may change."

func (e *emitter) marked(doc, def string) string {
	if e.isUnstable(def) {
		return doc + unstableNote
	}
	return doc
}

// docOf is the comment of a definition's type: ours, or where to read about it.
func (e *emitter) docOf(def, goName string) string {
	if doc := e.ourDoc(goName); doc != "" {
		e.used["docs."+goName] = true
		return e.marked(doc, def)
	}
	n := e.defs.Get(def)
	method := ""
	if n != nil {
		method = n.Str("x-method")
	}
	switch {
	case method == "":
	case strings.HasSuffix(def, "Response"):
		return e.marked(fmt.Sprintf("%s is the result of %s.", goName, method), def)
	case strings.HasSuffix(def, "Notification"):
		return e.marked(fmt.Sprintf("%s is the parameters of the notification %s.", goName, method), def)
	default:
		return e.marked(fmt.Sprintf("%s is the parameters of %s.", goName, method), def)
	}
	return e.marked(fmt.Sprintf("%s is the definition %s, see\n%s#%s", goName, def, e.page, strings.ToLower(def)), def)
}

func (e *emitter) unionDoc(name, goName string, u unionNames, variants []variant) string {
	doc := e.ourDoc(goName)
	if doc == "" {
		doc = e.docOf(name, goName)
	} else {
		e.used["docs."+goName] = true
		doc = e.marked(doc, name)
	}
	var all []string
	for _, x := range variants {
		all = append(all, "*["+x.goName+"]")
	}
	all = append(all, "*["+u.unknown+"]")
	if len(all) > 2 {
		all = append(all[:len(all)-2], all[len(all)-2]+" or "+all[len(all)-1])
		return doc + "\n\nIt is one of " + strings.Join(all, ", ") + "."
	}
	return doc + "\n\nIt is " + strings.Join(all, " or ") + "."
}

// comment is text as a comment of Go. Paragraphs are wrapped.
func comment(text string) string {
	var b strings.Builder
	for i, p := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString("//\n")
		}
		line := "//"
		for w := range strings.FieldsSeq(p) {
			if len(line)+1+len(w) > 80 && line != "//" {
				b.WriteString(line + "\n")
				line = "//"
			}
			line += " " + w
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
