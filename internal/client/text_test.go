// SPDX-License-Identifier: Apache-2.0

package client

import (
	"slices"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/acp"
)

// flat writes blocks as a text with marks.
func flat(blocks []acp.ContentBlock) string {
	var b strings.Builder
	for _, block := range blocks {
		switch block := block.(type) {
		case *acp.Text:
			b.WriteString(block.Text)
		case *acp.SkillReference:
			b.WriteString(markStart + block.Name + markEnd)
		}
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		front      []string
		literal    bool
		want       string // blocks, parted by |
		err        string
	}{
		{name: "text alone", text: "hello", want: "hello"},
		{name: "in front", text: "hello", front: []string{"a", "b"}, want: "<a>|<b>|hello"},
		{name: "skills alone", front: []string{"a"}, want: "<a>"},
		{name: "inside", text: "do {{skill:a}} then {{skill:b}}.", want: "do |<a>| then |<b>|."},
		{name: "side by side", text: "{{skill:a}}{{skill:a}}", want: "<a>|<a>"},
		{name: "blanks in the mark", text: "{{skill: a }}", want: "<a>"},
		{name: "qualified", text: "{{skill:user:tdd}}", want: "<user:tdd>"},
		{name: "white space around is text", text: " \n{{skill:a}}\n", want: " \n|<a>|\n"},
		{name: "other braces", text: "{{ .Name }} {{skill}}", want: "{{ .Name }} {{skill}}"},
		{name: "literal", text: "{{skill:a}}", literal: true, want: "{{skill:a}}"},
		{name: "literal with front", text: "{{skill:", front: []string{"a"}, literal: true, want: "<a>|{{skill:"},
		{name: "nothing", err: "nothing to say"},
		{name: "no name", text: "{{skill:  }}", err: "names no skill"},
		{name: "not closed", text: "a {{skill:b", err: `"{{skill:b" is not closed`},
		{name: "closed on another line", text: "{{skill:b\n}}", err: "not closed"},
		{name: "empty flag", front: []string{""}, err: "name is empty"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			blocks, err := Parse(tc.text, tc.front, tc.literal)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error %v, not %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range blocks {
				switch b := b.(type) {
				case *acp.Text:
					got = append(got, b.Text)
				case *acp.SkillReference:
					got = append(got, "<"+b.Name+">")
				}
			}
			if s := strings.Join(got, "|"); s != tc.want {
				t.Errorf("got %q, not %q", s, tc.want)
			}
		})
	}
}

func TestNamesAreDistinctAndInOrder(t *testing.T) {
	blocks, err := Parse("{{skill:b}} {{skill:a}} {{skill:b}}", []string{"c"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := Names(blocks); !slices.Equal(got, []string{"c", "b", "a"}) {
		t.Errorf("got %q", got)
	}
}

// Whatever is parsed, nothing of the text is lost or added.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "x", "{{skill:a}}", "a{{skill:b}}c{{skill:d", "{{skill:{{skill:a}}}}", "{{skill:\n}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		blocks, err := Parse(text, nil, false)
		if err != nil {
			return
		}
		again, err := Parse(flat(blocks), nil, false)
		if err != nil {
			t.Fatalf("%q became %q, which is refused: %v", text, flat(blocks), err)
		}
		if a, b := flat(blocks), flat(again); a != b {
			t.Errorf("%q, then %q", a, b)
		}
		for _, b := range blocks {
			switch b := b.(type) {
			case *acp.Text:
				if b.Text == "" || !strings.Contains(text, b.Text) {
					t.Errorf("the text block %q is not of %q", b.Text, text)
				}
			case *acp.SkillReference:
				if b.Name == "" || !strings.Contains(text, b.Name) {
					t.Errorf("the skill %q is not of %q", b.Name, text)
				}
			}
		}
	})
}
