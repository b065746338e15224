// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A Use is a skill block of a prompt that names one of the agent's own skills.
type Use struct {
	Block int    // its index in the prompt
	Name  string // the agent's name for it, without the mark
	Path  string // of its file; empty when it has none
}

// A Form is an agent's own way of invoking its skills by text.
type Form interface {
	// Apply writes uses into a prompt, given as the tokens of its blocks. It
	// returns for each block the token that replaces it, nil for a block that
	// is merged into another one, and which uses it could write. A use that it
	// could not write leaves its block as it is.
	Apply(blocks [][]byte, uses []Use, others int) (out [][]byte, written []bool)

	// Triggers reports whether the agent would take a part of text for an
	// invocation of one of the entries of its list that are named, as it names
	// them.
	Triggers(text string, names []string) bool

	// LooksAt says at which block of a prompt an invocation counts that a user
	// typed, and with which the other blocks may be lost.
	LooksAt() End

	// Anywhere reports whether a skill can be invoked at every place of a
	// prompt, and any number of them.
	Anywhere() bool
}

// An End is where a form looks for an invocation.
type End uint8

// The ends of a prompt.
const (
	NoEnd End = iota
	FirstBlock
	LastBlock
)

// Slash is the form of agents that run "/name rest" when it is all there is: one
// skill, and at most one block of text behind it.
type Slash struct {
	// Prefix is what stands before the name, "/" or more.
	Prefix string
	// Last: the agent looks at the last block, not at the first.
	Last bool
	// OneLine: a blank has to follow the name, and what follows is one line.
	OneLine bool
}

// Apply implements [Form]. others is how many skill blocks of the prompt are not
// the agent's own.
func (f Slash) Apply(blocks [][]byte, uses []Use, others int) ([][]byte, []bool) {
	written := make([]bool, len(uses))
	if len(uses) != 1 || others > 0 || uses[0].Block != 0 || len(blocks) > 2 || strings.ContainsAny(uses[0].Name, " \t\r\n") {
		return blocks, written
	}
	line := f.Prefix + uses[0].Name
	if len(blocks) == 2 {
		rest, ok := plainText(blocks[1])
		if !ok || f.OneLine && strings.ContainsAny(rest, "\r\n") {
			return blocks, written
		}
		if rest != "" && rest[0] != ' ' && (f.OneLine || !strings.ContainsAny(rest[:1], "\t\r\n")) {
			line += " "
		}
		line += rest
	}
	written[0] = true
	out := make([][]byte, len(blocks))
	out[0] = TextBlock(line)
	return out, written
}

// Triggers implements [Form]. A command of the agent triggers as a skill does.
func (Slash) Triggers(text string, names []string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), "/")
	if !ok {
		return false
	}
	word := rest
	if i := strings.IndexAny(rest, " \t\r\n"); i >= 0 {
		word = rest[:i]
	}
	return slices.Contains(names, word)
}

// LooksAt implements [Form].
func (f Slash) LooksAt() End {
	if f.Last {
		return LastBlock
	}
	return FirstBlock
}

// Anywhere implements [Form].
func (Slash) Anywhere() bool { return false }

// Mention is the form of agents that find the sigil and a name anywhere in the
// text, and take a link "[$name](path)" for the skill at that path.
type Mention struct{ Sigil string }

// Apply implements [Form].
func (f Mention) Apply(blocks [][]byte, uses []Use, _ int) ([][]byte, []bool) {
	out := append([][]byte(nil), blocks...)
	written := make([]bool, len(uses))
	for i, u := range uses {
		switch {
		case u.Path == "":
			out[u.Block] = TextBlock(f.Sigil + u.Name)
		case strings.ContainsAny(u.Path, "()\r\n"):
			continue // no link could hold it
		default:
			out[u.Block] = TextBlock("[" + f.Sigil + u.Name + "](" + u.Path + ")")
		}
		written[i] = true
	}
	return out, written
}

// Triggers implements [Form].
func (f Mention) Triggers(text string, names []string) bool {
	if !strings.Contains(text, f.Sigil) {
		return false
	}
	for _, n := range names {
		if strings.Contains(text, f.Sigil+strings.TrimPrefix(n, f.Sigil)) {
			return true
		}
	}
	return false
}

// LooksAt implements [Form].
func (Mention) LooksAt() End { return NoEnd }

// Anywhere implements [Form].
func (Mention) Anywhere() bool { return true }

// TextBlock is a content block of text.
func TextBlock(text string) []byte {
	return append(append([]byte(`{"type":"text","text":`), rawjson.Quote(text)...), '}')
}

// plainText is the text of a block that has a text and nothing else that could
// get lost.
func plainText(block []byte) (string, bool) {
	var text string
	ok := false
	for m := range rawjson.Members(block) {
		switch string(m.Key) {
		case "type":
			if s, _ := rawjson.String(m.Value); s != "text" {
				return "", false
			}
		case "text":
			text, ok = rawjson.String(m.Value)
		default:
			if string(m.Value) != "null" {
				return "", false
			}
		}
	}
	return text, ok
}
