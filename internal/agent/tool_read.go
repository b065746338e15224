// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/skill"
)

// Bounds of what is read at once.
const (
	maxLines   = 2000
	maxEntries = 500
	maxMatches = 200
	maxVisited = 50_000
	maxMatched = 1 << 20 // bytes; larger files are not searched
)

func readFileTool() *tool {
	return &tool{Tool: model.Tool{Name: "read_file", Description: fmt.Sprintf("Read a text file in the session's directories. At most %d lines are given at once.", maxLines), Schema: schema(
		property{name: "path", kind: "string", description: "The file, absolute or relative to the working directory."},
		property{name: "offset", kind: "integer", description: "The first line to give, from 1.", optional: true},
		property{name: "limit", kind: "integer", description: "How many lines to give.", optional: true},
	)}, run: func(_ context.Context, c *call) outcome {
		var args struct {
			Path          string
			Offset, Limit int
		}
		if problem, ok := c.args(&args); !ok {
			return problem
		}
		p, err := c.s.place(args.Path)
		if err != nil {
			if data, file, ok := c.s.inSkill(args.Path); ok {
				c.open(acp.ToolKindRead, inTitle("Read %s", args.Path), false, file)
				return lines(data, args.Offset, args.Limit)
			}
			c.open(acp.ToolKindRead, inTitle("Read %s", args.Path), false)
			return failure("%v", err)
		}
		c.open(acp.ToolKindRead, inTitle("Read %s", p.rel), false, p.abs())
		data, _, err := p.read()
		if err != nil {
			return failure("%s cannot be read: %s", skill.Sanitize(args.Path), why(err))
		}
		return lines(data, args.Offset, args.Limit)
	}}
}

// lines gives a part of a text. The client has the file, and is spared it.
func lines(data []byte, offset, limit int) outcome {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return failure("this is no text")
	}
	all := strings.SplitAfter(string(data), "\n")
	if n := len(all); all[n-1] == "" {
		all = all[:n-1]
	}
	if len(all) == 0 {
		return outcome{text: "(the file is empty)", silent: true}
	}
	first := max(offset, 1)
	if first > len(all) {
		return failure("the file has %d lines", len(all))
	}
	if limit <= 0 || limit > maxLines {
		limit = maxLines
	}
	last := min(first-1+limit, len(all))
	text := strings.Join(all[first-1:last], "")
	if last < len(all) {
		text += fmt.Sprintf("\n[lines %d to %d of %d; go on with offset %d]", first, last, len(all), last+1)
	}
	return outcome{text: text, silent: true}
}

func listTool() *tool {
	return &tool{Tool: model.Tool{Name: "list_directory", Description: "List a directory in the session's directories. Directories end with a slash.", Schema: schema(
		property{name: "path", kind: "string", description: "The directory, absolute or relative to the working directory.", optional: true},
	)}, run: func(_ context.Context, c *call) outcome {
		var args struct{ Path string }
		if problem, ok := c.args(&args); !ok {
			return problem
		}
		p, err := c.s.place(args.Path)
		if err != nil {
			c.open(acp.ToolKindRead, inTitle("List %s", args.Path), false)
			return failure("%v", err)
		}
		c.open(acp.ToolKindRead, inTitle("List %s", p.rel), false, p.abs())
		var entries []fs.DirEntry
		err = p.in(func(root *os.Root) error {
			d, err := root.OpenFile(p.rel, openToRead, 0)
			if err != nil {
				return err
			}
			defer d.Close()
			entries, err = d.ReadDir(-1)
			return err
		})
		if err != nil {
			return failure("%s cannot be listed: %s", skill.Sanitize(args.Path), why(err))
		}
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		var b strings.Builder
		for _, e := range entries[:min(len(entries), maxEntries)] {
			b.WriteString(skill.Sanitize(e.Name()))
			if e.IsDir() {
				b.WriteByte('/')
			}
			b.WriteByte('\n')
		}
		if more := len(entries) - maxEntries; more > 0 {
			fmt.Fprintf(&b, "[and %d more]\n", more)
		}
		if len(entries) == 0 {
			b.WriteString("(empty)")
		}
		return done("%s", b.String())
	}}
}

func searchTool() *tool {
	return &tool{Tool: model.Tool{Name: "search_files", Description: "Search the session's directories: for lines that match a regular expression, or without one for files by name. .git and node_modules are left out.", Schema: schema(
		property{name: "pattern", kind: "string", description: "A regular expression (RE2) for lines. Without it files are found by name.", optional: true},
		property{name: "include", kind: "string", description: "A pattern for file names, such as *.go.", optional: true},
		property{name: "path", kind: "string", description: "The directory to search below; the working directory without it.", optional: true},
	)}, run: search}
}

func search(ctx context.Context, c *call) outcome {
	var args struct{ Pattern, Include, Path string }
	if problem, ok := c.args(&args); !ok {
		return problem
	}
	p, err := c.s.place(args.Path)
	title := inTitle("Search for %s", args.Pattern+args.Include)
	if err != nil {
		c.open(acp.ToolKindSearch, title, false)
		return failure("%v", err)
	}
	c.open(acp.ToolKindSearch, title, false, p.abs())
	var line *regexp.Regexp
	if args.Pattern != "" {
		if line, err = regexp.Compile(args.Pattern); err != nil {
			return failure("the pattern is no regular expression: %v", err)
		}
	}
	if _, err := path.Match(args.Include, ""); err != nil || line == nil && args.Include == "" {
		return failure("give a pattern for lines, or include with a pattern for file names such as *.go")
	}
	var b strings.Builder
	found, visited := 0, 0
	err = p.in(func(root *os.Root) error {
		return fs.WalkDir(root.FS(), filepath.ToSlash(p.rel), func(name string, d fs.DirEntry, err error) error {
			visited++
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case visited > maxVisited || found >= maxMatches:
				return fs.SkipAll
			case err != nil && visited == 1:
				return err
			case err != nil || d == nil:
				return nil
			case d.IsDir():
				if base := path.Base(name); base == ".git" || base == "node_modules" {
					return fs.SkipDir
				}
				return nil
			case !d.Type().IsRegular():
				return nil
			}
			if args.Include != "" {
				if ok, _ := path.Match(args.Include, path.Base(name)); !ok {
					return nil
				}
			}
			if line == nil {
				found++
				b.WriteString(skill.Sanitize(name) + "\n")
				return nil
			}
			found += matches(&b, root, name, line, maxMatches-found)
			return nil
		})
	})
	switch {
	case err != nil && ctx.Err() == nil:
		return failure("the search failed: %s", why(err))
	case found == 0 && visited <= maxVisited:
		return done("Nothing was found.")
	case found >= maxMatches:
		b.WriteString("[there may be more: narrow the search]\n")
	case visited > maxVisited:
		fmt.Fprintf(&b, "[only %d files were looked at: name a directory]\n", maxVisited)
	}
	return done("%s", b.String())
}

// matches writes the lines of a file that match.
func matches(b *strings.Builder, root *os.Root, name string, line *regexp.Regexp, most int) (found int) {
	f, err := root.OpenFile(filepath.FromSlash(name), openToRead, 0)
	if err != nil {
		return 0
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMatched {
		return 0
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0
	}
	data = data[:n] // it may have become shorter
	if bytes.IndexByte(data, 0) >= 0 {
		return 0 // no text
	}
	number := 0
	for text := range strings.Lines(string(data)) {
		number++
		if text = strings.TrimRight(text, "\r\n"); line.MatchString(text) {
			fmt.Fprintf(b, "%s:%d: %s\n", skill.Sanitize(name), number, shorten(strings.ToValidUTF8(text, "�"), 300))
			if found++; found == most {
				break
			}
		}
	}
	return found
}

// inSkill reads a path that leads into a skill which is active or that the model can
// use: its instructions name the skill's directory, and a model may put a path
// together from that.
func (s *session) inSkill(file string) (data []byte, shown string, ok bool) {
	if !filepath.IsAbs(file) {
		return nil, "", false
	}
	for _, sk := range s.readable() {
		rel, err := filepath.Rel(sk.Dir, file)
		if sk.Dir == "" || err != nil || !filepath.IsLocal(rel) {
			continue
		}
		data, err := sk.ReadFile(filepath.ToSlash(rel), maxFile)
		if err == nil {
			return data, filepath.Join(sk.Dir, rel), true
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, "", false
		}
	}
	return nil, "", false
}
