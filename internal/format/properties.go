// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

// ReadOptions are the flags of the commands that read skills as the reference tool
// does.
type ReadOptions struct {
	Choices cli.Choices
	JSON    bool
}

// Properties is the read-properties command. For one skill it prints what the reference
// tool prints; for none, several, or a directory of skills, an array of that.
func Properties(ctx context.Context, o ReadOptions, args []string, std cli.Streams) error {
	read, err := o.read(ctx, args, std)
	if err != nil {
		return err
	}
	switch {
	case o.JSON:
		err = cli.WriteJSON(std.Out, read.detailed())
	case len(read.skills) == 0 && read.one:
	case read.one:
		_, err = std.Out.Write(append(read.skills[0].ref.JSON(), '\n'))
	default:
		_, err = std.Out.Write(array(read.skills))
	}
	return errors.Join(err, read.status())
}

// ToPrompt is the to-prompt command. For paths it prints what the reference tool prints.
// For the catalog of the working directory it leaves out what a model may not or cannot
// invoke: that is where an agent would take its prompt from (ACT-1, ACT-10).
func ToPrompt(ctx context.Context, o ReadOptions, args []string, std cli.Streams) error {
	read, err := o.read(ctx, args, std)
	if err != nil {
		return err
	}
	var refs []*skill.Reference
	var list []promptEntry
	for _, s := range read.skills {
		if e := s.target.Entry; len(args) == 0 && (e == nil || e.ShadowedBy != nil || !e.ModelInvocable()) {
			continue
		}
		refs = append(refs, s.ref)
		list = append(list, promptEntry{s.ref.Name, s.ref.Description, s.ref.File})
	}
	if o.JSON {
		err = cli.WriteJSON(std.Out, append([]promptEntry{}, list...))
	} else {
		_, err = fmt.Fprintln(std.Out, skill.ReferencePrompt(refs))
	}
	return errors.Join(err, read.status())
}

type promptEntry struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Location    string `json:"location"`
}

// readSkills are skills as the reference tool reads them. One that cannot be read costs no
// other one (FMT-15).
type readSkills struct {
	skills []readSkill
	one    bool // the only argument is a skill, not a place of skills
	failed bool // something was left out, and said on standard error
}

type readSkill struct {
	target Target
	ref    *skill.Reference
}

func (o ReadOptions) read(ctx context.Context, args []string, std cli.Streams) (*readSkills, error) {
	where, err := Where(o.Choices)
	if err != nil {
		return nil, cannot(ctx, err)
	}
	m := newMeter(std.Err)
	defer m.end()
	targets, err := Find(ctx, args, where)
	if err != nil {
		return nil, cannot(ctx, err)
	}
	out := &readSkills{one: len(args) == 1 && targets.direct}
	complain := func(path, message string) {
		m.clear()
		out.failed = true
		fmt.Fprintf(std.Err, "%s: %s\n", safePath(path), skill.Sanitize(message))
	}
	for i, t := range targets.Skills {
		if ctx.Err() != nil {
			return nil, cannot(ctx, ctx.Err())
		}
		m.at(i, len(targets.Skills))
		ref, err := skill.ReadReference(t.given())
		if err != nil {
			complain(t.Path, err.Error())
			continue
		}
		for _, f := range ref.Findings {
			// What the reference tool would have refused the file for; what an agent
			// may be warned of besides is the validator's to say.
			if f.Rule == "FMT-4" || f.Rule == "FMT-13" || f.Rule == "FMT-14" {
				m.clear()
				f.File = ""
				fmt.Fprintf(std.Err, "%s:%s\n", safePath(t.Path), skill.Sanitize(f.String()))
			}
		}
		out.skills = append(out.skills, readSkill{t, ref})
	}
	for _, f := range targets.Notes {
		if f.Severity != skill.Info {
			complain(f.File, f.Message)
		}
	}
	m.end()
	return out, nil
}

func (r *readSkills) status() error {
	if r.failed {
		return cli.Silent(exitFindings)
	}
	return nil
}

// array is the skills as one JSON array, each as the reference tool writes it.
func array(skills []readSkill) []byte {
	if len(skills) == 0 {
		return []byte("[]\n")
	}
	var b bytes.Buffer
	b.WriteString("[")
	for i, s := range skills {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  ")
		b.Write(bytes.ReplaceAll(s.ref.JSON(), []byte("\n"), []byte("\n  ")))
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}

// detail is a skill with every field of its frontmatter, by the mapping of
// [skill.Value.AppendJSON].
type detail struct {
	Path        string          `json:"path"`
	File        string          `json:"file"`
	Frontmatter json.RawMessage `json:"frontmatter"`
	Findings    []skill.Finding `json:"findings"`
}

func (r *readSkills) detailed() []detail {
	out := []detail{}
	for _, s := range r.skills {
		loaded, err := skill.Load(s.target.Dir, nil)
		if err != nil {
			continue // it was there a moment ago
		}
		out = append(out, detail{s.target.Path, s.ref.File, loaded.Frontmatter.JSON(), append([]skill.Finding{}, loaded.Findings...)})
	}
	return out
}
