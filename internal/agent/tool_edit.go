// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/skill"
)

// grantEdits is what the user allows who allows edits for the session.
const grantEdits = "edits"

// maxDiff is the largest patch that is reported, in bytes: a client shows it.
const maxDiff = 256 << 10

func writeTool() *tool {
	return &tool{Tool: model.Tool{Name: "write_file", Description: "Write a file in the session's directories: a new one, or one whose whole content is replaced. The user is asked.", Schema: schema(
		property{name: "path", kind: "string", description: "The file, absolute or relative to the working directory. Directories are made as needed."},
		property{name: "content", kind: "string", description: "The whole content."},
	)}, run: func(ctx context.Context, c *call) outcome {
		var args struct{ Path, Content string }
		if problem, ok := c.args(&args); !ok {
			return problem
		}
		return c.change(ctx, args.Path, func([]byte, bool) ([]byte, error) { return []byte(args.Content), nil })
	}}
}

func editTool() *tool {
	return &tool{Tool: model.Tool{Name: "edit_file", Description: "Replace a text in a file of the session's directories by another one. The user is asked.", Schema: schema(
		property{name: "path", kind: "string", description: "The file, absolute or relative to the working directory."},
		property{name: "old_text", kind: "string", description: "The text to replace, exactly as it stands in the file, with enough around it to occur once."},
		property{name: "new_text", kind: "string", description: "The text to put in its place."},
		property{name: "replace_all", kind: "boolean", description: "Replace every occurrence.", optional: true},
	)}, run: func(ctx context.Context, c *call) outcome {
		var args struct {
			Path       string
			OldText    string `json:"old_text"`
			NewText    string `json:"new_text"`
			ReplaceAll bool   `json:"replace_all"`
		}
		if problem, ok := c.args(&args); !ok {
			return problem
		}
		return c.change(ctx, args.Path, func(before []byte, exists bool) ([]byte, error) {
			n := bytes.Count(before, []byte(args.OldText))
			switch {
			case !exists:
				return nil, errors.New("the file does not exist; write_file makes one")
			case args.OldText == "":
				return nil, errors.New("old_text is empty")
			case n == 0:
				return nil, errors.New("old_text does not occur in the file; read it again")
			case n > 1 && !args.ReplaceAll:
				return nil, fmt.Errorf("old_text occurs %d times; give more of what is around it, or set replace_all", n)
			}
			return bytes.ReplaceAll(before, []byte(args.OldText), []byte(args.NewText)), nil
		})
	}}
}

// change changes a file when the user agrees to the difference that it makes.
func (c *call) change(ctx context.Context, path string, f func(before []byte, exists bool) ([]byte, error)) outcome {
	p, err := c.s.place(path)
	if err != nil {
		c.open(acp.ToolKindEdit, inTitle("Edit %s", path), false)
		return failure("%v", err)
	}
	mode, _ := c.s.setting()
	free := mode == ModeEdits || c.s.isAllowed(grantEdits)
	c.open(acp.ToolKindEdit, inTitle("Edit %s", p.rel), !free, p.abs())
	before, perm, err := p.read()
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure("%s cannot be changed: %s", skill.Sanitize(path), why(err))
	}
	if !exists {
		perm = 0o644
	}
	after, err := f(before, exists)
	switch {
	case err != nil:
		return failure("%s: %v", skill.Sanitize(path), err)
	case len(after) > maxFile:
		return failure("%s would be larger than %d MiB", skill.Sanitize(path), maxFile>>20)
	case exists && bytes.Equal(before, after):
		return done("The file has this content already.")
	}
	c.show(difference(p, before, after, exists))
	if !free {
		said, no := c.ask(ctx, request{title: inTitle("Change %s?", p.rel), always: "Allow changes to files in this session"})
		if said == denied {
			no.silent = true // the difference stays to be seen
			return no
		}
		if said == allowedAlways {
			c.s.allow(grantEdits)
		}
		c.begin()
		// The user has agreed to a difference: it must still be that one.
		now, _, err := p.read()
		if exists != (err == nil) || !bytes.Equal(now, before) {
			return failure("%s has been changed by somebody else meanwhile; read it again", skill.Sanitize(path))
		}
	}
	if ctx.Err() != nil {
		return outcome{text: "Not carried out: the work was cancelled.", failed: true, silent: true}
	}
	if err := p.write(after, perm); err != nil {
		return failure("%s cannot be written: %s", skill.Sanitize(path), why(err))
	}
	o := done("The file is written.")
	o.silent = true
	return o
}

// difference is a change as the client is shown it.
func difference(p place, before, after []byte, exists bool) *acp.Diff {
	kind := acp.DiffFileText
	if !utf8.Valid(before) || !utf8.Valid(after) {
		kind = acp.DiffFileBinary
	}
	d := &acp.Diff{}
	if exists {
		d.Changes = []acp.DiffChange{&acp.DiffModify{Path: p.abs(), FileType: kind}}
	} else {
		d.Changes = []acp.DiffChange{&acp.DiffAdd{Path: p.abs(), FileType: kind}}
	}
	if kind == acp.DiffFileText {
		if text := patch(filepath.ToSlash(p.rel), before, after, exists); len(text) <= maxDiff {
			d.Patch = &acp.DiffPatch{Format: acp.DiffFormatGitPatch, Text: text}
		}
	}
	return d
}

// patch is a change in git's form.
func patch(name string, before, after []byte, exists bool) string {
	old := "a/" + name
	head := "diff --git a/" + name + " b/" + name + "\n"
	if !exists {
		old = "/dev/null"
		head += "new file mode 100644\n"
	}
	// Its first line is of another form.
	_, rest, _ := strings.Cut(string(diff.Diff(old, before, "b/"+name, after)), "\n")
	return head + rest
}
