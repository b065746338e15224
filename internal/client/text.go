// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"strings"

	"github.com/skillgraft/skillgraft/acp"
)

// A skill's place in a text is marked {{skill:name}}.
const (
	markStart = "{{skill:"
	markEnd   = "}}"
)

// Parse makes the blocks of a prompt: the skills in front, then the text, with a
// skill block in each place that it marks with {{skill:name}}. The text around a
// mark is kept as it is. With literal the text has no marks.
func Parse(text string, front []string, literal bool) ([]acp.ContentBlock, error) {
	var blocks []acp.ContentBlock
	for _, name := range front {
		if name == "" {
			return nil, fmt.Errorf("a skill's name is empty: give the name as the list has it")
		}
		blocks = append(blocks, acp.SkillBlock(name))
	}
	add := func(text string) {
		if text != "" {
			blocks = append(blocks, acp.TextBlock(text))
		}
	}
	for !literal {
		before, rest, found := strings.Cut(text, markStart)
		if !found {
			break
		}
		name, after, found := strings.Cut(rest, markEnd)
		if !found || strings.Contains(name, "\n") {
			return nil, fmt.Errorf("the mark %q is not closed: end it with }}, or use --literal for a text without marks", head(markStart+rest))
		}
		if name = strings.TrimSpace(name); name == "" {
			return nil, fmt.Errorf("the mark %s%s names no skill: write {{skill:name}}, or use --literal for a text without marks", markStart, markEnd)
		}
		add(before)
		blocks = append(blocks, acp.SkillBlock(name))
		text = after
	}
	add(text)
	if len(blocks) == 0 {
		return nil, fmt.Errorf("there is nothing to say: give a text, - to read it from standard input, or --skill")
	}
	return blocks, nil
}

// head is the start of a text, for a message.
func head(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}

// Names are the skills that blocks invoke, each once, in order.
func Names(blocks []acp.ContentBlock) []string {
	var names []string
	seen := map[string]bool{}
	for _, b := range blocks {
		if ref, ok := b.(*acp.SkillReference); ok && !seen[ref.Name] {
			seen[ref.Name] = true
			names = append(names, ref.Name)
		}
	}
	return names
}
