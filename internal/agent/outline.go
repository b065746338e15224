// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/skillgraft/skillgraft/skill"
)

// How much of a body an outline has.
const (
	maxHeadings   = 20
	maxFirstLines = 6
	maxLineText   = 200 // characters

	// A hostile body can make a Markdown parser take time that grows with the
	// square of a line's length. So no more is parsed than could be shown, or
	// than a body of a reasonable size has.
	maxOutlined     = 128 << 10 // bytes
	maxOutlinedLine = 1 << 10   // bytes; more than maxLineText characters
)

// An outline is what a body starts with and what it is divided into, fit to be
// shown: the words of its author, without the means to look like ours.
type outline struct {
	first    []string // lines of the first text that is no heading
	headings []string
}

func outlineOf(body string) outline {
	src := bounded(body)
	var o outline
	// Without parsers for what stands in a line: lines are shown as they are.
	doc := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...)).Parse(text.NewReader(src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindHeading {
			if h := linesOf(n, src, 1); len(h) > 0 && len(o.headings) < maxHeadings {
				o.headings = append(o.headings, h[0])
			}
			continue
		}
		if len(o.first) == 0 {
			o.first = linesOf(n, src, maxFirstLines)
		}
	}
	return o
}

// bounded is the start of a body, with the starts of its lines.
func bounded(body string) []byte {
	src := make([]byte, 0, min(len(body), maxOutlined))
	for line := range strings.Lines(body) {
		if len(src)+min(len(line), maxOutlinedLine) > maxOutlined {
			break
		}
		if len(line) > maxOutlinedLine {
			line = line[:maxOutlinedLine-1] + "\n"
		}
		src = append(src, line...)
	}
	return src
}

// linesOf is the lines of a block and the blocks in it.
func linesOf(block ast.Node, src []byte, most int) []string {
	var out []string
	// Walk returns what the function does, which is no error.
	_ = ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		lines := n.Lines()
		for i := 0; i < lines.Len(); i++ {
			segment := lines.At(i)
			line := shorten(skill.Sanitize(string(segment.Value(src))), maxLineText)
			if line == "" {
				continue
			}
			if len(out) == most {
				out[most-1] = strings.TrimSuffix(out[most-1], "…") + " …"
				return ast.WalkStop, nil
			}
			out = append(out, line)
		}
		return ast.WalkContinue, nil
	})
	return out
}
