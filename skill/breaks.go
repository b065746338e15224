// SPDX-License-Identifier: Apache-2.0

package skill

import "strings"

// breaks keeps the library from taking NEL, LS and PS for line breaks, as YAML 1.1 did: to
// YAML 1.2 and to every editor they are characters in a line. They stand behind others that
// the block does not contain while the library reads it. The zero value hides nothing.
type breaks struct{ hidden, shown *strings.Replacer }

func shieldBreaks(block string) breaks {
	const old = "\u0085\u2028\u2029"
	if !strings.ContainsAny(block, old) {
		return breaks{}
	}
	var to, from []string
	stand := rune(0xe000) // of private use, so nobody's text
	for _, r := range old {
		for strings.ContainsRune(block, stand) {
			stand++
		}
		to = append(to, string(r), string(stand))
		from = append(from, string(stand), string(r))
		stand++
	}
	if stand > 0xf900 {
		return breaks{} // a block of nothing else; it is read as YAML 1.1 has it
	}
	return breaks{strings.NewReplacer(to...), strings.NewReplacer(from...)}
}

// hide puts the stand-ins in; one character stays one, so that places stay too.
func (b breaks) hide(s string) string {
	if b.hidden == nil {
		return s
	}
	return b.hidden.Replace(s)
}

// show takes them out again.
func (b breaks) show(s string) string {
	if b.shown == nil {
		return s
	}
	return b.shown.Replace(s)
}
