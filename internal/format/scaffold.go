// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

// NewOptions are the flags of the new command.
type NewOptions struct {
	Description string
	License     string
	Dir         string // in which the skill's directory is made
	Force       bool
	JSON        bool
}

// made is what --json prints.
type made struct {
	Name     string          `json:"name"`
	File     string          `json:"file"`
	Replaced bool            `json:"replaced"`
	Findings []skill.Finding `json:"findings"`
}

// New is the new command: a skill's directory with a SKILL.md. What it is not told it
// asks at a terminal. It writes nothing that a validator calls an error, and nothing in
// the place of a file that is there unless it is forced to.
func New(ctx context.Context, o NewOptions, name string, std cli.Streams) error {
	var person io.Reader
	if name == "" || o.Description == "" {
		person = cli.Person(std.In, std.Err, false)
	}
	if err := o.complete(&name, person, std.Err); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return cannot(ctx, err)
	}
	text := scaffold(name, skill.Sanitize(o.Description), skill.Sanitize(o.License))
	if err := refuse(name, text); err != nil {
		return err
	}
	dir := filepath.Join(o.Dir, name)
	file := filepath.Join(dir, "SKILL.md")
	m := made{Name: name, File: file}
	old, err := existing(dir)
	switch {
	case err != nil:
		return cannot(ctx, err)
	case old != "" && !o.Force:
		return cli.Usagef("%s is there already: choose another name or --dir, or replace it with --force", filepath.Join(dir, old))
	case old != "" && old != "SKILL.md":
		return cli.Usagef("%s is there already, and would then be a second one: remove it or rename it to SKILL.md first", filepath.Join(dir, old))
	}
	if m.Replaced = old != ""; m.Replaced {
		err = replaceWhole(dir, file, text)
	} else {
		err = create(dir, file, text)
	}
	if err != nil {
		return &cli.ExitError{Status: exitCannot, Err: fmt.Errorf("%s cannot be written: %s", file, cause(err))}
	}
	r, err := skill.Validate(file, nil)
	if err != nil {
		return cannot(ctx, err)
	}
	m.Findings = append([]skill.Finding{}, r.Findings...)
	if o.JSON {
		return cli.WriteJSON(std.Out, m)
	}
	return m.print(std, r)
}

func (m made) print(std cli.Streams, r *skill.Report) error {
	did := "made"
	if m.Replaced {
		did = "replaced"
	}
	if _, err := fmt.Fprintf(std.Out, "%s %s\n", did, safePath(m.File)); err != nil {
		return err
	}
	p := newText(PrinterOptions{Out: std.Out, Color: colored(std)})
	if err := p.Print(&Checked{Path: m.File, Skill: true, Src: r.Source, Findings: r.Findings}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(std.Out, "write the instructions into it; then: skillgraft validate %s\n", safePath(filepath.Dir(m.File)))
	return err
}

// refuse says what is wrong with a name or description, before anything is written.
func refuse(name, text string) error {
	if name != filepath.Base(name) || !filepath.IsLocal(name) {
		return cli.Usagef("%q is no name of a skill but a path: give the name alone, and with --dir the directory to make it in", name)
	}
	doc := skill.Parse([]byte(text), &skill.ParseOptions{Dir: name})
	for _, f := range doc.Findings {
		if f.Severity != skill.Error {
			continue
		}
		hint := ""
		if better := betterName(name); f.Rule == "FMT-5" && better != "" && better != name {
			hint = fmt.Sprintf(": %q would do", better)
		}
		return cli.Usagef("%s%s (%s)", f.Message, hint, f.Rule)
	}
	return nil
}

// betterName is the valid name that is nearest to what was typed, or "".
func betterName(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKC.String(name) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte('-')
		}
	}
	parts := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' })
	out := []rune(strings.Join(parts, "-"))
	return strings.TrimRight(string(out[:min(len(out), skill.MaxName)]), "-")
}

// existing is the name of the file that makes dir a skill already, or "". A directory
// without one may be there, with files for the skill.
func existing(dir string) (string, error) {
	entries, err := readDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return "", err
	}
	exact, near := skillEntry(entries)
	switch {
	case exact != nil:
		return exact.Name(), nil
	case near != nil:
		return near.Name(), nil
	}
	return "", nil
}

func create(dir, file, text string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// replaceWhole puts the text in the place of a file's, which must be in dir itself.
func replaceWhole(dir, file, text string) error {
	st, err := os.Lstat(file)
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return errors.New("it is no regular file; remove it yourself")
	}
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	return replaceFile(resolved(abs), file, old, []byte(text))
}

// scaffold is the SKILL.md of a new skill.
func scaffold(name, description, license string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %s\n", yamlText("name", name), yamlText("description", description))
	if license != "" {
		fmt.Fprintf(&b, "license: %s\n", yamlText("license", license))
	}
	title := []rune(strings.ReplaceAll(name, "-", " "))
	if len(title) > 0 {
		title[0] = unicode.ToUpper(title[0])
	}
	fmt.Fprintf(&b, `---

# %s

Write here what the agent has to know before it begins.

## Steps

1. Write each step as an instruction, with the command to run.
2. Say how to tell that the step has worked, and what to do when it has not.

## Example

Write down a request and the result that it should have.
`, string(title))
	return b.String()
}

// yamlText writes a text as a YAML scalar: plain where every parser reads it back as the
// same text and ours has nothing to say about it, else in double quotes.
func yamlText(key, s string) string {
	plain := skill.Parse([]byte("---\n"+key+": "+s+"\n---\n"), nil)
	if plain.Frontmatter != nil && !plain.Repaired && !typed(s) && !strings.Contains(s, " #") {
		if v := plain.Frontmatter.Get(key); v != nil && v.Kind == skill.Scalar && v.Plain && v.Text == s {
			return s
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// typed reports whether some YAML parser takes a plain scalar for something else than
// text: a number, a date, a boolean or null.
func typed(s string) bool {
	switch strings.ToLower(s) {
	case "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return strings.Trim(s, "0123456789.-+_:eExX") == ""
}
