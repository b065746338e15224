// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
)

// compareFrontmatter compares the head of a SKILL.md with what the entry says of it,
// field by field (MCP-4).
//
// Servers turn YAML into JSON in more than one honest way: a plain 1.10 is a number to
// YAML's core schema, and to others the text that stands there. Both are accepted;
// whatever says something else is not.
func compareFrontmatter(entry []byte, fm *skill.Frontmatter) error {
	var written int
	for f := range fm.Fields() {
		written++
		v := rawjson.Get(entry, f.Key)
		if v == nil {
			return fmt.Errorf("the field %q stands in SKILL.md and not in the entry", f.Key)
		}
		if err := compareValue(v, f.Value); err != nil {
			return fmt.Errorf("the field %q %w", f.Key, err)
		}
	}
	said := 0
	for m := range rawjson.Members(entry) {
		key := string(m.Key)
		if said++; !fm.Has(key) {
			return fmt.Errorf("the field %q stands in the entry and not in SKILL.md", key)
		}
	}
	if said != written {
		return fmt.Errorf("the entry has %d fields, and SKILL.md %d", said, written)
	}
	return nil
}

var errDiffers = fmt.Errorf("is another one in SKILL.md than in the entry")

func compareValue(j []byte, v *skill.Value) error {
	switch {
	case rawjson.IsObject(j):
		if v.Kind != skill.Mapping {
			return errDiffers
		}
		n := 0
		for m := range rawjson.Members(j) {
			n++
			key := string(m.Key)
			w := v.Get(key)
			if w == nil {
				return errDiffers
			}
			if err := compareValue(m.Value, w); err != nil {
				return err
			}
		}
		if n != len(v.Fields) {
			return errDiffers
		}
		return nil
	case rawjson.IsArray(j):
		if v.Kind != skill.Sequence {
			return errDiffers
		}
		n := 0
		for _, e := range rawjson.Elements(j) {
			if n == len(v.Items) {
				return errDiffers
			}
			if err := compareValue(e.Value, v.Items[n]); err != nil {
				return err
			}
			n++
		}
		if n != len(v.Items) {
			return errDiffers
		}
		return nil
	}
	if v.Kind != skill.Scalar {
		return errDiffers
	}
	if text, ok := rawjson.String(j); ok {
		if text != v.Text {
			return errDiffers
		}
		return nil
	}
	if !v.Plain {
		return errDiffers // quoted text is text
	}
	b, isBool := v.Bool()
	switch word := string(j); {
	case word == "null":
		if v.IsNull() {
			return nil
		}
	case word == "true" || word == "false":
		if isBool && b == (word == "true") {
			return nil
		}
	default:
		x, okx := number(word)
		y, oky := number(v.Text)
		if word == v.Text || okx && oky && x.Cmp(y) == 0 {
			return nil
		}
	}
	return errDiffers
}

// number reads a number of YAML's core schema, of a size that is no attack.
func number(s string) (*big.Rat, bool) {
	if s == "" || len(s) > 64 {
		return nil, false
	}
	base, digits := 10, s
	switch {
	case strings.HasPrefix(s, "0x"):
		base, digits = 16, s[2:]
	case strings.HasPrefix(s, "0o"):
		base, digits = 8, s[2:]
	}
	if base != 10 {
		n, ok := new(big.Int).SetString(digits, base)
		if !ok || strings.ContainsAny(digits, "+-_") {
			return nil, false
		}
		return new(big.Rat).SetInt(n), true
	}
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], strings.TrimLeft(s[i+1:], "+-0")
	}
	if len(exponent) > 3 || strings.Trim(mantissa, "+-.0123456789") != "" || strings.Trim(exponent, "0123456789") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}
