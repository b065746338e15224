// SPDX-License-Identifier: Apache-2.0

package skill_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/skillgraft/skillgraft/skill"
)

// files stands for a directory of skills. [skill.Load] reads one from disk the same way.
var files = fstest.MapFS{
	"pdf/SKILL.md": {Data: []byte(`---
name: pdf
description: Extracts text from PDF files. Use when the user mentions a PDF.
metadata:
  short-description: Work with PDFs
---
Run scripts/extract.py with the file's name.
`)},
	"pdf/scripts/extract.py": {Data: []byte("print('text')\n")},
}

// A program lists skills by what their heads say, and reads a body when it is wanted.
func Example() {
	s, err := skill.LoadFS(files, "pdf", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Name, "-", s.DisplayDescription())

	a, err := s.Activate(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Wrapped())
	// Output:
	// pdf - Work with PDFs
	// <skill_content name="pdf">
	// Run scripts/extract.py with the file's name.
	//
	// <skill_resources>
	//   <file>scripts/extract.py</file>
	// </skill_resources>
	// </skill_content>
}

// A validator shows findings; a loader would repair this file and warn.
func ExampleParse() {
	src := []byte("---\nname: meal-plan\ndescription: Plan meals: breakfast, lunch\n---\n")
	doc := skill.Parse(src, &skill.ParseOptions{File: "meal-plan/SKILL.md", Dir: "meal-plan"})
	fmt.Println(doc.Valid(), doc.Usable(), doc.Frontmatter.Description)
	for _, f := range doc.Findings {
		fmt.Println(f)
	}
	// Output:
	// false true Plan meals: breakfast, lunch
	// meal-plan/SKILL.md:3:24: error: the frontmatter is not valid YAML: a colon with a blank behind it would start another value: put the whole value in quotes (FMT-4)
	// meal-plan/SKILL.md:3:1: warning: the value of description was read as if it were quoted; put it in quotes (FMT-13)
}

func ExamplePrompt() {
	s, err := skill.LoadFS(files, "pdf", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(skill.Prompt([]*skill.Skill{s}))
	// Output:
	// <available_skills>
	//   <skill>
	//     <name>pdf</name>
	//     <description>Extracts text from PDF files. Use when the user mentions a PDF.</description>
	//   </skill>
	// </available_skills>
}

// A tool for authors shows what is wrong, mends what is mechanical, and explains the rest.
func ExampleMend() {
	src := []byte("---\nname: meal-plan\ndescription: Plan meals: breakfast, lunch\nallowed-tools: [Read, Write]\n---\n")
	out, mended := skill.Mend(src, nil)
	for _, f := range mended {
		fmt.Println(f.Rule, f.Fix.Message)
	}
	fmt.Print(string(out))
	rule, _ := skill.Explain("FMT-9")
	fmt.Println(rule.Title)
	// Output:
	// FMT-4 put the value in quotes
	// FMT-13 put the value in quotes
	// FMT-9 write the entries as one line with blanks between them
	// ---
	// name: meal-plan
	// description: "Plan meals: breakfast, lunch"
	// allowed-tools: Read Write
	// ---
	// allowed-tools is one line
}
