// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fixer makes fixes for one source. It works on the bytes as they are in the file, so that
// a fix keeps CRLF, and proves each change to a field by reading the result: a fix that
// would change anything else is no fix. A nil fixer makes none.
type fixer struct {
	src    []byte
	parts  parts
	starts []int // offsets of the lines of src, made when first needed
}

// lineStart returns the offset of a line of the file, from 1.
func (x *fixer) lineStart(line int) int {
	if x.starts == nil {
		at := 0
		if bytes.HasPrefix(x.src, []byte(byteOrderMark)) {
			at = len(byteOrderMark)
		}
		x.starts = []int{at}
		for ; at < len(x.src); at++ {
			switch c := x.src[at]; {
			case c == '\n', c == '\r' && (at+1 == len(x.src) || x.src[at+1] != '\n'):
				x.starts = append(x.starts, at+1)
			}
		}
	}
	if line < 1 || line > len(x.starts) {
		return len(x.src)
	}
	return x.starts[line-1]
}

// lineText returns a line without its break.
func (x *fixer) lineText(line int) string {
	start, end := x.lineStart(line), x.lineStart(line+1)
	return strings.TrimRight(string(x.src[start:end]), "\r\n")
}

// lineBreak returns the break that ends a line.
func (x *fixer) lineBreak(line int) string {
	start, end := x.lineStart(line), x.lineStart(line+1)
	if l := x.src[start:end]; bytes.HasSuffix(l, []byte("\r\n")) {
		return "\r\n"
	} else if bytes.HasSuffix(l, []byte("\r")) {
		return "\r"
	}
	return "\n"
}

// offset returns the place of a column, counted in code points from 1.
func (x *fixer) offset(line, column int) int {
	at := x.lineStart(line)
	for ; column > 1 && at < len(x.src); column-- {
		_, n := utf8.DecodeRune(x.src[at:])
		at += n
	}
	return at
}

// quoteLine is the fix for a line that was repaired (FMT-13): its value in quotes, to the
// same effect.
func (x *fixer) quoteLine(line int) *Fix {
	if x == nil {
		return nil
	}
	text := x.lineText(line)
	_, value, ok := strings.Cut(text, ":")
	if !ok {
		return nil
	}
	end := len(strings.TrimRight(text, " \t"))
	start := len(text) - len(strings.TrimLeft(value, " \t"))
	if start >= end {
		return nil
	}
	at := x.lineStart(line)
	return &Fix{Message: "put the value in quotes",
		Edits: []Edit{{at + start, at + end, quoted(text[start:end])}}}
}

// set is the fix that gives a top-level field another value. It is nil when the field cannot
// be rewritten in place without a change to something else, a comment included.
func (x *fixer) set(fm *Frontmatter, key, value, message string) *Fix {
	if f := x.sameLine(fm, key, value, message); f != nil {
		return f
	}
	return x.region(fm, key, value, message)
}

// region is [fixer.set] for a value in any number of lines.
func (x *fixer) region(fm *Frontmatter, key, value, message string) *Fix {
	if x == nil || fm == nil {
		return nil
	}
	var f *Field
	end := x.parts.bodyLine - 1 // the line of the closing fence
	for i := range fm.values().Fields {
		if o := &fm.values().Fields[i]; o.Key == key && f == nil {
			f = o
		} else if f != nil {
			end = o.Line
			break
		}
	}
	if f == nil || f.Value.Line == 0 {
		return nil
	}
	start := x.offset(f.Line, f.Column)
	colon := bytes.IndexByte(x.src[start:x.lineStart(f.Line+1)], ':')
	if colon < 0 {
		return nil
	}
	start += colon + 1
	stop := x.lineStart(end)
	// Blank lines and whole-line comments behind the value are not of it.
	region := strings.TrimRight(string(x.src[start:stop]), " \t\r\n")
	for {
		i := strings.LastIndexAny(region, "\r\n")
		if i < 0 || !strings.HasPrefix(strings.TrimLeft(region[i+1:], " \t"), "#") {
			break
		}
		region = strings.TrimRight(region[:i], " \t\r\n")
	}
	return x.prove(fm, key, value, message, []Edit{{start, start + len(region), " " + scalar(value)}})
}

// sameLine is [fixer.set] for a value in one line, which keeps a comment behind it.
func (x *fixer) sameLine(fm *Frontmatter, key, value, message string) *Fix {
	if x == nil || fm == nil {
		return nil
	}
	v := fm.Get(key)
	if v == nil || v.Kind != Scalar || v.Line == 0 {
		return nil
	}
	start := x.offset(v.Line, v.Column)
	text := string(x.src[start:x.lineStart(v.Line+1)])
	end := len(strings.TrimRight(text, " \t\r\n"))
	if i := strings.LastIndex(text, " #"); i >= 0 {
		cut := len(strings.TrimRight(text[:i], " \t"))
		if f := x.prove(fm, key, value, message, []Edit{{start, start + cut, scalar(value)}}); f != nil {
			return f
		}
	}
	return x.prove(fm, key, value, message, []Edit{{start, start + end, scalar(value)}})
}

// prove returns the edits as a fix if they give key that value, leave every other field as
// it is, and lose no comment.
func (x *fixer) prove(fm *Frontmatter, key, value, message string, edits []Edit) *Fix {
	f := &Fix{Message: message, Edits: edits}
	out, made := Apply(x.src, []*Fix{f})
	if len(made) == 0 {
		return nil
	}
	text, _, bad := decode(out, false)
	if bad >= 0 {
		return nil
	}
	p := split(text, func(Finding) {})
	if !p.found {
		return nil
	}
	root, err := readBlock(p.block, p.blockLine)
	if err != nil || len(root.Fields) != len(fm.values().Fields) || strings.Count(p.block, "#") < strings.Count(x.parts.block, "#")-strings.Count(valueText(fm.Get(key)), "#")+strings.Count(value, "#") {
		return nil
	}
	for i, g := range root.Fields {
		was := fm.values().Fields[i]
		switch {
		case g.Key != was.Key:
			return nil
		case g.Key == key:
			if g.Value.Kind != Scalar || g.Value.Text != value || g.Value.IsNull() {
				return nil
			}
		case !bytes.Equal(g.Value.AppendJSON(nil), was.Value.AppendJSON(nil)):
			return nil
		}
	}
	return f
}

// valueText is all text inside a value, in which a # is no comment.
func valueText(v *Value) string {
	if v == nil {
		return ""
	}
	s := v.Text
	for _, it := range v.Items {
		s += valueText(it)
	}
	for _, f := range v.Fields {
		s += f.Key + valueText(f.Value)
	}
	return s
}

// scalar writes s as a one-line YAML scalar that means exactly this text.
func scalar(s string) string {
	probe := new(Value)
	if s != "" && probe.readSimple(s) && probe.Plain && !probe.IsNull() {
		switch strings.ToLower(s) {
		case "true", "false", "yes", "no", "on", "off", "y", "n":
			return quoted(s) // some readers make a boolean of it
		}
		if c := s[0] | 0x20; c >= 'a' && c <= 'z' {
			return s
		}
	}
	return quoted(s)
}

// quoted is [quote] in the style that needs the fewest escapes.
func quoted(s string) string {
	if strings.ContainsAny(s, "\"\\") && !strings.Contains(s, "'") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }) {
		return "'" + s + "'"
	}
	return quote(s)
}

// optional marks a fix as the author's to decide.
func optional(f *Fix) *Fix {
	if f != nil {
		f.Optional = true
	}
	return f
}

// joinFixes makes one fix of two.
func joinFixes(a, b *Fix) *Fix {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return &Fix{Message: a.Message, Optional: a.Optional || b.Optional, Edits: append(slices.Clone(a.Edits), b.Edits...)}
}

// prelude is the fix for what stands before the first fence (FMT-14). Blank lines go;
// comments would have to be moved, which is for the author to do.
func (x *fixer) prelude(text []byte) *Fix {
	if x == nil {
		return nil
	}
	_, line, _ := prelude(text)
	from, to := x.lineStart(1), x.lineStart(line)
	if len(bytes.TrimSpace(x.src[from:to])) > 0 {
		return nil
	}
	return &Fix{Message: "remove the blank lines before the frontmatter", Edits: []Edit{{Start: from, End: to}}}
}

// addField is the fix that puts a new field first.
func (x *fixer) addField(key, value string) *Fix {
	if x == nil {
		return nil
	}
	at := x.lineStart(x.parts.blockLine)
	return optional(&Fix{Message: "add the field " + key,
		Edits: []Edit{{at, at, key + ": " + scalar(value) + x.lineBreak(x.parts.blockLine-1)}}})
}

// rename is the fix that gives a field another name.
func (x *fixer) rename(f Field, to string) *Fix {
	if x == nil {
		return nil
	}
	start := x.offset(f.Line, f.Column)
	if !bytes.HasPrefix(x.src[start:], []byte(f.Key)) {
		return nil // quoted
	}
	return optional(&Fix{Message: "rename it to " + to, Edits: []Edit{{start, start + len(f.Key), to}}})
}
