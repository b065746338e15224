// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
	yaml "go.yaml.in/yaml/v4"
)

// A verification counts what a tree's skills are like, and lists what is wrong.
type verification struct {
	counts   map[string]int
	findings map[string]int // by rule and severity, in files
	wrong    []string
}

// verify compares each skill of a tree with a YAML parser's reading, and with the
// reference where there is one.
func (f *settings) verify(ctx context.Context, stdout io.Writer) error {
	j, tree, done, err := f.job()
	if err != nil {
		return err
	}
	defer done()
	dirs, err := skillDirs(j)
	if err != nil {
		return err
	}
	v := verification{counts: map[string]int{}, findings: map[string]int{}}
	for _, dir := range dirs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := v.skill(dir); err != nil {
			return err
		}
	}
	if f.reference != "" {
		ref, err := newReference(f.python, f.reference)
		if err != nil {
			return err
		}
		run, err := ref.run(ctx, dirs, true)
		if err != nil {
			return err
		}
		for _, a := range run.Answers {
			if err := v.answer(a); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(stdout, "%s: %d files\n\n", tree, len(dirs))
	for _, m := range []map[string]int{v.counts, v.findings} {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			fmt.Fprintf(stdout, "%7d  %s\n", m[k], k)
		}
		fmt.Fprintln(stdout)
	}
	for _, w := range v.wrong {
		fmt.Fprintln(stdout, w)
	}
	if len(v.wrong) > 0 {
		return fmt.Errorf("%d differences", len(v.wrong))
	}
	return nil
}

func (v *verification) fail(dir, format string, args ...any) {
	v.wrong = append(v.wrong, dir+": "+fmt.Sprintf(format, args...))
}

// skill compares one skill with what the YAML library makes of its frontmatter.
func (v *verification) skill(dir string) error {
	r, err := skill.Validate(dir, nil)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, f := range r.Findings {
		if k := f.Rule + " " + f.Severity.String(); !seen[k] {
			seen[k] = true
			v.findings[k]++
		}
	}
	s, err := skill.Load(dir, nil)
	if err == nil {
		v.counts["loaded"]++
	} else {
		v.counts["skipped"]++
	}
	if r.Source == nil {
		return nil
	}
	root := block(r.Source)
	if root == nil {
		v.counts["frontmatter that is no valid YAML mapping"]++
		return nil
	}
	v.counts["frontmatter that is a valid YAML mapping"]++
	if field(root, "name") != "" && field(root, "description") != "" {
		v.counts["... with name and description"]++
		if err != nil {
			v.fail(dir, "lost: %v", err)
			return nil
		}
	}
	if err == nil {
		if d := differs(root, s.Frontmatter); d != "" {
			v.fail(dir, "%s", d)
		}
	}
	return nil
}

// block is the frontmatter of a file as the YAML library reads it, or nil when it is
// no mapping with unique keys. It cuts and reads without our parser.
func block(src []byte) *yaml.Node {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	lines := bytes.SplitAfter(src, []byte("\n"))
	fence := func(l []byte) bool { return string(bytes.TrimRight(l, " \t\n")) == "---" }
	if !fence(lines[0]) {
		return nil
	}
	end := slices.IndexFunc(lines[1:], fence)
	if end < 0 {
		return nil
	}
	var doc yaml.Node
	if yaml.Load(bytes.Join(lines[1:end+1], nil), &doc) != nil || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	root := doc.Content[0]
	keys := map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if k := root.Content[i]; k.Kind != yaml.ScalarNode || keys[k.Value] {
			return nil
		}
		keys[root.Content[i].Value] = true
	}
	return root
}

// field is a field that is text and not blank, or "".
func field(root *yaml.Node, name string) string {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if n := root.Content[i+1]; root.Content[i].Value == name && n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			return strings.TrimSpace(n.Value)
		}
	}
	return ""
}

// differs says where the loaded frontmatter is not what the nodes are, or "".
func differs(root *yaml.Node, fm *skill.Frontmatter) string {
	n := 0
	for f := range fm.Fields() {
		if 2*n+1 >= len(root.Content) || root.Content[2*n].Value != f.Key {
			return fmt.Sprintf("field %d is %q", n+1, f.Key)
		}
		if d := valueDiffers(root.Content[2*n+1], f.Value); d != "" {
			return f.Key + ": " + d
		}
		n++
	}
	if 2*n != len(root.Content) {
		return fmt.Sprintf("%d fields of %d", n, len(root.Content)/2)
	}
	return ""
}

func valueDiffers(n *yaml.Node, v *skill.Value) string {
	kinds := map[yaml.Kind]skill.Kind{yaml.ScalarNode: skill.Scalar, yaml.SequenceNode: skill.Sequence,
		yaml.MappingNode: skill.Mapping, yaml.AliasNode: skill.Alias}
	switch {
	case kinds[n.Kind] != v.Kind:
		return "is " + v.Kind.String()
	case v.Kind == skill.Scalar && n.Value != v.Text:
		return fmt.Sprintf("%q, and YAML reads %q", v.Text, n.Value)
	case v.Kind == skill.Sequence && len(v.Items) != len(n.Content), v.Kind == skill.Mapping && 2*len(v.Fields) != len(n.Content):
		return "has another length"
	}
	for i, it := range v.Items {
		if d := valueDiffers(n.Content[i], it); d != "" {
			return d
		}
	}
	for i, f := range v.Fields {
		if k := n.Content[2*i]; k.Kind == yaml.ScalarNode && k.Value != f.Key {
			return fmt.Sprintf("key %q", f.Key)
		}
		if d := valueDiffers(n.Content[2*i+1], f.Value); d != "" {
			return f.Key + ": " + d
		}
	}
	return ""
}

// answer compares the reference's outputs with ours.
func (v *verification) answer(a answer) error {
	ours, err := skill.ReadReference(a.Dir)
	var re *skill.ReferenceError
	switch {
	case err != nil && !errors.As(err, &re):
		return err
	case err != nil && a.Error != "":
		v.counts["reference: neither reads"]++
	case err != nil:
		v.differ(a, "only the reference reads it; we: "+err.Error())
	case a.Error != "":
		v.counts["reference: only we read"]++
	case string(ours.JSON()) != a.Properties:
		v.differ(a, "read-properties:\n"+a.Properties+"\n"+string(ours.JSON()))
	case skill.ReferencePrompt([]*skill.Reference{ours}) != a.Prompt:
		v.differ(a, "to-prompt:\n"+a.Prompt+"\n"+skill.ReferencePrompt([]*skill.Reference{ours}))
	default:
		v.counts["reference: both outputs equal"]++
	}
	r, err := skill.Validate(a.Dir, &skill.ValidateOptions{Profile: skill.ProfileSkillsRef})
	if err != nil {
		return err
	}
	switch {
	case r.Valid() == (len(a.Validate) == 0):
		v.counts["reference: verdict equal"]++
	case r.Valid():
		v.counts["reference: only we accept"]++
	default:
		v.differ(a, "only the reference accepts it; we: "+r.Findings[0].Message)
	}
	return nil
}

// differ is a difference to the reference that needs an explanation, unless the file
// shows the one that has to be told apart for every file: three hyphens that are no fence.
func (v *verification) differ(a answer, what string) {
	for _, name := range []string{"SKILL.md", "skill.md"} {
		src, err := os.ReadFile(filepath.Join(a.Dir, name))
		if err == nil && cutsElsewhere(string(src)) {
			v.counts["reference: cuts where no fence is (docs/skills-ref.md)"]++
			return
		}
	}
	v.fail(a.Dir, "%s", what)
}

// cutsElsewhere reports whether the second "---" of a file, where the reference ends the
// frontmatter, is not a line of its own.
func cutsElsewhere(src string) bool {
	rest, ok := strings.CutPrefix(strings.ReplaceAll(src, "\r\n", "\n"), "---")
	if !ok {
		return false
	}
	i := strings.Index(rest, "---")
	if i < 0 {
		return false
	}
	line, _, _ := strings.Cut(rest[i:], "\n")
	return rest[i-1] != '\n' || strings.TrimRight(line, " \t") != "---"
}
