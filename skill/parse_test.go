// SPDX-License-Identifier: Apache-2.0

package skill_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/skill"
)

// want is what a source must give. Empty fields are not looked at, except that a skipped
// skill has no other expectations.
type want struct {
	name, description, body string
	tools                   []string
	repaired                bool
	skip                    bool
	// invalid: a validator reports at least one error.
	invalid bool
	// findings are "RULE severity line" that must be among the findings.
	findings []string
	// quiet: no finding at all.
	quiet bool
}

func TestParseFieldCases(t *testing.T) {
	fm := func(block string) string { return "---\n" + block + "---\nBody\n" }
	tests := []struct {
		id, src string
		want    want
	}{
		{"A01 colon in a plain description", fm("name: meal-plan\ndescription: Plan meals: breakfast, lunch\nallowed-tools: Read\n"),
			want{name: "meal-plan", description: "Plan meals: breakfast, lunch", tools: []string{"Read"}, repaired: true, invalid: true,
				findings: []string{"FMT-4 error 3", "FMT-13 warning 3"}}},
		{"A01 the restricting field survives", fm("name: a\ndescription: x: y\nuser-invocable: false\n"),
			want{description: "x: y", repaired: true}},
		{"A01 two broken values", fm("name: a\ndescription: x: y\nargument-hint: [a] [b]\nlicense: MIT\n"),
			want{name: "a", description: "x: y", repaired: true, findings: []string{"FMT-13 warning 3", "FMT-13 warning 4"}}},
		{"A01 valid is not touched", fm("name: a\ndescription: \"x: y\"\n"),
			want{description: "x: y", quiet: true}},
		{"A03 hash cuts", fm("name: a\ndescription: Sort C# and #1 bugs\n"),
			want{description: "Sort C# and", findings: []string{"FMT-11 warning 3"}}},
		{"A03 at sign", fm("name: a\ndescription: @scope helper\n"),
			want{description: "@scope helper", repaired: true, invalid: true, findings: []string{"FMT-13 warning 3"}}},
		{"A03 percent", fm("name: a\ndescription: %d helper\n"), want{description: "%d helper", repaired: true}},
		{"A03 backtick", fm("name: a\ndescription: `go` helper\n"), want{description: "`go` helper", repaired: true}},
		{"A03 star", fm("name: a\ndescription: *bold* text\n"), want{description: "*bold* text", repaired: true}},
		{"A03 brace", fm("name: a\ndescription: {x} and y\n"), want{description: "{x} and y", repaired: true}},
		{"A03 bracket", fm("name: a\ndescription: [x] and y\n"), want{description: "[x] and y", repaired: true}},
		{"A03 quote then more", fm("name: a\ndescription: \"x\" or \"y\"\nlicense: MIT\n"), want{description: `"x" or "y"`, repaired: true}},
		{"A03 apostrophe first", fm("name: a\ndescription: 'tis open\nlicense: MIT\n"), want{description: `'tis open`, repaired: true}},
		{"A03 unclosed quote, quoted field after", fm("name: a\ndescription: \"open\nlicense: \"MIT\"\n"), want{description: `"open`, repaired: true}},
		{"A03 tag", fm("name: a\ndescription: !important x\n"), want{skip: true, findings: []string{"FMT-4 error 3"}}},
		{"A03 ampersand", fm("name: a\ndescription: &x y\n"), want{skip: true, findings: []string{"FMT-4 error 3"}}},
		{"A04 CRLF", "---\r\nname: demo\r\ndescription: d\r\n---\r\nBody\r\n", want{name: "demo", description: "d", body: "Body\n", quiet: true}},
		{"A04 CR", "---\rname: demo\rdescription: d\r---\rBody\r", want{name: "demo", description: "d", body: "Body\n", quiet: true}},
		{"A04 CRLF in a block scalar", "---\r\nname: demo\r\ndescription: |\r\n  a\r\n  b\r\n---\r\n", want{description: "a\nb\n", quiet: true}},
		{"A05 BOM", "\ufeff---\nname: demo\ndescription: d\n---\nBody", want{name: "demo", description: "d", body: "Body", findings: []string{"FMT-3 info 1"}}},
		{"A06 not UTF-8", "---\nname: x\ndescription: \xa1\xaa\n---\n", want{skip: true, findings: []string{"FMT-3 error 3"}}},
		{"A06 not UTF-8 in the body", "---\nname: x\ndescription: d\n---\nb\xff", want{skip: true, findings: []string{"FMT-3 error 5"}}},
		{"A06 UTF-16", "\xff\xfe-\x00-\x00-\x00\n\x00", want{skip: true, findings: []string{"FMT-3 error 1"}}},
		{"A07 dashes in a value", fm("name: t\ndescription: \"a --- b\"\nallowed-tools: Read\n"), want{description: "a --- b", tools: []string{"Read"}, body: "Body\n", quiet: true}},
		{"A07 four dashes", "---\nname: t\ndescription: d\n----\nx\n---\nBody", want{skip: true, findings: []string{"FMT-4 error 4"}}},
		{"A07 dashes after a value", fm("name: x---\ndescription: d\n"), want{name: "x---", body: "Body\n"}},
		{"A07 blanks behind fences", "--- \nname: t\ndescription: d\n---\t\nBody", want{name: "t", body: "Body", quiet: true}},
		{"A07 indented dashes do not close", fm("name: t\ndescription: |\n  a\n  ---\n  b\n"), want{description: "a\n---\nb\n", quiet: true}},
		{"A07 end of file after the fence", "---\nname: t\ndescription: d\n---", want{name: "t", body: "", quiet: true}},
		{"A10 not closed", "---\nname: t\ndescription: d\n\n# Body", want{skip: true, findings: []string{"FMT-2 error 1"}}},
		{"A10 none", "# Title only\n", want{skip: true, findings: []string{"FMT-2 error 1"}}},
		{"A10 a thematic break is no fence", "# Title\n\n---\n\ntext\n", want{skip: true, findings: []string{"FMT-2 error 1"}}},
		{"A10 empty file", "", want{skip: true, findings: []string{"FMT-2 error 1"}}},
		{"A10 empty block", "---\n---\nBody", want{skip: true, findings: []string{"FMT-4 error 1"}}},
		{"A11 comment first", "<!-- generated -->\n---\nname: t\ndescription: d\n---\n", want{name: "t", invalid: true, findings: []string{"FMT-14 error 1"}}},
		{"A11 long comment first", "<!-- a\nb -->\n\n---\nname: t\ndescription: x: y\n---\nBody", want{name: "t", description: "x: y", body: "Body", repaired: true, findings: []string{"FMT-14 error 1", "FMT-4 error 6"}}},
		{"A11 blank line first", "\n---\nname: t\ndescription: d\n---\n", want{name: "t", invalid: true, findings: []string{"FMT-14 error 1"}}},
		{"A11 text first", "Hello\n---\nname: t\ndescription: d\n---\n", want{skip: true, findings: []string{"FMT-2 error 1"}}},
		{"A12 folded", fm("name: a\ndescription: >-\n  Draws charts.\n  Use for CSV.\n"), want{description: "Draws charts. Use for CSV.", quiet: true}},
		{"A12 literal", fm("name: a\ndescription: |\n  One.\n  Two.\n"), want{description: "One.\nTwo.\n", quiet: true}},
		{"A13 indented", fm("name: a\ndescription:\n  First part\n  second part\n"), want{description: "First part second part", quiet: true}},
		{"A13 not indented", fm("description: First part\nsecond part\nname: t\n"), want{skip: true, findings: []string{"FMT-4 error 3"}}},
		{"A15 duplicate", fm("name: a\n'name': b\ndescription: d\n"), want{skip: true, findings: []string{"FMT-4 error 3"}}},
		{"A15 duplicate below", fm("name: a\ndescription: d\nmetadata:\n  x: 1\n  \"x\": 2\n"), want{name: "a", invalid: true, findings: []string{"FMT-4 error 6"}}},
		{"A16 metadata", fm("name: a\ndescription: d\nmetadata:\n  version: 1.10\n  tags: [a, b]\n  acme:\n    level: 2\n"),
			want{name: "a", invalid: true, findings: []string{"FMT-8 error 6", "FMT-8 error 8"}}},
		{"A17 list", fm("name: a\ndescription: d\nallowed-tools: [Read, \"Bash(git add *)\"]\n"), want{tools: []string{"Read", "Bash(git add *)"}, invalid: true, findings: []string{"FMT-9 error 4"}}},
		{"A17 parentheses", fm("name: a\ndescription: d\nallowed-tools: Bash(git add *) Read\n"), want{tools: []string{"Bash(git add *)", "Read"}, quiet: true}},
		{"A17 commas", fm("name: a\ndescription: d\nallowed-tools: Read, Bash(jq:*)\n"), want{tools: []string{"Read", "Bash(jq:*)"}, findings: []string{"FMT-9 warning 4"}}},
		{"A18 two brackets", fm("name: a\ndescription: d\nargument-hint: [file] [--all|--one]\n"), want{name: "a", description: "d", repaired: true, invalid: true}},
		{"A18 one bracket", fm("name: a\ndescription: d\nargument-hint: [file]\n"), want{name: "a", description: "d"}},
		{"A18 quotes", fm("name: a\ndescription: d\nargument-hint: \"x\" or \"y\"\n"), want{name: "a", description: "d", repaired: true}},
		{"A22 long", fm("name: a\ndescription: " + strings.Repeat("x", 1086) + "\n"), want{name: "a", invalid: true, findings: []string{"FMT-6 error 3"}}},
		{"A22 not too long, in characters", fm("name: a\ndescription: " + strings.Repeat("é", 1024) + "\n"), want{quiet: true}},
		{"A23 nothing", fm("name: a\ndescription:\n"), want{skip: true, findings: []string{"FMT-6 error 3"}}},
		{"A23 empty", fm("name: a\ndescription: \"\"\n"), want{skip: true}},
		{"A23 blank", fm("name: a\ndescription: \"  \"\n"), want{skip: true}},
		{"A23 null", fm("name: a\ndescription: ~\n"), want{skip: true}},
		{"A23 comment", fm("name: a\ndescription: # later\n"), want{skip: true}},
		{"A23 absent", fm("name: a\n"), want{skip: true}},
		{"A23 invisible", fm("name: a\ndescription: \"\\u200b\\u202e\"\n"), want{skip: true}},
		{"A23 a list", fm("name: a\ndescription: [a, b]\n"), want{skip: true}},
		{"A29 angle brackets", fm("name: a\ndescription: Run add <name> to create a card\n"), want{description: "Run add <name> to create a card", quiet: true}},
		{"FMT-4 alias elsewhere", fm("name: a\ndescription: d\nmetadata:\n  a: &x 1\n  b: *x\n"), want{name: "a", invalid: true, findings: []string{"FMT-4 error 5", "FMT-4 error 6"}}},
		{"FMT-4 alias of the description", fm("name: a\nlicense: &x MIT\ndescription: *x\n"), want{skip: true, findings: []string{"FMT-4 error 4"}}},
		{"FMT-4 merge key", fm("name: a\ndescription: d\n<<: {license: MIT}\n"), want{name: "a", invalid: true, findings: []string{"FMT-4 error 4"}}},
		{"FMT-4 no mapping", fm("- a\n"), want{skip: true, findings: []string{"FMT-4 error 2"}}},
		{"FMT-4 two documents", fm("name: a\ndescription: d\n...\nx: y\n"), want{skip: true}},
		{"FMT-4 number as name", fm("name: 007\ndescription: 1.10\n"), want{name: "007", description: "1.10"}},
		{"FMT-5 characters", fm("name: PDF_x\ndescription: d\n"), want{name: "PDF_x", invalid: true, findings: []string{"FMT-5 error 2"}}},
		{"FMT-5 other scripts", fm("name: данные-1\ndescription: d\n"), want{name: "данные-1", quiet: true}},
		{"FMT-5 hyphens", fm("name: a--b\ndescription: d\n"), want{invalid: true, findings: []string{"FMT-5 error 2"}}},
		{"FMT-5 long", fm("name: " + strings.Repeat("a", 65) + "\ndescription: d\n"), want{invalid: true, findings: []string{"FMT-5 error 2"}}},
		{"FMT-7 license", fm("name: a\ndescription: d\nlicense: [MIT]\n"), want{invalid: true, findings: []string{"FMT-7 error 4"}}},
		{"FMT-7 compatibility", fm("name: a\ndescription: d\ncompatibility: " + strings.Repeat("x", 501) + "\n"), want{invalid: true, findings: []string{"FMT-7 error 4"}}},
		{"FMT-13 raw control character", fm("name: a\ndescription: a\x1bb\n"), want{description: "a\x1bb", repaired: true, findings: []string{"FMT-4 error 3", "FMT-11 warning 3"}}},
		{"FMT-13 only the broken line is read anew", fm("name: a\ndescription: a: b # c\nlicense: MIT # d\n"), want{description: "a: b # c", repaired: true}},
		{"FMT-13 nested values are not repaired", fm("name: a\ndescription: d\nmetadata:\n  x: a: b\n"), want{skip: true, findings: []string{"FMT-4 error 5"}}},
		{"FMT-13 no endless repair", fm("name: a\ndescription: d\n" + strings.Repeat("k: a: b\n", 40)), want{skip: true}},
		{"E08 reported", fm("name: a\ndescription: \"Nice\\e[2K\\rTrusted\"\n"), want{description: "Nice\x1b[2K\rTrusted", findings: []string{"FMT-11 warning 3"}}},
		{"A19 unknown and vendor fields", fm("name: a\ndescription: d\nmodel: x\ncontext: fork\nversion: 1\ndescriptoin: typo\nuser_invocable: false\nuser-invokable: false\nName: b\ncolour: red\n"),
			want{name: "a", findings: []string{"FMT-10 info 4", "FMT-10 info 5", "FMT-10 info 6", "FMT-10 warning 7", "FMT-10 warning 8", "FMT-10 warning 9", "FMT-10 warning 10", "FMT-10 warning 11"}}},
		{"FMT-4 LS, PS and NEL are no line breaks in YAML 1.2", fm("name: a\ndescription: x\u2028y: z\u0085# \u2029w\nlicense: \"a\\Lb\u2028c\"\n"), want{invalid: true, repaired: true, description: "x\u2028y: z\u0085# \u2029w"}},
		{"FMT-4 LS in plain text", fm("name: a\ndescription: x\u2028y\u0085z\n"), want{description: "x\u2028y\u0085z"}},
		{"FMT-12 lines are those of an editor", fm("name: a\ndescription: \"x\u2028y\"\nlicense: [z]\n"), want{invalid: true, findings: []string{"FMT-7 error 4"}}},
		{"C10 both flags", fm("name: a\ndescription: d\nuser-invocable: false\ndisable-model-invocation: true\n"), want{findings: []string{"ACT-10 warning 4"}}},
		{"ACT-10 unclear", fm("name: a\ndescription: d\nuser-invocable: yes\n"), want{findings: []string{"ACT-10 warning 4"}}},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) { check(t, tt.src, tt.want) })
	}
}

func check(t *testing.T, src string, want want) {
	t.Helper()
	doc := skill.Parse([]byte(src), &skill.ParseOptions{File: "x/SKILL.md"})
	var got []string
	for _, f := range doc.Findings {
		got = append(got, f.Rule+" "+f.Severity.String()+" "+itoa(f.Line))
		if f.File != "x/SKILL.md" || f.Message == "" {
			t.Errorf("finding without file or message: %+v", f)
		}
	}
	for _, f := range want.findings {
		if !slices.Contains(got, f) {
			t.Errorf("no finding %q in %q", f, doc.Findings)
		}
	}
	if want.quiet && len(doc.Findings) > 0 {
		t.Errorf("findings: %q", doc.Findings)
	}
	if doc.Usable() == want.skip {
		t.Fatalf("usable = %v; findings %q", doc.Usable(), doc.Findings)
	}
	if (want.invalid || want.skip) && doc.Valid() {
		t.Errorf("a validator would accept this")
	}
	if want.skip {
		return
	}
	fm := doc.Frontmatter
	if want.name != "" && fm.Name != want.name {
		t.Errorf("name %q, want %q", fm.Name, want.name)
	}
	if want.description != "" && fm.Description != want.description {
		t.Errorf("description %q, want %q", fm.Description, want.description)
	}
	if want.body != "" && doc.Body != want.body {
		t.Errorf("body %q, want %q", doc.Body, want.body)
	}
	if want.tools != nil && !slices.Equal(fm.AllowedTools(), want.tools) {
		t.Errorf("tools %q, want %q", fm.AllowedTools(), want.tools)
	}
	if doc.Repaired != want.repaired {
		t.Errorf("repaired = %v", doc.Repaired)
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestParseA07BodyIsNeverFrontmatter(t *testing.T) {
	doc := skill.Parse([]byte("---\nname: t\ndescription: d\n---\n---\nx: y\n---\n"), nil)
	if doc.Body != "---\nx: y\n---\n" || doc.BodyLine != 5 {
		t.Errorf("body %q from line %d", doc.Body, doc.BodyLine)
	}
}

func TestParseA06Offset(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"---\nname: \xff", "offset 10"},
		{"\ufeff---\nname: \xff", "offset 13"},
		{"---\r\nname: \xc3(", "offset 11"},
	} {
		doc := skill.Parse([]byte(tt.src), nil)
		if len(doc.Findings) != 1 || !strings.Contains(doc.Findings[0].Message, tt.want) {
			t.Errorf("%q: %q, want %s", tt.src, doc.Findings, tt.want)
		}
	}
}

func TestParseA19Hints(t *testing.T) {
	for key, hint := range map[string]string{"descriptoin": "description", "user_invocable": "user-invocable", "user-invokable": "user-invocable",
		"allowed_tools": "allowed-tools", "Licence": "license", "meta-data": "metadata", "colour": "", "tags": "", "author": ""} {
		doc := skill.Parse([]byte("---\nname: a\ndescription: d\n"+key+": x\n---\n"), nil)
		if len(doc.Findings) != 1 {
			t.Fatalf("%s: %q", key, doc.Findings)
		}
		_, got, _ := strings.Cut(doc.Findings[0].Message, "did you mean ")
		if got = strings.TrimSuffix(got, "?"); got != hint {
			t.Errorf("%s: hint %q, want %q", key, got, hint)
		}
	}
}

func TestParseFMT5DirectoryName(t *testing.T) {
	src := []byte("---\nname: acme-best-practices\ndescription: d\n---\n")
	if doc := skill.Parse(src, &skill.ParseOptions{Dir: "best-practices"}); doc.Valid() || !doc.Usable() {
		t.Errorf("A24: %q", doc.Findings)
	}
	// é as one code point and as two are the same name (NFKC).
	src = []byte("---\nname: caf\u00e9\ndescription: d\n---\n")
	if doc := skill.Parse(src, &skill.ParseOptions{Dir: "cafe\u0301"}); !doc.Valid() {
		t.Errorf("NFKC: %q", doc.Findings)
	}
}

// TestParseDepth holds the parser to bounded work on what would nest without end.
func TestParseDepth(t *testing.T) {
	for _, unit := range []string{"[", "{a: ", "- ", "? ", "&a [", "!x [", "*a "} {
		src := "---\nname: a\ndescription: d\nx: " + strings.Repeat(unit, skill.MaxHead/len(unit)) + "\n---\n"
		skill.Parse([]byte(src), nil)
	}
	deep := "---\nname: a\ndescription: d\nx: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n---\n"
	if doc := skill.Parse([]byte(deep), nil); doc.Usable() {
		t.Error("100 levels were accepted")
	}
}
