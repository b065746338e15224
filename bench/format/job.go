// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/skillgraft/skillgraft/skill/catalog"
)

// A job is a tree and how it is looked at. Children get it as JSON.
type job struct {
	// Roots are the directories that hold skills, for who looks without a catalog.
	Roots []string `json:"roots"`
	// Workspace, Home and Extra are the same for a catalog.
	Workspace []string `json:"workspace,omitempty"`
	Home      string   `json:"home,omitempty"`
	Extra     []string `json:"extra,omitempty"`
	// MaxDepth and MaxDirs are zero for the usual bounds.
	MaxDepth int `json:"max_depth,omitempty"`
	MaxDirs  int `json:"max_dirs,omitempty"`
	// Rescans is how often a scanning process looks again.
	Rescans int `json:"rescans,omitempty"`
}

// options trusts the tree: what is compared then does not depend on where links lead.
func (j *job) options() catalog.Options {
	return catalog.Options{Workspace: j.Workspace, Home: j.Home, Extra: j.Extra, MaxDepth: j.MaxDepth, MaxDirs: j.MaxDirs,
		Trusted: func(string) bool { return true }}
}

func (j *job) depth() int {
	if j.MaxDepth > 0 {
		return j.MaxDepth
	}
	return catalog.DefaultMaxDepth
}

// corpusJob looks at all of a directory, however deep and wide.
func corpusJob(dir string) (*job, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	if fi, err := os.Stat(real); err != nil || !fi.IsDir() {
		return nil, errors.Join(err, fmt.Errorf("-corpus %s: not a directory", dir))
	}
	return &job{Roots: []string{real}, Extra: []string{real}, MaxDepth: 64, MaxDirs: 1 << 30, Rescans: rescans}, nil
}

const rescans = 3

// settle is how long files must have rested before equal times prove to a
// rescan that they have not changed. A tree that is in use has rested.
const settle = 2500 * time.Millisecond

// generate writes n skills in eight roots, two for each place that has them by
// default: the working directory, the git root above it, the home directory,
// and two configured ones. No root holds more than the usual bound allows.
func generate(dir string, n int) (*job, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	repo := filepath.Join(dir, "repo")
	work, home := filepath.Join(repo, "service"), filepath.Join(dir, "home")
	j := &job{Workspace: []string{work}, Home: home, Rescans: rescans}
	for _, base := range []string{work, repo, home} {
		j.Roots = append(j.Roots, filepath.Join(base, ".agents", "skills"), filepath.Join(base, ".claude", "skills"))
	}
	for _, name := range []string{"team", "company"} {
		j.Extra = append(j.Extra, filepath.Join(dir, name))
	}
	j.Roots = append(j.Roots, j.Extra...)
	for _, d := range append(j.Roots, filepath.Join(repo, ".git")) {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	body := strings.Repeat("Read the file that the step before has written, and say which of its lines changed.\n", 75)
	for i := range n {
		name := fmt.Sprintf("skill-%05d", i)
		at := filepath.Join(j.Roots[i%len(j.Roots)], name)
		if err := os.Mkdir(at, 0o700); err != nil {
			return nil, err
		}
		text := "---\n" + head(name, i) + "---\n\n# " + name + "\n\n" + body
		if err := os.WriteFile(filepath.Join(at, "SKILL.md"), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// head is a frontmatter in one of the shapes that public skills have: most are
// plain lines, the others need all of a YAML parser.
func head(name string, i int) string {
	first := "name: " + name + "\n"
	switch i % 5 {
	case 0:
		return first + "description: Extracts text and tables from reports, fills forms and merges documents. Use when the user mentions any of them.\n" +
			"license: Apache-2.0\nmetadata:\n  author: example\n  version: \"1.0\"\n"
	case 1:
		return first + "description: Reviews a change for mistakes that tests do not find. Use before a change is merged.\n"
	case 2:
		return first + "description: \"Plans the work: first the data, then the screens. Use when a task has several parts.\"\n" +
			"allowed-tools: Read Grep Bash(git log *)\n"
	case 3:
		return first + "description: |\n  Writes notes of a release.\n\n  Use when the user asks what is new,\n  or prepares one.\nlicense: MIT\n"
	}
	return first + "description: >-\n  Looks after a database, its schema — and what moves it.\n  Use when a table changes.\n" +
		"metadata:\n  tags:\n    - data\n    - schema\n  version: 1.10\n"
}
