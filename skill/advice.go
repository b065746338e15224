// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Bounds of the advice (FMT-11).
const (
	// MaxBodyLines and MaxBodyTokens are how long a body should be at most, since an
	// agent loads all of it; see [EstimateTokens].
	MaxBodyLines  = 500
	MaxBodyTokens = 5000
)

// EstimateTokens estimates how many tokens a model makes of s: one for each four ASCII
// characters, and one for each other character, rounded up. The true number depends on the
// model; for English text and code this is within about a fifth of it.
func EstimateTokens(s string) int {
	ascii, other := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}

// advise adds what makes a skill work badly although it is valid (FMT-11).
func (v *validation) advise(root *os.Root) {
	d := v.r.Document
	if fm := d.Frontmatter; fm != nil && Sanitize(fm.Description) != "" && !saysWhen(fm.Description) {
		val := fm.Get("description")
		v.report(Finding{Rule: "FMT-11", Severity: Warning, Line: val.Line, Column: val.Column,
			Message: "description does not say when to use the skill; add a sentence such as: Use when the user asks for ..."})
	}
	if d.BodyLine == 0 {
		return
	}
	v.adviseLength(d)
	v.adviseLinks(root, d)
	v.adviseShell(d)
	v.adviseScripts(root)
}

func (v *validation) warn(line, column int, format string, args ...any) {
	v.report(Finding{Rule: "FMT-11", Severity: Warning, Line: line, Column: column, Message: fmt.Sprintf(format, args...)})
}

func (v *validation) adviseLength(d *Document) {
	lines := strings.Count(d.Body, "\n")
	if d.Body != "" && !strings.HasSuffix(d.Body, "\n") {
		lines++
	}
	if lines > MaxBodyLines {
		v.warn(d.BodyLine+MaxBodyLines, 1, "the body has %d lines, better at most %d; move details into files beside it and link to them", lines, MaxBodyLines)
	}
	if n := EstimateTokens(d.Body); n > MaxBodyTokens {
		v.warn(d.BodyLine, 1, "the body has about %d tokens, better at most %d; move details into files beside it and link to them", n, MaxBodyTokens)
	}
}

// saysWhen reports whether a description says when to use the skill, as far as words can
// tell. Text in a script other than Latin is given the benefit of the doubt.
func saysWhen(s string) bool {
	latin, other := 0, 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			other++
		}
	}
	return other > latin || occasion().MatchString(s)
}

// occasion matches words that introduce an occasion, in the languages that skills are most
// often written in. It is compiled when first needed, as all the larger expressions here: a
// program that only reads skills starts without them.
var occasion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:when(?:ever)?|triggers?|triggered|invoked?|asks?|asked|before|after|during|` +
		`us(?:e|ed|eful|es) (?:this|it|when|for|if|only|in|on|to|after|before|as|any|at|by|proactively|during|with)|` +
		`if (?:the|you|a|an|there|asked|users?)|wenn|sobald|falls|quand|lorsque|cuando|si el|si la|quando|wanneer)\b`)
})

// adviseShell warns about text from the network, or text that nobody can read, going into
// a shell (E07). It is advice on what is written, not a judgement of what it does.
func (v *validation) adviseShell(d *Document) {
	line := d.BodyLine
	for text := range strings.Lines(d.Body) {
		for _, p := range piped() {
			if at := p.FindStringIndex(text); at != nil {
				v.warn(line, 1+utf8.RuneCountInString(text[:at[0]]), "this runs text that nobody has looked at; put the commands into a script of the skill")
				break
			}
		}
		line++
	}
}

// piped are a download, or something decoded, that becomes commands.
var piped = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:curl|wget|iwr|invoke-webrequest)\b[^|\n]{0,500}\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+)?(?:(?:ba|z|da|k|fi)?sh|python3?|node|perl|ruby|iex|invoke-expression)\b`),
		regexp.MustCompile(`(?i)\bbase64\s+(?:-d|-D|--decode)\b[^|\n]{0,200}\|\s*(?:sudo\s+)?(?:(?:ba|z|da|k|fi)?sh|python3?|node|perl|ruby)\b`),
		regexp.MustCompile(`(?i)\b(?:(?:ba|z|da|k)?sh\s+-c\s+["']?|eval\s+["']?|(?:ba|z)?sh\s+<\s*\(?)(?:\$|<)?\(\s*(?:curl|wget)\b`),
		regexp.MustCompile(`(?i)\b(?:ba|z)?sh\s+<\(\s*(?:curl|wget)\b`),
	}
})
