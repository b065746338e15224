// SPDX-License-Identifier: Apache-2.0

// Package schema is the structure of the protocol's schema, as it was fetched
// and with what this project adds to it.
package schema

import (
	_ "embed"
	"fmt"
)

//go:embed v1.json
var v1 []byte

//go:embed v2.json
var v2 []byte

//go:embed skills.json
var skills []byte

// V1 is the schema of version 1, which has no skills (ACP-C4).
func V1() (*Node, error) { return Parse(v1) }

// V2 is the schema of version 2 with the skills of skills.json.
func V2() (*Node, error) {
	all, err := Parse(v2)
	if err != nil {
		return nil, err
	}
	more, err := Parse(skills)
	if err != nil {
		return nil, fmt.Errorf("skills.json: %w", err)
	}
	return all, Merge(all, more)
}

// Added names the definitions that are ours and not the protocol's.
func Added() ([]string, error) {
	more, err := Parse(skills)
	if err != nil {
		return nil, err
	}
	return more.Names("$defs"), nil
}

// Merge adds definitions, members of definitions and variants of unions to a
// schema. What is there already is not replaced: it is an error, since then the
// protocol has it and ours has to go.
func Merge(all, more *Node) error {
	defs := all.Get("$defs")
	for _, name := range more.Names("$defs") {
		if defs.Has(name) {
			return fmt.Errorf("the schema has a definition %s of its own now", name)
		}
		defs.Set(name, more.Get("$defs", name))
	}
	for _, name := range more.Names("properties") {
		props := defs.Get(name, "properties")
		if props == nil {
			return fmt.Errorf("the schema has no object %s to add members to", name)
		}
		for _, k := range more.Names("properties", name) {
			if props.Has(k) {
				return fmt.Errorf("the schema has a member %s.%s of its own now", name, k)
			}
			props.Set(k, more.Get("properties", name, k))
		}
	}
	for _, name := range more.Names("variants") {
		for _, tag := range more.Names("variants", name) {
			if err := addVariant(defs.Get(name), tag, more.Str("variants", name, tag)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// addVariant puts a variant in front of the one for what is not known, and takes
// it out of that one.
func addVariant(union *Node, tag, def string) error {
	list := union.Get("anyOf")
	if list == nil || len(list.Arr) == 0 {
		return fmt.Errorf("is no union")
	}
	last := list.Arr[len(list.Arr)-1]
	known := last.Get("not", "anyOf")
	if known == nil {
		return fmt.Errorf("has no variant for what is not known")
	}
	is, err := Parse([]byte(`{"type":"object","properties":{"type":{"type":"string","const":` + Text(tag).Leaf + `}},"required":["type"]}`))
	if err != nil {
		return err
	}
	variant, err := Parse([]byte(is.String()[:len(is.String())-1] + `,"allOf":[{"$ref":` + Text("#/$defs/"+def).Leaf + `}]}`))
	if err != nil {
		return err
	}
	known.Arr = append(known.Arr, is)
	list.Arr = append(list.Arr[:len(list.Arr)-1:len(list.Arr)-1], variant, last)
	return nil
}
