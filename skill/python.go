// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// pyWriter writes JSON in the layout that the reference tool's language gives it.
type pyWriter struct {
	b     []byte
	depth int
	first bool // nothing has been written at this level
}

func (w *pyWriter) open(c byte) {
	w.b = append(w.b, c)
	w.depth++
	w.first = true
}

func (w *pyWriter) close(c byte) {
	w.depth--
	if !w.first {
		w.line()
	}
	w.first = false
	w.b = append(w.b, c)
}

func (w *pyWriter) line() {
	w.b = append(w.b, '\n')
	w.b = append(w.b, strings.Repeat("  ", w.depth)...)
}

// next begins an element.
func (w *pyWriter) next() *pyWriter {
	if !w.first {
		w.b = append(w.b, ',')
	}
	w.first = false
	w.line()
	return w
}

func (w *pyWriter) member(key string) *pyWriter {
	w.next().text(key)
	w.b = append(w.b, ": "...)
	return w
}

func (w *pyWriter) text(s string) {
	w.b = append(w.b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.b = append(w.b, '\\', byte(r))
		case r == '\n':
			w.b = append(w.b, `\n`...)
		case r == '\r':
			w.b = append(w.b, `\r`...)
		case r == '\t':
			w.b = append(w.b, `\t`...)
		case r == '\b':
			w.b = append(w.b, `\b`...)
		case r == '\f':
			w.b = append(w.b, `\f`...)
		case r >= ' ' && r <= '~':
			w.b = append(w.b, byte(r))
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			w.b = fmt.Appendf(w.b, `\u%04x\u%04x`, hi, lo)
		default:
			w.b = fmt.Appendf(w.b, `\u%04x`, r)
		}
	}
	w.b = append(w.b, '"')
}

// value writes every scalar as text. An empty collection stays on its line.
func (w *pyWriter) value(v *Value) {
	switch v.Kind {
	case Sequence:
		w.open('[')
		for _, it := range v.Items {
			w.next().value(it)
		}
		w.close(']')
	case Mapping:
		w.open('{')
		for _, f := range v.Fields {
			w.member(f.Key).value(f.Value)
		}
		w.close('}')
	default:
		w.text(v.Text)
	}
}

// pyStr is what the reference tool makes of a value in metadata that is no text.
func pyStr(v *Value) string {
	if v.Kind == Sequence || v.Kind == Mapping {
		return pyRepr(v)
	}
	return v.Text
}

func pyRepr(v *Value) string {
	var b strings.Builder
	switch v.Kind {
	case Sequence:
		b.WriteByte('[')
		for i, it := range v.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(pyRepr(it))
		}
		b.WriteByte(']')
	case Mapping:
		b.WriteByte('{')
		for i, f := range v.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(pyQuote(f.Key) + ": " + pyRepr(f.Value))
		}
		b.WriteByte('}')
	default:
		return pyQuote(v.Text)
	}
	return b.String()
}

func pyQuote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b := []byte{q}
	for _, r := range s {
		switch {
		case r == rune(q) || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == ' ' || unicode.IsPrint(r):
			b = append(b, string(r)...)
		case r <= 0xff:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r <= 0xffff:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
	}
	return string(append(b, q))
}

// pyStrip removes white space at both ends, as the reference tool does.
func pyStrip(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}
