// SPDX-License-Identifier: Apache-2.0

package skill

import "strings"

// readSimple reads the blocks that most skills have: every line a bare key with a value in
// one line, a block scalar, or a mapping or list below it, indented by blanks, in no form that
// any YAML rule could read differently. For anything else it returns nil and the YAML
// library decides; property tests hold the two equal. It exists because ten thousand heads
// are parsed while a user waits. What it returns lies in space, if that is not nil, until
// the next call.
func readSimple(block string, firstLine int, space *Scratch) *Value {
	if block == "" || block[len(block)-1] != '\n' {
		return nil
	}
	if space == nil {
		// Fields stand in lines that are not indented. What lies below them is allocated
		// as it comes.
		n := strings.Count(block, "\n") - strings.Count(block, "\n ")
		space = &Scratch{values: make([]Value, 0, n+1)}
		space.fields[0] = make([]Field, 0, n)
	}
	space.reset()
	r := simpleReader{rest: block, line: firstLine, space: space}
	m := space.value()
	if !r.mapping(m, 0, 0) || r.rest != "" {
		return nil
	}
	return m
}

// simpleReader stands before a line.
type simpleReader struct {
	rest  string
	line  int
	space *Scratch
}

// maxSimple is how deep mappings and lists may lie in each other.
const maxSimple = 4

// peek returns the line without its break and how far it is indented; next goes on to the
// one after it.
func (r *simpleReader) peek() (l string, indent int) {
	l, _ = cutString(r.rest)
	return l, len(l) - len(strings.TrimLeft(l, " "))
}

func (r *simpleReader) next() {
	_, n := cutString(r.rest)
	r.rest = r.rest[n:]
	r.line++
}

// mapping reads the fields at an indentation, of which there is at least one.
func (r *simpleReader) mapping(m *Value, indent, depth int) bool {
	m.Kind, m.Line, m.Column = Mapping, r.line, indent+1
	// Mappings of one depth come one after the other, so that their fields lie together.
	fields := &r.space.fields[depth]
	start := len(*fields)
	defer func() { m.Fields = (*fields)[start:len(*fields):len(*fields)] }()
	for r.rest != "" {
		l, in := r.peek()
		if in < indent {
			return len(*fields) > start
		}
		l = l[in:]
		colon := strings.IndexByte(l, ':')
		if in != indent || colon < 1 || !simpleKey(l[:colon]) {
			return false
		}
		v := r.space.value()
		*fields = append(*fields, Field{Key: l[:colon], Value: v, Line: r.line, Column: indent + 1})
		v.Line, v.Column = r.line, indent+colon+3
		r.next()
		switch value := l[colon+1:]; {
		case value == "":
			if !r.below(v, indent, depth) {
				return false
			}
		case value[0] != ' ' || value == " ":
			return false
		case value[1] == '|' || value[1] == '>':
			if indent > 0 {
				return false
			}
			rest, lines, ok := v.readSimpleBlock(value[1:], r.rest, r.space)
			if !ok {
				return false
			}
			r.rest, r.line = rest, r.line+lines
		case value[1] == '[' || value[1] == '{':
			if !v.readSimpleFlow(value[1:], depth, r.space) {
				return false
			}
		case !v.readSimple(value[1:]) || v.Plain && !r.continued(v, indent):
			return false
		}
	}
	return true
}

// continued adds the lines that a plain text goes on in: those that are indented more than
// its key.
func (r *simpleReader) continued(v *Value, indent int) bool {
	text := r.space.text[:0]
	for r.rest != "" {
		l, in := r.peek()
		if in <= indent || in == len(l) {
			break
		}
		if l = l[in:]; l[0] == '#' || !simplePlain(l) {
			return false
		}
		if len(text) == 0 {
			text = append(text, v.Text...)
		}
		text = append(append(text, ' '), l...)
		r.next()
	}
	if len(text) > 0 {
		v.Text, r.space.text = string(text), text
	}
	return true
}

// simplePlain reports whether s may stand in a plain text, and ends nowhere before its end.
func simplePlain(s string) bool {
	if !simpleText(s) {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b == ':' && (i+1 == len(s) || s[i+1] == ' '):
			return false
		case b == '#' && i > 0 && s[i-1] == ' ':
			return false
		}
	}
	return s[len(s)-1] != ' '
}

// below reads what stands under a key without a value: nothing is a null, which is the
// library's to tell. A list may be as far out as its key.
func (r *simpleReader) below(v *Value, indent, depth int) bool {
	if r.rest == "" || depth == maxSimple {
		return false
	}
	l, in := r.peek()
	switch list := strings.HasPrefix(l[in:], "- "); {
	case list && in >= indent:
		return r.list(v, in)
	case in > indent:
		return r.mapping(v, in, depth+1)
	}
	return false
}

// list reads the items at an indentation, each a scalar in its line.
func (r *simpleReader) list(v *Value, indent int) bool {
	v.Kind, v.Line, v.Column = Sequence, r.line, indent+1
	start := len(r.space.items)
	defer func() { v.Items = r.space.itemsFrom(start) }()
	for r.rest != "" {
		l, in := r.peek()
		item, ok := strings.CutPrefix(l[in:], "- ")
		if in < indent || !ok {
			// A line that is no item ends the list; whether it may stand there is for
			// the mapping around it.
			return true
		}
		it := r.space.value()
		it.Line, it.Column = r.line, indent+3
		if in != indent || item == "" || !it.readSimple(item) {
			return false
		}
		r.space.items = append(r.space.items, it)
		r.next()
	}
	return true
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// cutString is cutLine for text.
func cutString(s string) (line string, n int) {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i], i + 1
	}
	return s, len(s)
}

// simpleKey is narrower than what YAML allows: a word that starts with a letter, so that
// it is not a number, date or merge key. Words that mean null or a boolean are the same
// text as keys.
func simpleKey(s string) bool {
	c := s[0] | 0x20
	return c >= 'a' && c <= 'z' && isKey(s)
}

// readSimple reads a scalar that is all of s, which is not empty.
func (v *Value) readSimple(s string) bool {
	switch c := s[0]; {
	case c == '"' || c == '\'':
		// Closed at the end of the line.
		if len(s) < 2 || s[len(s)-1] != c {
			return false
		}
		text, ok := unquote(s[1:len(s)-1], c)
		v.Text = text
		return ok
	case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9', c >= 0x80, strings.IndexByte("/(.$+_<~^", c) >= 0:
		if !simplePlain(s) {
			return false
		}
		v.Text, v.Plain = s, true
		return true
	}
	return false
}

// unquote returns the content of quotes in one line. Of escapes it knows the common ones.
func unquote(s string, quote byte) (string, bool) {
	if !simpleText(s) {
		return "", false
	}
	special := "\"\\"
	if quote == '\'' {
		special = "'"
	}
	i := strings.IndexAny(s, special)
	if i < 0 {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for ; i >= 0; i = strings.IndexAny(s, special) {
		if i+1 == len(s) {
			return "", false
		}
		b = append(b, s[:i]...)
		switch pair := s[i : i+2]; pair {
		case "''":
			b = append(b, '\'')
		case `\"`, `\\`:
			b = append(b, pair[1])
		case `\n`:
			b = append(b, '\n')
		case `\t`:
			b = append(b, '\t')
		default:
			return "", false
		}
		s = s[i+2:]
	}
	return string(append(b, s...)), true
}
