// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestRender(t *testing.T) {
	body := "\n# Tea\n\nBoil the water until it boils and then pour it on\nthe leaves.\n\n" +
		"- first point that is rather long for a line\n  and goes on\n- second\n\n1. one\n\n```sh\nboil --hot   \"x y\"\n\n# no heading\n```\n\n| a  | b |\n\n    code   block\n"
	want := `# Tea

Boil the water until it boils
and then pour it on the
leaves.

- first point that is rather
  long for a line and goes on
- second

1. one

` + "```sh" + `
boil --hot   "x y"

# no heading
` + "```" + `

| a  | b |

    code   block
`
	if got := render(body, 30, style{}); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := render("# A\n\nSay `x y` and **so**.\n", 30, style{on: true}); got != "\x1b[1;4m# A\x1b[0m\n\nSay \x1b[36m`x y`\x1b[0m and \x1b[1mso\x1b[0m.\n" {
		t.Errorf("with colours: %q", got)
	}
}

// ACP-U3: nothing of a body gets to control a terminal, and the words are all there.
func TestRenderIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom([]string{"tea", "\n", "\n\n", "# ", "- ", "1. ", "```", "~~~~", "\t", "    ", "\x1b[2J", "\u202e", "<!-- ", "| ", "**", "`", "\r", "\xff"})).Draw(t, "body")
		body := strings.Join(words, "")
		got := render(body, 40, style{})
		for _, r := range got {
			if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf)) {
				t.Fatalf("%q is shown as %q", body, got)
			}
		}
		if strings.Count(got, "tea") != strings.Count(body, "tea") {
			t.Fatalf("%q is shown as %q", body, got)
		}
	})
}
