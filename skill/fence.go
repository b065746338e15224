// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// parts is a SKILL.md cut at its fences (FMT-2). Line breaks are "\n" throughout: YAML
// and Markdown give CR, LF and CRLF the same meaning, so nothing else can tell (FMT-3).
type parts struct {
	block     string // between the fences
	blockLine int    // line of the block's first line in the file
	bodyLine  int
	bodyStart int  // byte offset of the body in the normalised text
	found     bool // both fences were seen
	open      bool // the first fence was seen, the closing one was not
}

const byteOrderMark = "\ufeff"

// decode drops a BOM and normalises line breaks. It reports bytes that are not UTF-8 by
// their offset in src; they are never replaced (FMT-3). With more set, src is the start of
// a longer file and may end inside a character.
func decode(src []byte, more bool) (text []byte, bom bool, bad int) {
	bad = -1
	if more {
		src = src[:len(src)-splitRune(src)]
	}
	rest := bytes.TrimPrefix(src, []byte(byteOrderMark))
	bom = len(rest) != len(src)
	if !utf8.Valid(rest) {
		return nil, bom, len(src) - len(rest) + invalidAt(rest)
	}
	if bytes.IndexByte(rest, '\r') >= 0 {
		rest = bytes.ReplaceAll(rest, []byte("\r\n"), []byte("\n"))
		rest = bytes.ReplaceAll(rest, []byte("\r"), []byte("\n"))
	}
	return rest, bom, bad
}

// splitRune returns how many bytes at the end of b are the start of a cut-off character.
func splitRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

func invalidAt(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

// split finds the fences in decoded text.
func split(text []byte, report func(Finding)) parts {
	var p parts
	start, line, tolerated := prelude(text)
	if start < 0 {
		report(Finding{Rule: "FMT-2", Line: line, Column: 1, Skip: true,
			Message: "text stands before the frontmatter; make the first line of the file exactly ---"})
		return p
	}
	first, n := cutLine(text[start:])
	if !isFence(first) {
		msg := "no frontmatter; start the file with a line that is exactly ---, then name and description, then another such line"
		report(Finding{Rule: "FMT-2", Line: line, Column: 1, Message: msg, Skip: true})
		return p
	}
	if tolerated {
		report(Finding{Rule: "FMT-14", Line: 1, Column: 1,
			Message: "blank lines or a comment stand before the frontmatter; move the --- line to the top of the file"})
	}
	pos := start + n
	line++
	p.blockLine, p.open = line, true
	blockStart := pos
	for pos < len(text) {
		l, n := cutLine(text[pos:])
		if isFence(l) {
			p.block = string(text[blockStart:pos])
			p.bodyStart, p.bodyLine = pos+n, line+1
			p.found, p.open = true, false
			return p
		}
		pos += n
		line++
	}
	return p
}

// prelude skips what is tolerated before the first fence: blank lines and HTML comments
// (FMT-14). It returns -1 for start when other text comes first and a fence comes later, and
// otherwise the offset where the fence must stand.
func prelude(text []byte) (start, line int, tolerated bool) {
	pos, line := 0, 1
	for pos < len(text) {
		l, n := cutLine(text[pos:])
		t := bytes.TrimSpace(l)
		switch {
		case isFence(l):
			return pos, line, pos > 0
		case len(t) == 0:
			pos += n
			line++
		case bytes.HasPrefix(t, []byte("<!--")):
			end := bytes.Index(text[pos:], []byte("-->"))
			if end < 0 {
				return pos, line, false
			}
			rest, m := cutLine(text[pos+end+3:])
			if len(bytes.TrimSpace(rest)) > 0 {
				return pos, line, false
			}
			line += bytes.Count(text[pos:pos+end+3+m], []byte("\n"))
			pos += end + 3 + m
		default:
			if laterFence(text[pos:]) {
				return -1, line, false
			}
			return pos, line, false
		}
	}
	return pos, line, false
}

// laterFence tells a misplaced frontmatter from a file that has none: a fence line followed
// directly by a key. A thematic break in Markdown looks like a fence and is not one.
func laterFence(text []byte) bool {
	for pos := 0; pos < len(text); {
		l, n := cutLine(text[pos:])
		pos += n
		if isFence(l) {
			next, _ := cutLine(text[pos:])
			key, _, ok := strings.Cut(string(next), ":")
			return ok && isKey(key)
		}
	}
	return false
}

// cutLine returns the first line without its break, and the length with it.
func cutLine(b []byte) (line []byte, n int) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i], i + 1
	}
	return b, len(b)
}

// isFence reports whether a line is exactly "---", trailing blanks aside (FMT-2).
func isFence(line []byte) bool {
	return len(line) >= 3 && string(line[:3]) == "---" && len(bytes.Trim(line[3:], " \t")) == 0
}

// isKey reports whether s is a bare word as used for field names.
func isKey(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '-' && c != '_' && c != '.' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return s != "" && s[0] != '-' && s[0] != '.'
}

func notUTF8(src []byte, offset int) Finding {
	msg := fmt.Sprintf("not UTF-8: invalid byte at offset %d; save the file as UTF-8", offset)
	if len(src) >= 2 && (src[0] == 0xff && src[1] == 0xfe || src[0] == 0xfe && src[1] == 0xff) {
		msg = fmt.Sprintf("UTF-16 text, not UTF-8: invalid byte at offset %d; save the file as UTF-8", offset)
	}
	before := bytes.ReplaceAll(bytes.TrimPrefix(src[:offset], []byte(byteOrderMark)), []byte("\r\n"), []byte("\n"))
	line := 1 + bytes.Count(before, []byte("\n")) + bytes.Count(before, []byte("\r"))
	column := 1 + utf8.RuneCount(before[1+bytes.LastIndexAny(before, "\r\n"):])
	return Finding{Rule: "FMT-3", Line: line, Column: column, Message: msg, Skip: true}
}
