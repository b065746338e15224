// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode"

	yaml "go.yaml.in/yaml/v4"
)

// MaxFile is how many bytes the file of a profile may have.
const MaxFile = 64 << 10

// A FileError says what is wrong with the file of a profile, where, and what to do.
type FileError struct {
	File  string
	Line  int    // from 1; 0 when it is not known
	Field string // as "invoke.form"; empty when it is no field's fault
	Msg   string
}

func (e *FileError) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, e.Line)
	}
	if e.Field != "" {
		where += ": " + e.Field
	}
	return where + ": " + e.Msg
}

// document is the format of a file, which docs/profiles.md describes.
type document struct {
	Name      string `yaml:"name"`
	Title     string `yaml:"title"`
	Source    string `yaml:"source"`
	Recognise struct {
		Info    []string `yaml:"info"`
		Program []string `yaml:"program"`
		Folder  []string `yaml:"folder"`
	} `yaml:"recognise"`
	Skills struct {
		Prefix string   `yaml:"prefix"`
		Field  string   `yaml:"field"`
		Values []string `yaml:"values"`
		Path   string   `yaml:"path"`
		ByName bool     `yaml:"by-name"`
	} `yaml:"skills"`
	Reads struct {
		Workspace  []string `yaml:"workspace"`
		Additional []string `yaml:"additional"`
		User       []string `yaml:"user"`
	} `yaml:"reads"`
	Invoke struct {
		Form    string `yaml:"form"`
		Prefix  string `yaml:"prefix"`
		LooksAt string `yaml:"looks-at"`
		OneLine bool   `yaml:"one-line"`
	} `yaml:"invoke"`
	Replay     string   `yaml:"replay"`
	ReplayAdds []string `yaml:"replay-adds"`
	Notices    string   `yaml:"notices"`
}

// ReadFile reads a profile from a file of at most [MaxFile] bytes. What is wrong with
// its content is a [*FileError].
func ReadFile(name string) (*Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, &FileError{File: name, Msg: "this is no regular file"}
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxFile {
		return nil, &FileError{File: name, Msg: fmt.Sprintf("more than %d bytes are no profile", MaxFile)}
	}
	return Parse(name, data)
}

// Parse reads a profile. The name of its file is for errors alone.
func Parse(file string, data []byte) (*Profile, error) {
	var d document
	if err := yaml.Load(data, &d, yaml.WithKnownFields(), yaml.WithUniqueKeys()); err != nil {
		return nil, yamlError(file, err)
	}
	c := checker{file: file, data: data}
	p := d.profile(&c)
	if c.err != nil {
		return nil, c.err
	}
	return p, nil
}

// yamlPlace is how the library says where: in its syntax errors, and in those of types.
var yamlPlace = regexp.MustCompile(`(?:go-yaml load error in \w+ at L(\d+)\.C\d+: )|line (\d+)`)

func yamlError(file string, err error) error {
	if errors.Is(err, io.EOF) || strings.Contains(err.Error(), "no documents") {
		return &FileError{File: file, Msg: "the file is empty; it needs a name, a title and how the agent is recognised"}
	}
	e := &FileError{File: file, Msg: strings.ReplaceAll(err.Error(), "\n", " ")}
	if m := yamlPlace.FindStringSubmatch(e.Msg); m != nil {
		_, _ = fmt.Sscan(m[1]+m[2], &e.Line)
		if m[1] != "" {
			e.Msg = "this is no YAML: " + strings.Replace(e.Msg, m[0], "", 1)
		}
	}
	e.Msg = strings.ReplaceAll(e.Msg, " in type profile.document", ", which a profile does not have; docs/profiles.md lists the fields")
	return e
}

// checker keeps the first thing that is wrong.
type checker struct {
	file string
	data []byte
	err  error
}

func (c *checker) wrong(field, format string, args ...any) {
	if c.err == nil {
		c.err = &FileError{File: c.file, Line: c.line(field), Field: field, Msg: fmt.Sprintf(format, args...)}
	}
}

// line is where a field stands, or the innermost mapping of those that it is in.
func (c *checker) line(field string) int {
	var doc yaml.Node
	if yaml.Load(c.data, &doc) != nil || len(doc.Content) == 0 {
		return 0
	}
	at, line := doc.Content[0], 0
	for name := range strings.SplitSeq(field, ".") {
		for i := 0; at != nil && i+1 < len(at.Content); i += 2 {
			if at.Content[i].Value == name {
				at, line = at.Content[i+1], at.Content[i].Line
				break
			}
		}
	}
	return line
}

func (d *document) profile(c *checker) *Profile {
	p := &Profile{ReplayAdds: d.ReplayAdds, Name: d.Name, Title: d.Title, Source: d.Source, Recognise: Recognise(d.Recognise), Reads: Folders(d.Reads)}
	if !nameForm.MatchString(d.Name) {
		c.wrong("name", "%q is no name: use small letters, digits and hyphens, as in my-agent", d.Name)
	}
	c.text("title", d.Title)
	if d.Title == "" {
		c.wrong("title", "say what people call the agent")
	}
	c.text("source", d.Source)
	if len(d.Recognise.Info)+len(d.Recognise.Program)+len(d.Recognise.Folder) == 0 && d.Name != "generic" {
		c.wrong("recognise", "say by what the agent is known: info, the name that it gives itself (skillgraft doctor -- AGENT shows it), program or folder")
	}
	p.Mark = d.mark(c)
	for _, list := range []struct {
		field string
		names []string
	}{{"reads.workspace", d.Reads.Workspace}, {"reads.additional", d.Reads.Additional}, {"reads.user", d.Reads.User}} {
		for _, name := range list.names {
			c.folder(list.field, name)
		}
	}
	p.Form = d.form(c)
	p.Replay = oneOf(c, "replay", d.Replay, ReplaysSent, ReplaysExpanded)
	for _, text := range d.ReplayAdds {
		if strings.TrimSpace(text) != text || text == "" {
			c.wrong("replay-adds", "%q is no beginning of a text", text)
		}
	}
	p.Notices = oneOf(c, "notices", d.Notices, NoticesNever, NoticesNextTurn, NoticesAtOnce)
	return p
}

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// text refuses what would control a terminal.
func (c *checker) text(field, s string) {
	if strings.ContainsFunc(s, unicode.IsControl) {
		c.wrong(field, "control characters have no place here")
	}
}

func (c *checker) folder(field, name string) {
	switch {
	case name == "" || strings.HasPrefix(name, "/") || strings.Contains(name, `\`) || strings.Contains(name, ":"):
		c.wrong(field, "%q is no folder below a workspace or home directory: write it as in .claude/skills", name)
	case strings.HasSuffix(name, "/"):
		c.wrong(field, "%q ends with a slash; leave that out", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." {
			c.wrong(field, "%q has an empty part, . or .. in it; name the folder itself", name)
		}
	}
}

func (d *document) mark(c *checker) Mark {
	s := d.Skills
	m := Mark{Prefix: s.Prefix, ByName: s.ByName, Values: s.Values}
	kinds := 0
	for _, set := range []bool{s.Prefix != "", s.Field != "", s.ByName} {
		if set {
			kinds++
		}
	}
	if kinds > 1 {
		c.wrong("skills", "prefix, field and by-name exclude each other: use the one that tells skills best")
	}
	if s.Field != "" {
		m.Field = strings.Split(s.Field, ".")
	}
	if (s.Field != "") != (len(s.Values) > 0) {
		c.wrong("skills", "field and values belong together: the field of an entry that tells skills, and the texts that do")
	}
	if s.Path != "" {
		m.Path = strings.Split(s.Path, ".")
		if s.Field == "" && s.Prefix == "" {
			c.wrong("skills.path", "a path counts only for entries that a prefix or a field marks")
		}
	}
	return m
}

func (d *document) form(c *checker) Form {
	i := d.Invoke
	if i.Form == "" {
		if i.Prefix != "" || i.LooksAt != "" || i.OneLine {
			c.wrong("invoke.form", "say slash or mention; without a form each skill is written out")
		}
		return nil
	}
	if strings.TrimSpace(i.Prefix) != i.Prefix || i.Prefix == "" || strings.ContainsFunc(i.Prefix, unicode.IsControl) {
		c.wrong("invoke.prefix", "%q cannot stand before a skill's name: write what does, as in / or $", i.Prefix)
	}
	switch i.Form {
	case "slash":
		if !strings.HasPrefix(i.Prefix, "/") {
			c.wrong("invoke.prefix", "%q does not begin with a slash, as the form slash wants", i.Prefix)
		}
		at := oneOf(c, "invoke.looks-at", i.LooksAt, "first", "last")
		return Slash{Prefix: i.Prefix, Last: at == "last", OneLine: i.OneLine}
	case "mention":
		if i.LooksAt != "" || i.OneLine {
			c.wrong("invoke", "looks-at and one-line are of the form slash; a mention may stand anywhere")
		}
		return Mention{Sigil: i.Prefix}
	}
	c.wrong("invoke.form", "%q is not known: say slash or mention", i.Form)
	return nil
}

// oneOf is a value of a list, whose first one is meant when there is none.
func oneOf[T ~string](c *checker, field, value string, allowed ...T) T {
	if value == "" {
		return allowed[0]
	}
	var names []string
	for _, a := range allowed {
		if string(a) == value {
			return a
		}
		names = append(names, string(a))
	}
	c.wrong(field, "%q is not known: say %s", value, strings.Join(names, " or "))
	return allowed[0]
}
