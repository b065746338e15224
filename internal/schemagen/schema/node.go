// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// A Node is a value of JSON whose members have kept their order, which is the
// order of the fields that are made of them.
type Node struct {
	Keys []string // of an object, in their order
	Vals map[string]*Node
	Arr  []*Node // not nil in an array
	Leaf string  // a text, number or word, as it is written
	Obj  bool
}

// Parse reads a value.
func Parse(data []byte) (*Node, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return parseNext(d)
}

func parseNext(d *json.Decoder) (*Node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &Node{}
	switch t {
	case json.Delim('{'):
		n.Obj, n.Vals = true, map[string]*Node{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := parseNext(d)
			if err != nil {
				return nil, err
			}
			n.Set(key.(string), v)
		}
		_, err = d.Token()
	case json.Delim('['):
		n.Arr = []*Node{}
		for d.More() {
			v, err := parseNext(d)
			if err != nil {
				return nil, err
			}
			n.Arr = append(n.Arr, v)
		}
		_, err = d.Token()
	default:
		var raw []byte
		raw, err = json.Marshal(t)
		n.Leaf = string(raw)
	}
	return n, err
}

// Text is the node of a text.
func Text(s string) *Node {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be written
	}
	return &Node{Leaf: string(raw)}
}

// Set puts a member at its place, or at the end.
func (n *Node) Set(key string, v *Node) {
	if _, ok := n.Vals[key]; !ok {
		n.Keys = append(n.Keys, key)
	}
	n.Vals[key] = v
}

// Get follows a path of names. It is nil when there is nothing.
func (n *Node) Get(path ...string) *Node {
	for _, key := range path {
		if n == nil {
			return nil
		}
		n = n.Vals[key]
	}
	return n
}

// Names are the names of the members at a path.
func (n *Node) Names(path ...string) []string {
	if x := n.Get(path...); x != nil {
		return x.Keys
	}
	return nil
}

// Items are the elements of a member that is an array.
func (n *Node) Items(key string) []*Node {
	if x := n.Get(key); x != nil {
		return x.Arr
	}
	return nil
}

// Str is the text at a path, or empty.
func (n *Node) Str(path ...string) string {
	x := n.Get(path...)
	if x == nil {
		return ""
	}
	var s string
	if json.Unmarshal([]byte(x.Leaf), &s) != nil {
		return ""
	}
	return s
}

// Has reports whether there is a member of that name.
func (n *Node) Has(key string) bool { return n.Get(key) != nil }

// IsTrue reports whether a member is true.
func (n *Node) IsTrue(key string) bool { x := n.Get(key); return x != nil && x.Leaf == "true" }

// Types are the values of the member type.
func (n *Node) Types() []string {
	x := n.Get("type")
	switch {
	case x == nil:
		return nil
	case x.Arr == nil:
		return []string{n.Str("type")}
	}
	var out []string
	for _, t := range x.Arr {
		var s string
		_ = json.Unmarshal([]byte(t.Leaf), &s) // what is no text is no type that we know
		out = append(out, s)
	}
	return out
}

// Requires reports whether the schema lists the name as required.
func (n *Node) Requires(name string) bool {
	return slices.ContainsFunc(n.Items("required"), func(x *Node) bool { return x.Leaf == Text(name).Leaf })
}

// Ref is the name of the definition that the schema refers to, directly or
// wrapped in an allOf of one.
func (n *Node) Ref() string {
	if r := n.Str("$ref"); r != "" {
		return r[len("#/$defs/"):]
	}
	if all := n.Items("allOf"); len(all) == 1 && len(n.Keys) == 1 {
		return all[0].Ref()
	}
	return ""
}

// Write writes the value on one line.
func (n *Node) Write(b *bytes.Buffer) {
	switch {
	case n.Obj:
		b.WriteByte('{')
		for i, k := range n.Keys {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(Text(k).Leaf + ":")
			n.Vals[k].Write(b)
		}
		b.WriteByte('}')
	case n.Arr != nil:
		b.WriteByte('[')
		for i, v := range n.Arr {
			if i > 0 {
				b.WriteByte(',')
			}
			v.Write(b)
		}
		b.WriteByte(']')
	default:
		b.WriteString(n.Leaf)
	}
}

func (n *Node) String() string {
	var b bytes.Buffer
	n.Write(&b)
	return b.String()
}

// Lines writes the object with the members of one of its members on a line of
// their own, so that a change shows where it is.
func (n *Node) Lines(b *bytes.Buffer, indent string, split func(path string) bool, path string) {
	if !n.Obj || !split(path) {
		n.Write(b)
		return
	}
	b.WriteString("{\n")
	for i, k := range n.Keys {
		fmt.Fprintf(b, "%s %s: ", indent, Text(k).Leaf)
		n.Vals[k].Lines(b, indent+" ", split, path+"/"+k)
		if i < len(n.Keys)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString(indent + "}")
}
