// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/skill"
)

func TestVerifyGenerated(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-verify", "-smoke"}, nil, &out, io.Discard); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if !strings.Contains(out.String(), "200  loaded") {
		t.Errorf("%s", out.String())
	}
}

// Each kind of difference is seen, and only what a listed fault explains is let go.
func TestVerifyAgainstReference(t *testing.T) {
	dir := tree(t, map[string]string{
		"same/SKILL.md":    text("same", ""),
		"slip/SKILL.md":    text("slip", ""),
		"strict/SKILL.md":  text("strict", "license: [MIT]\nunknown: x\n"),
		"flow/SKILL.md":    text("flow", "metadata: {a: b}\n"),
		"hyphens/SKILL.md": text("hyphens", "license: a --- b\n"),
	})
	var out bytes.Buffer
	err := run(t.Context(), []string{"-verify", "-corpus", dir, "-reference", dir, "-python", self(t)}, nil, &out, io.Discard)
	if err == nil || err.Error() != "2 differences" {
		t.Errorf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		"2  reference: both outputs equal", "1  reference: only we read", "1  reference: only we accept",
		"1  reference: cuts where no fence is", "slip: read-properties", "strict: only the reference accepts it",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// The comparison with YAML must be able to fail.
func TestDiffers(t *testing.T) {
	const block1 = "name: x\ndescription: d\nmetadata:\n  a: [1, 2]\n  b: c\n"
	fm := skill.Parse([]byte("---\n"+block1+"---\n"), nil).Frontmatter
	for _, tc := range []struct{ block, want string }{
		{block1, ""},
		{"name: x\ndescription: e\nmetadata:\n  a: [1, 2]\n  b: c\n", "YAML reads"},
		{"name: x\ndescription: d\nmetadata:\n  a: [1]\n  b: c\n", "another length"},
		{"name: x\ndescription: d\nmetadata:\n  a: [1, 3]\n  b: c\n", "YAML reads"},
		{"name: x\ndescription: d\nmetadata:\n  a: [1, 2]\n  z: c\n", "key"},
		{"name: x\ndescription: d\nmetadata: z\n", "is a mapping"},
		{"name: x\ndescription: d\n", "field 3"},
		{"name: x\nmetadata: z\n", "field 2"},
		{block1 + "more: y\n", "3 fields of 4"},
	} {
		root := block([]byte("---\n" + tc.block + "---\n"))
		if root == nil {
			t.Fatalf("%q is no mapping", tc.block)
		}
		got := differs(root, fm)
		if tc.want == "" && got != "" || tc.want != "" && !strings.Contains(got, tc.want) {
			t.Errorf("%q: %q, want %q", tc.block, got, tc.want)
		}
	}
	for _, src := range []string{"", "text", "---\nname: x\n", "---\n- a\n---\n", "---\na: b: c\n---\n", "---\na: 1\na: 2\n---\n", "---\n---\n"} {
		if block([]byte(src)) != nil {
			t.Errorf("%q has a block", src)
		}
	}
	if root := block([]byte("\ufeff--- \r\nname: x\r\ndescription: ~\r\n---")); root == nil || field(root, "name") != "x" || field(root, "description") != "" {
		t.Errorf("BOM, CRLF and null are not read: %v", root)
	}
}

func TestCutsElsewhere(t *testing.T) {
	for src, want := range map[string]bool{
		"---\na: b\n---\n":        false,
		"---\r\na: b\r\n---\r\n":  false,
		"---\na: b --- c\n---\n":  true,
		"---\na: b\n---# Title\n": true,
		"---\na: b\n----\n":       true,
		"---\na: b\n":             false,
		"text --- text":           false,
	} {
		if got := cutsElsewhere(src); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}
