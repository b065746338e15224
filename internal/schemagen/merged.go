// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/skillgraft/skillgraft/internal/schemagen/schema"
)

// A constant is a known value of a text.
type constant struct{ name, value string }

// constants are the known values of an open enumeration.
func (m *model) constants(name string) []constant {
	prefix, ok := m.consts[name]
	if !ok {
		return nil
	}
	m.used["consts."+name] = true
	var out []constant
	for _, v := range branches(m.defs.Get(name)) {
		if c := v.Str("const"); c != "" {
			out = append(out, constant{prefix + camel(c), c})
		}
	}
	return out
}

// merge is the object that has the members of all variants of a union. Required
// is what all of them require; tags are the known values of its tags.
func (m *model) merge(name string) (props *schema.Node, required func(string) bool, tags map[string][]string) {
	props = &schema.Node{Obj: true, Vals: map[string]*schema.Node{}}
	tags = map[string][]string{}
	var must []string
	var walk func(n *schema.Node, always bool)
	walk = func(n *schema.Node, always bool) {
		if r := n.Ref(); r != "" {
			walk(m.defs.Get(r), always)
			return
		}
		if p := n.Get("properties"); p != nil {
			for _, k := range p.Keys {
				if c := p.Vals[k].Str("const"); c != "" {
					if !slices.Contains(tags[k], c) {
						tags[k] = append(tags[k], c)
					}
					if !props.Has(k) {
						props.Set(k, &schema.Node{Obj: true, Vals: map[string]*schema.Node{"type": schema.Text("string")}, Keys: []string{"type"}})
					}
				} else if !props.Has(k) && !slices.Equal(p.Vals[k].Types(), []string{"null"}) {
					props.Set(k, p.Vals[k])
				}
				if always && n.Requires(k) && !slices.Contains(must, k) {
					must = append(must, k)
				}
			}
		}
		for _, x := range n.Items("allOf") {
			walk(x, always)
		}
		for i, x := range branches(n) {
			before := len(must)
			walk(x, always && i == 0)
			// Only what each branch requires is required.
			must = append(must[:before:before], slices.DeleteFunc(slices.Clone(must[before:]), func(k string) bool {
				return slices.ContainsFunc(branches(n), func(b *schema.Node) bool { return !b.Requires(k) })
			})...)
		}
	}
	walk(m.defs.Get(name), true)
	return props, func(k string) bool { return slices.Contains(must, k) }, tags
}
