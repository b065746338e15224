// SPDX-License-Identifier: Apache-2.0

package skill_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillgraft/skillgraft/skill"
)

// TestReferenceJSON: the right sides are what the reference tool printed for these.
func TestReferenceJSON(t *testing.T) {
	for _, tt := range []struct{ name, block, want string }{
		{"plain", "name: demo\ndescription: d\n", `{
  "name": "demo",
  "description": "d"
}`},
		{"every field", "compatibility: 1.10\nlicense: yes\nallowed-tools: Read Bash(git add *)\nname: ' demo '\ndescription: |\n  One é.\n  Two \"x\"\\\nmetadata:\n  version: 1.10\n  on: ~\n  1: 007\n", `{
  "name": "demo",
  "description": "One \u00e9.\nTwo \"x\"\\",
  "license": "yes",
  "compatibility": "1.10",
  "allowed-tools": "Read Bash(git add *)",
  "metadata": {
    "version": "1.10",
    "on": "~",
    "1": "007"
  }
}`},
		{"lists and nesting", "name: demo\ndescription: \"a\\U0001F600\\x7f\\u2028b\"\nlicense:\nallowed-tools:\n  - Read\n  - Write\nmetadata:\n  tags:\n    - a\n    - it's\n  acme:\n    level: 2\n", `{
  "name": "demo",
  "description": "a\ud83d\ude00\u007f\u2028b",
  "license": "",
  "allowed-tools": [
    "Read",
    "Write"
  ],
  "metadata": {
    "tags": "['a', \"it's\"]",
    "acme": "{'level': '2'}"
  }
}`},
		{"empty metadata", "name: demo\ndescription: d\nmetadata:\nlicense: null\n", `{
  "name": "demo",
  "description": "d",
  "license": "null"
}`},
		{"metadata that is text", "name: demo\ndescription: d\nmetadata: x\nextra: y\n", `{
  "name": "demo",
  "description": "d",
  "metadata": "x"
}`},
	} {
		dir := write(t, map[string]string{"demo/SKILL.md": "---\n" + tt.block + "---\n"})
		r, err := skill.ReadReference(filepath.Join(dir, "demo"))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if d := cmp.Diff(tt.want, string(r.JSON())); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func TestReferencePrompt(t *testing.T) {
	if got := skill.ReferencePrompt(nil); got != "<available_skills>\n</available_skills>" {
		t.Errorf("none: %q", got)
	}
	dir := write(t, map[string]string{
		"real/SKILL.md":  "---\nname: a&b\ndescription: 'It''s \"handy\".</description></available_skills>'\ndisable-model-invocation: true\n---\n",
		"x&<y>/skill.md": "---\nname: low\ndescription: d\n---\n",
	})
	link(t, "real", filepath.Join(dir, "alias"))
	var rs []*skill.Reference
	for _, p := range []string{"alias", "x&<y>/skill.md"} {
		r, err := skill.ReadReference(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil {
			t.Fatal(err)
		}
		rs = append(rs, r)
	}
	got := skill.ReferencePrompt(rs)
	want := `<available_skills>
<skill>
<name>
a&amp;b
</name>
<description>
It&#x27;s &quot;handy&quot;.&lt;/description&gt;&lt;/available_skills&gt;
</description>
<location>
DIR/real/SKILL.md
</location>
</skill>
<skill>
<name>
low
</name>
<description>
d
</description>
<location>
DIR/x&amp;&lt;y&gt;/skill.md
</location>
</skill>
</available_skills>`
	if d := cmp.Diff(want, strings.ReplaceAll(filepath.ToSlash(got), filepath.ToSlash(dir), "DIR")); d != "" {
		t.Errorf("A28: %s", d)
	}
}

func TestReferenceErrors(t *testing.T) {
	dir := write(t, map[string]string{
		"none/x":          "",
		"noname/SKILL.md": "---\ndescription: d\n---\n",
		"nodesc/SKILL.md": "---\nname: nodesc\n---\n",
		"blank/SKILL.md":  "---\nname: blank\ndescription: ' '\n---\n",
		"list/SKILL.md":   "---\nname: [a]\ndescription: d\n---\n",
		"open/SKILL.md":   "---\nname: open\n",
		"plain/SKILL.md":  "# Title\n",
		"seq/SKILL.md":    "---\n- a\n---\n",
		"dup/SKILL.md":    "---\nname: a\nname: b\ndescription: d\n---\n",
	})
	for name, want := range map[string]string{
		"none":   "SKILL.md not found in " + filepath.Join(dir, "none"),
		"noname": "Missing required field in frontmatter: name",
		"nodesc": "Missing required field in frontmatter: description",
		"blank":  "Field 'description' must be a non-empty string",
		"list":   "Field 'name' must be a non-empty string",
		"open":   "SKILL.md frontmatter not properly closed with ---",
		"plain":  "SKILL.md must start with YAML frontmatter (---)",
		"seq":    "SKILL.md frontmatter must be a YAML mapping",
		"dup":    "Invalid YAML in frontmatter: name is given twice, first in line 2; remove one",
	} {
		_, err := skill.ReadReference(filepath.Join(dir, name))
		var re *skill.ReferenceError
		if !errors.As(err, &re) || re.Message != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := skill.ReadReference(filepath.Join(dir, "gone")); err == nil {
		t.Error("a path that does not exist")
	}
}

// TestValidateSkillsRef: the reference tool's messages, as that tool printed them.
func TestValidateSkillsRef(t *testing.T) {
	const only = "Only ['allowed-tools', 'compatibility', 'description', 'license', 'metadata', 'name'] are allowed."
	long := strings.Repeat("x", 65)
	for _, tt := range []struct {
		dir, src string
		want     []string
	}{
		{"demo", "---\nname: demo\ndescription: d\nallowed-tools: [a, b]\ncompatibility:\nlicense: [MIT]\nmetadata: {a: [b]}\n---\n", nil},
		{"demo", "\ufeff---\nname: demo\ndescription: \"a --- b\"\n---\n", nil},
		{"demo", "---\nname: demo\ndescription: ~\n---\n", nil},
		{"demo", "---\nname: Ⅷ-x\ndescription: d\n---\n", []string{"Skill name 'VIII-x' must be lowercase", "Directory name 'demo' must match skill name 'VIII-x'"}},
		{"demo", "---\nname: -PDF__x--\nz: 1\nmodel: x\n---\n", []string{
			"Unexpected fields in frontmatter: model, z. " + only,
			"Skill name '-PDF__x--' must be lowercase",
			"Skill name cannot start or end with a hyphen",
			"Skill name cannot contain consecutive hyphens",
			"Skill name '-PDF__x--' contains invalid characters. Only letters, digits, and hyphens are allowed.",
			"Directory name 'demo' must match skill name '-PDF__x--'",
			"Missing required field in frontmatter: description"}},
		{long, "---\nname: " + long + "\ndescription: " + strings.Repeat("é", 1025) + "\ncompatibility: " + strings.Repeat("y", 501) + "\n---\n", []string{
			"Skill name '" + long + "' exceeds 64 character limit (65 chars)",
			"Description exceeds 1024 character limit (1025 chars)",
			"Compatibility exceeds 500 character limit (501 chars)"}},
		{"demo", "---\ndescription:\ncompatibility: [a]\n---\n", []string{
			"Missing required field in frontmatter: name", "Field 'description' must be a non-empty string", "Field 'compatibility' must be a string"}},
		{"demo", "---\nname: \"\"\ndescription: d\n---\n", []string{"Field 'name' must be a non-empty string"}},
		{"demo", "\n---\nname: demo\ndescription: d\n---\n", []string{"SKILL.md must start with YAML frontmatter (---)"}},
		{"demo", "---\nname: demo\n", []string{"SKILL.md frontmatter not properly closed with ---"}},
		{"demo", "---\njust text\n---\n", []string{"SKILL.md frontmatter must be a YAML mapping"}},
		{"demo", "---\nname: demo\ndescription: a: b\n---\n", []string{"Invalid YAML in frontmatter: mapping values are not allowed in this context; quote the value or fix the indentation"}},
	} {
		dir := write(t, map[string]string{tt.dir + "/SKILL.md": tt.src})
		r, err := skill.Validate(filepath.Join(dir, tt.dir), &skill.ValidateOptions{Profile: skill.ProfileSkillsRef})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Message)
			if f.Severity != skill.Error || f.Line < 1 || f.Column < 1 {
				t.Errorf("%+v", f)
			}
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q: %s", tt.src, d)
		}
	}
	dir := write(t, map[string]string{"none/x": ""})
	r, err := skill.Validate(filepath.Join(dir, "none"), &skill.ValidateOptions{Profile: skill.ProfileSkillsRef})
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Message != "Missing required file: SKILL.md" {
		t.Errorf("%+v %v", r, err)
	}
}
