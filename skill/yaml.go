// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"errors"
	"fmt"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// A blockError is why a block is not a YAML mapping, with the place in the block (lines
// from 1; zero when the library does not know).
type blockError struct {
	line, column int
	// contextLine is where the construct began that the library was reading.
	contextLine int
	msg         string
	// shape is set when the block is YAML, only not what a frontmatter may be: quoting a
	// value would change what was written.
	shape bool
}

func (e *blockError) Error() string { return e.msg }

// readBlock parses a frontmatter block into a mapping. Positions are lines of the file.
func readBlock(block string, firstLine int) (*Value, *blockError) {
	if v := readSimple(block, firstLine, nil); v != nil {
		return v, nil
	}
	return readYAML(block, firstLine)
}

// readYAML is readBlock by the YAML library.
func readYAML(block string, firstLine int) (*Value, *blockError) {
	if isEmpty(block) {
		return nil, errEmpty() // for which the library has only an error of its own
	}
	breaks := shieldBreaks(block)
	doc, pairs, be := loadNodes(breaks.hide(block))
	if be != nil {
		return nil, be
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errEmpty()
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, &blockError{line: root.Line, column: root.Column, shape: true,
			msg: "the frontmatter is not a mapping of field names to values"}
	}
	c := converter{offset: firstLine - 1, breaks: breaks, pairs: pairs}
	v := c.value(root, 0)
	if c.tooDeep > 0 {
		return nil, &blockError{line: c.tooDeep, shape: true, msg: fmt.Sprintf("values are nested more than %d levels deep", maxDepth)}
	}
	return v, nil
}

// loadNodes has the library parse a block, with pairs of surrogates in its way joined.
func loadNodes(block string) (doc yaml.Node, pairs joins, be *blockError) {
	for range maxJoins {
		err := yaml.Load([]byte(block), &doc)
		if err == nil {
			return doc, pairs, nil
		}
		be = newBlockError(err, block)
		line, column := be.line, be.column
		be.column = pairs.column(line, column)
		if be.msg != surrogateError {
			break
		}
		joined, ok := pairs.joinPairs(block, line, column)
		if !ok {
			break
		}
		block = joined
	}
	return doc, nil, be
}

func errEmpty() *blockError {
	return &blockError{shape: true, msg: "the frontmatter is empty"}
}

// isEmpty reports whether a block has nothing but blank lines and comments.
func isEmpty(block string) bool {
	for l := range strings.Lines(block) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			return false
		}
	}
	return true
}

func newBlockError(err error, block string) *blockError {
	var le *yaml.LoadError
	if !errors.As(err, &le) {
		return &blockError{msg: Sanitize(err.Error())}
	}
	be := &blockError{msg: Sanitize(strings.TrimPrefix(le.Message, "yaml: ")), line: le.Mark.Line, column: le.Mark.Column, contextLine: le.ContextMark.Line}
	if le.ContextMark.Line > 0 && strings.Contains(le.ContextMsg, "simple key") {
		// The scanner notices a missing colon only on the next line; the key is what is wrong.
		be.line, be.column = le.ContextMark.Line, le.ContextMark.Column
	}
	if be.line == 0 {
		be.line, be.column = controlAt(block)
	}
	if be.line == 0 {
		// Of what it says without a place, only a second document is left.
		be.line, be.column = documentEnd(block), 1
	}
	return be
}

// documentEnd returns the line that ends a document within the block, or 0.
func documentEnd(block string) int {
	n := 0
	for l := range strings.Lines(block) {
		n++
		if strings.HasPrefix(l, "...") || strings.HasPrefix(l, "--- ") {
			return n
		}
	}
	return 0
}

// controlAt returns the place of the first character that YAML does not allow in a
// stream. The library refuses such a block without saying where.
func controlAt(block string) (line, column int) {
	line, column = 1, 1
	for _, r := range block {
		switch {
		case r == '\n':
			line, column = line+1, 1
			continue
		case r < ' ' && r != '\t', r >= 0x7f && r <= 0x9f && r != 0x85, r == 0xfffe, r == 0xffff:
			return line, column
		}
		column++
	}
	return 0, 0
}

// converter turns the library's nodes into values. It resolves nothing: an alias stays an
// alias, so that no amplification is possible.
type converter struct {
	offset  int
	breaks  breaks
	pairs   joins
	tooDeep int
}

func (c *converter) line(n int) int { return n + c.offset }

func (c *converter) column(n *yaml.Node) int { return c.pairs.column(n.Line, n.Column) }

func (c *converter) value(n *yaml.Node, depth int) *Value {
	v := &Value{Line: c.line(n.Line), Column: c.column(n), Anchor: c.breaks.show(n.Anchor)}
	if depth > maxDepth {
		if c.tooDeep == 0 {
			c.tooDeep = n.Line
		}
		return v
	}
	if n.Style&yaml.TaggedStyle != 0 {
		v.Tag = c.breaks.show(n.ShortTag())
		if v.Tag == "" {
			v.Tag = "!"
		}
	}
	switch n.Kind {
	case yaml.MappingNode:
		v.Kind = Mapping
		v.Fields = make([]Field, 0, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			v.Fields = append(v.Fields, Field{
				Key: c.breaks.show(keyText(k)), Value: c.value(n.Content[i+1], depth+1),
				Line: c.line(k.Line), Column: c.column(k),
			})
		}
	case yaml.SequenceNode:
		v.Kind = Sequence
		for _, it := range n.Content {
			v.Items = append(v.Items, c.value(it, depth+1))
		}
	case yaml.AliasNode:
		v.Kind, v.Text = Alias, c.breaks.show(n.Value)
	default:
		v.Text = c.breaks.show(n.Value)
		v.Plain = n.Style&(yaml.TaggedStyle|yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
		v.comment = v.Plain && n.LineComment != ""
	}
	return v
}

// keyText is the text of a key. A key that is itself a list or mapping has no name that a
// reader could ask for; it gets one that no author can write, so that it is kept apart.
func keyText(k *yaml.Node) string {
	switch {
	case k.Kind == yaml.ScalarNode:
		return k.Value
	case k.Kind == yaml.AliasNode:
		return "*" + k.Value
	}
	return complexKey
}

const complexKey = "\x00complex"

// coreTag reports whether a tag is one of YAML's core schema, which only repeats what the
// value is; every other one is custom (FMT-4).
func coreTag(tag string) bool {
	switch tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq":
		return true
	}
	return false
}
