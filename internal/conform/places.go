// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"os"
	"path/filepath"
	"strings"
)

// places are the directories of one check: a workspace with skills, which no
// other check sees, and another root with one more.
type places struct {
	base  string
	work  string // the session's working directory
	extra string // an additional directory
}

// The names of the skills in a workspace. Each stands in .agents/skills and, with
// other text, in .claude/skills: so agents that read one of the two find it, and
// those that read both have a clash to settle (ACP-A4).
const (
	skillOne    = "conform-one"
	skillTwo    = "conform-two"
	skillHidden = "conform-model-only" // user-invocable: false
	skillExtra  = "conform-extra"      // in the additional directory
	skillLate   = "conform-late"       // comes while the session is open
)

// skillDirs are where skills stand under a root.
func skillDirs() []string { return []string{".agents/skills", ".claude/skills"} }

func newPlaces(under string) (places, error) {
	base, err := os.MkdirTemp(under, "conform-")
	if err != nil {
		return places{}, err
	}
	// An agent may say the real path of a file, and is right.
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	p := places{base: base, work: filepath.Join(base, "work"), extra: filepath.Join(base, "extra")}
	err = p.write(p.work, skillOne, "description: >\n  First skill of the checker. It tells a whole story, written for a model,\n  about when it is of use.\nmetadata:\n  short-description: First skill of the checker")
	if err == nil {
		err = p.write(p.work, skillTwo, "description: Second skill of the checker. Use it never.")
	}
	if err == nil {
		err = p.write(p.work, skillHidden, "description: A skill for models only.\nuser-invocable: false")
	}
	if err == nil {
		err = p.write(p.extra, skillExtra, "description: A skill of another root.")
	}
	if err != nil {
		p.remove()
		return places{}, err
	}
	return p, nil
}

// write puts a skill into a root.
func (p places) write(root, name, frontmatter string) error {
	for i, dir := range skillDirs() {
		at := filepath.Join(root, filepath.FromSlash(dir), name)
		if err := os.MkdirAll(at, 0o755); err != nil {
			return err
		}
		text := "---\nname: " + name + "\n" + frontmatter + "\n---\nAnswer with the word CONFORM and nothing else.\n" + strings.Repeat("\n", i)
		if err := os.WriteFile(filepath.Join(at, "SKILL.md"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// drop takes a skill away.
func (p places) drop(root, name string) error {
	for _, dir := range skillDirs() {
		if err := os.RemoveAll(filepath.Join(root, filepath.FromSlash(dir), name)); err != nil {
			return err
		}
	}
	return nil
}

// remove removes everything. What an agent still holds open is left to the system.
func (p places) remove() { _ = os.RemoveAll(p.base) }
