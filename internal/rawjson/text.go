// SPDX-License-Identifier: Apache-2.0

package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

func skipString(b []byte, i int) (int, error) {
	i, _, err := skipText(b, i)
	return i, err
}

// skipText checks the string that starts at b[i] == '"', and reports whether it
// has an escape. Almost all bytes of almost all messages are inside strings, so
// it looks at eight at a time for one that matters: a quote, a backslash or a
// control character.
func skipText(b []byte, i int) (end int, escaped bool, err error) {
	i++
	for {
		if i = plain(b, i); i >= len(b) {
			i, err = fail(i, "a string is not closed")
			return i, escaped, err
		}
		switch b[i] {
		case '"':
			return i + 1, escaped, nil
		case '\\':
			n := escapeLen(b[i:])
			if n == 0 {
				i, err = fail(i, "a string has a bad escape")
				return i, true, err
			}
			escaped = true
			i += n
		default:
			i, err = fail(i, "a string has a bare control character")
			return i, escaped, err
		}
	}
}

// IsInside reports whether b could stand between the quotes of a string.
func IsInside(b []byte) bool {
	i := 0
	for {
		if i = plain(b, i); i == len(b) {
			return true
		}
		n := 0
		if b[i] == '\\' {
			n = escapeLen(b[i:])
		}
		if n == 0 {
			return false
		}
		i += n
	}
}

// plain skips what stands for itself in a string.
func plain(b []byte, i int) int {
	for len(b)-i >= 8 {
		if mask := special(binary.LittleEndian.Uint64(b[i:])); mask != 0 {
			return i + bits.TrailingZeros64(mask)/8
		}
		i += 8
	}
	for i < len(b) && b[i] >= 0x20 && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// special has the high bit set in the first byte of w that is a quote, a
// backslash or below 0x20. Bytes above the first may be marked wrongly by a
// borrow; only the lowest mark is used.
func special(w uint64) uint64 {
	const lo, hi = 0x0101010101010101, 0x8080808080808080
	quote := w ^ (lo * '"')
	slash := w ^ (lo * '\\')
	return ((quote-lo)&^quote | (slash-lo)&^slash | (w-lo*0x20)&^w) & hi
}

// escapeLen is the length of the escape at the start of b, 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && hex4(b[2:6]) >= 0 {
			return 6
		}
	}
	return 0
}

// hex4 is the value of four hexadecimal digits, -1 if they are not.
func hex4(b []byte) rune {
	var v rune
	for _, c := range b[:4] {
		v <<= 4
		switch {
		case '0' <= c && c <= '9':
			v |= rune(c - '0')
		case 'a' <= c && c <= 'f':
			v |= rune(c-'a') + 10
		case 'A' <= c && c <= 'F':
			v |= rune(c-'A') + 10
		default:
			return -1
		}
	}
	return v
}

// Text is the value of the JSON string tok, a token that [Skip] has accepted,
// quotes included. A token without escapes is returned as a part of tok itself,
// so the result must not be kept when tok's memory is used again.
func Text(tok []byte) []byte {
	in := tok[1 : len(tok)-1]
	i := bytes.IndexByte(in, '\\')
	if i < 0 {
		return in
	}
	out := append(make([]byte, 0, len(in)), in[:i]...)
	for i < len(in) {
		if in[i] != '\\' {
			out = append(out, in[i])
			i++
			continue
		}
		switch in[i+1] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := hex4(in[i+2:])
			i += 6
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if len(in)-i >= 6 && in[i] == '\\' && in[i+1] == 'u' {
					low = hex4(in[i+2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
			continue
		default: // quote, backslash, slash stand for themselves
			out = append(out, in[i+1])
		}
		i += 2
	}
	return out
}

// IsString reports whether the token is a JSON string.
func IsString(tok []byte) bool { return len(tok) > 0 && tok[0] == '"' }

// IsObject reports whether the token is a JSON object.
func IsObject(tok []byte) bool { return len(tok) > 0 && tok[0] == '{' }

// IsArray reports whether the token is a JSON array.
func IsArray(tok []byte) bool { return len(tok) > 0 && tok[0] == '[' }

// String is the text of a string token. ok is false for any other token, and
// for none.
func String(tok []byte) (s string, ok bool) {
	if !IsString(tok) {
		return "", false
	}
	return string(Text(tok)), true
}

// Quote writes s as a JSON string. Bytes that are not UTF-8 become U+FFFD, and
// what JSON need not escape is not escaped.
func Quote(s string) []byte {
	out := append(make([]byte, 0, len(s)+2), '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\n':
			out = append(out, '\\', 'n')
		case r == '\r':
			out = append(out, '\\', 'r')
		case r == '\t':
			out = append(out, '\\', 't')
		case r < 0x20:
			const digits = "0123456789abcdef"
			out = append(out, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}
