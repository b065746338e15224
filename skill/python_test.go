// SPDX-License-Identifier: Apache-2.0

package skill

import "testing"

// What the reference tool prints for metadata that is no text, as found in public skills.
func TestPyStr(t *testing.T) {
	for _, tc := range []struct{ yaml, want string }{
		{"metadata:\n  a:\n    requires:\n      bins:\n        - node\n        - it's\n", `{'requires': {'bins': ['node', "it's"]}}`},
		{"metadata:\n  a:\n    emoji: \"\U0001f575\ufe0f\u200d\u2640\ufe0f\"\n", `{'emoji': '` + "\U0001f575\ufe0f" + `\u200d` + "\u2640\ufe0f" + `'}`},
		{"metadata:\n  a: 1.10\n", "1.10"},
	} {
		doc := Parse([]byte("---\nname: x\ndescription: d\n"+tc.yaml+"---\n"), nil)
		if got := pyStr(doc.Frontmatter.Get("metadata").Get("a")); got != tc.want {
			t.Errorf("%q gives %s, want %s", tc.yaml, got, tc.want)
		}
	}
}

// FMT-4, FMT-12: an empty block is told from one that is not YAML.
func TestParseEmptyBlock(t *testing.T) {
	for _, block := range []string{"", "\n", "# only a comment\n\n"} {
		doc := Parse([]byte("---\n"+block+"---\nbody\n"), nil)
		if len(doc.Findings) != 1 || doc.Usable() || doc.Findings[0].Message != "the frontmatter is empty; write fields, each as name: value" {
			t.Errorf("%q: %v", block, doc.Findings)
		}
	}
}
