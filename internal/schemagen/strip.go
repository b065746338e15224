// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/skillgraft/skillgraft/internal/schemagen/schema"
)

// pkg is where the schema comes from.
const pkg = "@agentclientprotocol/sdk"

// structure makes what is committed of a version's schema: its structure alone,
// what of it is not stable, and where it is from.
func structure(version, file string, unstable, stable []byte) ([]byte, error) {
	all, err := schema.Parse(unstable)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	base, err := schema.Parse(stable)
	if err != nil {
		return nil, fmt.Errorf("the stable twin of %s: %w", file, err)
	}
	if all.Get("$defs") == nil || base.Get("$defs") == nil {
		return nil, fmt.Errorf("%s has no $defs", file)
	}
	hash := sha256.Sum256(unstable)
	source := &schema.Node{Obj: true, Vals: map[string]*schema.Node{}}
	source.Set("package", schema.Text(pkg))
	source.Set("version", schema.Text(version))
	source.Set("file", schema.Text(file))
	source.Set("sha256", schema.Text(hex.EncodeToString(hash[:])))
	out := &schema.Node{Obj: true, Vals: map[string]*schema.Node{}}
	out.Set("x-source", source)
	list := &schema.Node{Arr: []*schema.Node{}}
	for _, name := range notIn(all, base) {
		list.Arr = append(list.Arr, schema.Text(name))
	}
	out.Set("x-unstable", list)
	stripped := strip(all, false)
	for _, k := range stripped.Keys {
		out.Set(k, stripped.Vals[k])
	}
	var b bytes.Buffer
	out.Lines(&b, "", func(path string) bool { return path == "" || path == "/$defs" }, "")
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// strip takes out what was written for people. names says that the members are
// names of the schema's author and no words of JSON Schema.
func strip(n *schema.Node, names bool) *schema.Node {
	switch {
	case n.Obj:
		out := &schema.Node{Obj: true, Vals: map[string]*schema.Node{}}
		for _, k := range n.Keys {
			if !names && slices.Contains([]string{"description", "title", "$comment", "examples"}, k) {
				continue
			}
			out.Set(k, strip(n.Vals[k], !names && slices.Contains([]string{"properties", "$defs", "patternProperties"}, k)))
		}
		return out
	case n.Arr != nil:
		out := &schema.Node{Arr: []*schema.Node{}}
		for _, v := range n.Arr {
			out.Arr = append(out.Arr, strip(v, false))
		}
		return out
	}
	return n
}

// notIn names what one schema has and the other does not: definitions as Def,
// members as Def.member, and variants as Def=tag.
func notIn(all, base *schema.Node) []string {
	var out []string
	for _, name := range all.Get("$defs").Keys {
		def, old := all.Get("$defs", name), base.Get("$defs", name)
		if old == nil {
			out = append(out, name)
			continue
		}
		for _, part := range parts(def) {
			if !slices.Contains(parts(old), part) {
				out = append(out, name+part)
			}
		}
	}
	return out
}

// parts are the members and variants of a definition.
func parts(def *schema.Node) []string {
	var out []string
	if p := def.Get("properties"); p != nil {
		for _, k := range p.Keys {
			out = append(out, "."+k)
		}
	}
	for _, v := range branches(def) {
		if _, tag, ok := tagOf(v); ok {
			out = append(out, "="+tag)
		} else if r := v.Ref(); r != "" {
			out = append(out, "="+r)
		} else if c := v.Str("const"); c != "" {
			out = append(out, "="+c)
		}
	}
	return out
}

// branches are what a definition has to choose from.
func branches(def *schema.Node) []*schema.Node {
	return append(slices.Clone(def.Items("anyOf")), def.Items("oneOf")...)
}

// tagOf is the member of a variant that has one value, and that value.
func tagOf(v *schema.Node) (name, tag string, ok bool) {
	props := v.Get("properties")
	if props == nil {
		return "", "", false
	}
	for _, k := range props.Keys {
		if c := props.Vals[k].Str("const"); c != "" {
			return k, c, true
		}
	}
	return "", "", false
}
