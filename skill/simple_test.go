// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSimpleEqualsYAML: whatever the hand-written reader accepts, the YAML library reads
// the same, positions included.
func TestSimpleEqualsYAML(t *testing.T) {
	word := rapid.SampledFrom([]string{"name", "description", "a", "A.b", "x_1", "null", "true", "on", "e1", "Bash(git:*)",
		"007", "1.10", "0x1f", "2026-05-30", "10:20:30", "a:b", "C#", "#c", "- x", "?", "a?", "\"", "'", "it's", "\"q\"", "\\", "\t", " ", "  ",
		"http://x", ":", ": ", ",", "[x]", "{", "}", "&", "*", "!", "|", ">", "%", "@", "`", "~", "é", "中文", "\u00a0", "\u2028", "\u0085", "\ufeff", "🧠", "---", "...", "<<", "=", ".inf", "y", "No"})
	easy := rapid.SampledFrom([]string{"a: b c\n", "name: x\n", "b: \"c: d\"\n", "e1: 'f'\n", "g: 1.10\n", "h: é 中\n", "i: >-\n  j\n  k\n", "l: [m, n]\n"})
	line := rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "easy") {
			return easy.Draw(t, "line")
		}
		key := rapid.OneOf(rapid.SampledFrom([]string{"name", "description", "a", "b", "null", "true", "y", "e1", "<<", "1", "-x", "'q'"}), word).Draw(t, "key")
		sep := rapid.SampledFrom([]string{": ", ": ", ": ", ":", ":  ", " : "}).Draw(t, "sep")
		parts := rapid.SliceOfN(word, 0, 4).Draw(t, "value")
		glue := rapid.SampledFrom([]string{" ", "", "  "}).Draw(t, "glue")
		value := strings.Join(parts, glue)
		if rapid.Bool().Draw(t, "quoted") {
			q := rapid.SampledFrom([]string{`"`, "'"}).Draw(t, "quote")
			value = q + value + q
		}
		if rapid.IntRange(0, 4).Draw(t, "empty") == 0 {
			value, sep = "", ":"
		}
		indent := rapid.SampledFrom([]string{"", "", "", "  ", "  ", "    "}).Draw(t, "indent")
		if rapid.IntRange(0, 3).Draw(t, "block") == 0 {
			header := rapid.SampledFrom([]string{"|", ">", "|-", ">-", "|+", ">+", "|2", "> ", "| #c"}).Draw(t, "header")
			text := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
				in := rapid.SampledFrom([]string{"  ", "  ", "  ", "  ", "", " ", "   "}).Draw(t, "in")
				return in + strings.Join(rapid.SliceOfN(word, 0, 3).Draw(t, "text"), glue) + "\n"
			}), 0, 5).Draw(t, "lines")
			return key + ": " + header + "\n" + strings.Join(text, "")
		}
		return indent + key + sep + value + "\n"
	})
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		compareReaders(t, strings.Join(rapid.SliceOfN(line, 1, 6).Draw(t, "lines"), ""), &taken)
	})
	if taken == 0 {
		t.Error("the simple reader took none of the blocks")
	}
}

// TestSimpleBlockEqualsYAML is the same for block scalars that are nearly always taken.
func TestSimpleBlockEqualsYAML(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "", "<blank>", "a", "b: c", "# d", "- e", "é — 中", "'f", "g ", "\\u0041", " h", "...", "---"})
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		header := rapid.SampledFrom([]string{"|", ">", "|-", ">-"}).Draw(t, "header")
		indent := rapid.SampledFrom([]string{" ", "  ", "    "}).Draw(t, "indent")
		block := "k: " + header + "\n" + indent + "first\n"
		for _, l := range rapid.SliceOfN(text, 0, 6).Draw(t, "lines") {
			if l == "<blank>" {
				l = rapid.SampledFrom([]string{" ", "  ", "   ", "    "}).Draw(t, "blank")
			} else if l != "" {
				l = indent + l
			}
			block += l + "\n"
		}
		compareReaders(t, block+"next: \"x\"\n", &taken)
	})
	if taken == 0 {
		t.Error("the simple reader took none of the blocks")
	}
}

// TestSimpleNestedEqualsYAML is the same for mappings and lists below each other.
func TestSimpleNestedEqualsYAML(t *testing.T) {
	line := rapid.SampledFrom([]string{"a:", "b:", "c: x", "- f", "a:", "b:", "c: x", "- f", "- f", "d: 'y z'", "e: \"q\"", "- f", "- \"g, h\"", "- i: j", "- ", "-", "k: [l]", "m: [n, 'o', p q,r]",
		"s: [ t]", "u: []", "v: [w,]", "x: [é]", "# y", "z: [a: b]", "a: |", ""})
	indent := rapid.SampledFrom([]string{"", "", "  ", "  ", "    ", " ", "\t"})
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		block := "k:\n"
		for range rapid.IntRange(1, 7).Draw(t, "lines") {
			block += indent.Draw(t, "indent") + line.Draw(t, "line") + "\n"
		}
		compareReaders(t, block, &taken)
	})
	if taken == 0 {
		t.Error("the simple reader took none of the blocks")
	}
}

// TestSimpleContinuedEqualsYAML is the same for plain texts of several lines.
func TestSimpleContinuedEqualsYAML(t *testing.T) {
	text := rapid.SampledFrom([]string{"a", "b c", "- d", "-e", "? f", "# g", "h #i", "j#k", "l: m", "n:", "o:p", "\"q\"", "'r", "[s", "{t}", "&u", "*v", "!w", "|", ">", "%x", "@y", "`z`", "é —", "...", "---", "--- a", "", " ", "b ", "~", ","})
	indent := rapid.SampledFrom([]string{"  ", "  ", "    ", " ", "", "\t"})
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		block := rapid.SampledFrom([]string{"k: a\n", "k: 1\n", "k:\n  a: b\n", "k:\n  - a\n", "k: \"a\"\n", "k: |\n  a\n", "k: [a]\n"}).Draw(t, "first")
		for range rapid.IntRange(1, 4).Draw(t, "lines") {
			block += indent.Draw(t, "indent") + text.Draw(t, "text") + "\n"
		}
		compareReaders(t, block, &taken)
		compareReaders(t, block+"next: x\n", &taken)
	})
	if taken == 0 {
		t.Error("the simple reader took none of the blocks")
	}
}

// TestSimpleFlowEqualsYAML is the same for what stands in brackets.
func TestSimpleFlowEqualsYAML(t *testing.T) {
	token := rapid.SampledFrom([]string{"[", "]", "{", "}", ",", ", ", ": ", ":", " ", "a", "b c", "\"d\"", "\"e\": ", "\"e\":", "'f'", "'it''s'", "\"g \\\" h\"", "1.10", "true", "~", "é", "🧠", "x/y", "#", " #", "k: ", "- ", "?", "<<: ", "\"\"", "..", "-"})
	var node func(t *rapid.T, depth int) string
	node = func(t *rapid.T, depth int) string {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		n := rapid.IntRange(0, 3).Draw(t, "n")
		pad := rapid.SampledFrom([]string{"", "", " "}).Draw(t, "pad")
		var parts []string
		switch {
		case kind == 0 && depth < 5:
			for range n {
				parts = append(parts, node(t, depth+1))
			}
			return "[" + pad + strings.Join(parts, ","+pad) + pad + "]"
		case kind <= 2 && depth < 6:
			for range n {
				parts = append(parts, rapid.SampledFrom([]string{"a: ", "\"b\": ", "\"c d\":", "'e': ", "f :", "1: ", "\"é\": "}).Draw(t, "key")+node(t, depth+1))
			}
			return "{" + pad + strings.Join(parts, ","+pad) + pad + "}"
		}
		return token.Draw(t, "token")
	}
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		value := node(t, 0)
		if rapid.IntRange(0, 3).Draw(t, "free") == 0 {
			value = strings.Join(rapid.SliceOfN(token, 1, 12).Draw(t, "tokens"), "")
		}
		compareReaders(t, "k: "+value+"\nl:\n  m: "+node(t, 0)+"\nn: o\n", &taken)
		compareReaders(t, "k: {\"a\":{\"b\":\"c\"}}\n", &taken)
	})
	if taken < 100 {
		t.Errorf("the simple reader took %d of the blocks", taken)
	}
}

func FuzzSimpleEqualsYAML(f *testing.F) {
	for _, s := range []string{"name: a\ndescription: b c\n", "a: 'x'\n", "a: \"x: y\"\n", "a: b:\n", "a: b #c\n", "a: 1\nb: 2\n", "a:\n  b: c\n  d: e\nf: g\n", "a:\n  b: c\n   d: e\n", "a:\nb: c\n",
		"a: |\n  b: c\n\n  d\n\ne: f\n", "a: >-\n  b\n  c\n\n  d\ne: f\n", "a: |\n b\n  c\n", "a: é 中\n", "a: |\n\n  b\n", "a: >\n  b\n   c\n  d\n",
		"a:\n  b:\n    - c\n    - 'd'\n  e: f\ng:\n- h\ni: [j, k]\n", "a:\n- b\n  c: d\n", "a:\n  - b\n - c\n", "a:\n- b\n  - c\n", "k:\n  a:\n- f\n", "a: [b #c]\n", "a: [b#c]\n", "a:\n  b:\n  c:\n    d: e\n", "a: [b, c:d, 'e f',g]\n",
		"a: {\"b\":{\"c\":\"🧠\",\"d\":[\"e\", f]}, g: h}\n", "a: {}\nb: []\nc: { d: [ e ] }\n", "a: \"b \\\"c\\\" \\\\ \\n\"\n", "a: 'it''s'\n", "a: /b\nc: <d>\ne: ~f\n", "a: b\n  c\n d\ne: f\n", "a:\n  b: c\n   d\n", "a: |\n  b\n  \n c\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, block string) { compareReaders(t, block, nil) })
}

func compareReaders(t rapid.TB, block string, taken *int) {
	got := readSimple(block, 3, nil)
	if got == nil {
		return
	}
	if taken != nil {
		*taken++
	}
	want, err := readYAML(block, 3)
	if err != nil {
		t.Fatalf("%q: accepted, but YAML says %v", block, err)
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(Value{})); d != "" {
		t.Fatalf("%q:\n%s", block, d)
	}
}

// TestSimpleTakesTheCommonForm: the reader exists for speed, so it must not decline what
// most skills look like.
func TestSimpleTakesTheCommonForm(t *testing.T) {
	block := "name: pdf-processing\ndescription: Extracts text from PDF files, and more. Use when working with PDFs (or https://x.y/z).\nlicense: Apache-2.0\nversion: \"1.0\"\nmetadata:\n  author: example-org\n  version: \"1.0\"\n"
	if readSimple(block, 2, nil) == nil {
		t.Error("declined")
	}
	if readSimple("name: x\nmetadata:\n  tags:\n    - a\n    - b\n  v: 1\nallowed-tools: [Read, Bash]\nlist:\n- x\n", 2, nil) == nil {
		t.Error("lists were declined")
	}
	if readSimple("name: x\ndescription: \"Say \\\"no\\\".\"\nmetadata: {\"tool\":{\"emoji\":\"🧠\",\"requires\":{\"bins\":[\"a\"]}}}\n", 2, nil) == nil {
		t.Error("JSON was declined")
	}
	if readSimple("name: x\ndescription: |\n  What it does — and how.\n\n  Use when needed.\nlicense: MIT\n", 2, nil) == nil {
		t.Error("a literal text was declined")
	}
	if readSimple("name: x\ndescription: >-\n  What it does\n  and how.\n", 2, nil) == nil {
		t.Error("a folded text was declined")
	}
}

// TestRepairQuote: what repair writes, YAML reads back.
func TestRepairQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		v, err := readYAML("k: "+quote(s)+"\n", 1)
		if err != nil || v.Get("k").Text != s {
			t.Fatalf("%q: %v %v", quote(s), v, err)
		}
	})
}

// TestRepairKeepsOtherFields: FMT-13 changes the failing value only.
func TestRepairKeepsOtherFields(t *testing.T) {
	bad := rapid.SampledFrom([]string{"a: b", "@x", "`x`", "[a] b", "{a} b", "\"x\" y", "'x' y", "*x y", "%x", "x: y: z", "- a", "a:", "\"open", "'open", "|x", ">x", "&", "!"})
	good := rapid.SampledFrom([]string{"plain", "\"quo: ted\"", "'single'", "[a, b]", "1.10", "x # comment", "|\n  lit: eral\n  [x", "\n  folded\n  on"})
	rapid.Check(t, func(t *rapid.T) {
		before, after, broken := good.Draw(t, "before"), good.Draw(t, "after"), bad.Draw(t, "broken")
		block := "before: " + before + "\nbroken: " + broken + "\nafter: " + after + "\n"
		if _, err := readYAML(block, 1); err == nil {
			return
		}
		doc := Parse([]byte("---\n"+block+"---\n"), nil)
		if doc.Frontmatter == nil {
			// Giving up is allowed where YAML sees the fault in another line; a wrong
			// value never is.
			return
		}
		fresh, err := readYAML("before: "+before+"\nafter: "+after+"\n", 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []string{"before", "after"} {
			got, want := doc.Frontmatter.Get(k), fresh.Get(k)
			if string(got.AppendJSON(nil)) != string(want.AppendJSON(nil)) {
				t.Fatalf("%q: %s became %s", block, k, got.AppendJSON(nil))
			}
		}
		if got := doc.Frontmatter.Get("broken"); got.Text != broken {
			t.Fatalf("%q: broken became %q", block, got.Text)
		}
	})
}
