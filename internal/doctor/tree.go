// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/skill"
)

// A node is a directory on the way to skills, or the directory of one.
type node struct {
	name     string
	notes    []string // what is said behind the name, first on its line
	children []*node
}

// child finds or makes the node of a path below n.
func (n *node) child(path string) *node {
	for _, name := range strings.Split(filepath.ToSlash(path), "/") {
		if name == "." {
			continue
		}
		i := slices.IndexFunc(n.children, func(c *node) bool { return c.name == name })
		if i < 0 {
			i = len(n.children)
			n.children = append(n.children, &node{name: name})
		}
		n = n.children[i]
	}
	return n
}

// PrintTree shows skills where they lie, root by root in their order of precedence
// (DSC-1). With all it also shows what had to be left out, in its place.
func PrintTree(w io.Writer, f *Found, places []Place, all bool) {
	for _, p := range places {
		root := &node{name: p.Dir}
		for _, s := range f.Skills {
			if s.Root == p.Dir {
				put(root, s.Path, treeNotes(s, all)...)
			}
		}
		for _, x := range f.Findings {
			if all && x.Skip {
				put(root, x.File, "left out: "+x.Message+" ("+x.Rule+")")
			}
		}
		if len(root.children)+len(root.notes) > 0 {
			fmt.Fprintf(w, "%s (%s)%s\n", skill.Sanitize(p.Dir), p.Scope, behind(root))
			printChildren(w, root, "")
		}
	}
	if len(f.Skills) == 0 {
		printNone(w)
	}
}

// put notes something at the directory of a file, if that lies below the root.
func put(root *node, file string, notes ...string) {
	rel, err := filepath.Rel(root.name, filepath.Dir(file))
	if file == "" || err != nil || !filepath.IsLocal(rel) {
		return
	}
	n := root.child(rel)
	n.notes = append(n.notes, notes...)
}

func treeNotes(s FoundSkill, all bool) []string {
	notes := []string{short(s.Description)}
	if s.Name != filepath.Base(filepath.Dir(s.Path)) {
		notes[0] = skill.Sanitize(s.Name) + ": " + notes[0]
	}
	if s.ShadowedBy != "" {
		notes = append(notes, fmt.Sprintf("shadowed: %q means %s", s.OwnName, s.ShadowedBy))
	}
	if all {
		for _, path := range s.Copies {
			notes = append(notes, "same content: "+path)
		}
		for _, path := range s.Aliases {
			notes = append(notes, "same file: "+path)
		}
	}
	return notes
}

func printChildren(w io.Writer, n *node, indent string) {
	for i, c := range n.children {
		branch, below := "├── ", "│   "
		if i == len(n.children)-1 {
			branch, below = "└── ", "    "
		}
		fmt.Fprintf(w, "%s%s%s%s\n", indent, branch, skill.Sanitize(c.name), behind(c))
		more := indent + below
		for j := 1; j < len(c.notes); j++ {
			stem := "  "
			if len(c.children) > 0 {
				stem = "│ "
			}
			fmt.Fprintf(w, "%s%s  %s\n", more, stem, skill.Sanitize(c.notes[j]))
		}
		printChildren(w, c, more)
	}
}

// behind is what stands on the line of a node's name.
func behind(n *node) string {
	if len(n.notes) == 0 {
		return ""
	}
	return "  " + skill.Sanitize(n.notes[0])
}
