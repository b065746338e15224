// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
)

// maxFrontmatter bounds the frontmatter of an entry in bytes, as [skill.MaxHead] does
// that of a file. JSON may say the same in more bytes.
const maxFrontmatter = 4 * skill.MaxHead

// An Entry is a skill as a server describes it, after it was checked (MCP-2). It is
// immutable. That it was checked means that it has a sound shape, not that it is true
// nor that it can be trusted.
type Entry struct {
	ID ID
	// Name is the skill's own name. Others may have it too: it identifies nothing (MCP-7).
	Name string
	// Description is as the author wrote it; see DisplayDescription.
	Description string
	// Frontmatter is the whole head as a JSON object.
	Frontmatter json.RawMessage
	// Resources are all files of the skill, in the order of their uris. Nil for a dynamic
	// skill.
	Resources []Resource
	// Dynamic skills have no digests: nothing that is read of them can be verified.
	Dynamic bool

	root string
	rels []string // the paths of Resources below the skill's directory
}

var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// NewEntry checks an entry that a server has sent. label is the host's own label of
// that server. The error is a *[RuleError].
func NewEntry(label string, s Skill) (*Entry, error) {
	e := &Entry{ID: ID{label, s.URI}, Frontmatter: s.Frontmatter, Dynamic: s.Dynamic}
	bad := func(format string, args ...any) (*Entry, error) {
		return nil, &RuleError{Rule: "MCP-2", ID: e.ID, Reason: clean(format, args...)}
	}
	root, name, err := skillURI(s.URI)
	if err != nil {
		return bad("%v", err)
	}
	e.root = root
	if err := e.frontmatter(); err != nil {
		return bad("the entry of %s: %v", e.ID, err)
	}
	if e.Name != name {
		return bad("the entry of %s is named %q, and its directory %q", e.ID, e.Name, name)
	}
	if s.Dynamic {
		return e, nil
	}
	if len(s.Resources) > MaxFiles {
		return bad("the skill %s has %d files, and %d are the most that a host has to take", e.ID, len(s.Resources), MaxFiles)
	}
	var total int64
	seen := map[string]bool{}
	e.Resources = slices.Clone(s.Resources)
	slices.SortFunc(e.Resources, func(a, b Resource) int { return strings.Compare(a.URI, b.URI) })
	for _, r := range e.Resources {
		rel, err := fileURI(root, r.URI)
		switch {
		case err != nil:
			return bad("a file of %s: %v", e.ID, err)
		case seen[rel]:
			return bad("the entry of %s has the file %s twice", e.ID, rel)
		case !digestForm.MatchString(r.Digest):
			return bad("the digest of %s in %s is not \"sha256:\" and 64 lower-case hexadecimal digits", rel, e.ID)
		case r.Size < 0:
			return bad("the size of %s in %s is negative", rel, e.ID)
		case r.Size > MaxSize || total+r.Size > MaxSize:
			return bad("the files of %s have more than %d bytes, which are the most that a host has to take", e.ID, MaxSize)
		}
		total += r.Size
		seen[rel] = true
		e.rels = append(e.rels, rel)
	}
	if !slices.ContainsFunc(e.Resources, func(r Resource) bool { return r.URI == s.URI }) {
		return bad("the resources of %s do not have its SKILL.md", e.ID)
	}
	return e, nil
}

// frontmatter reads what a list needs of it.
func (e *Entry) frontmatter() error {
	if len(e.Frontmatter) > maxFrontmatter {
		return fmt.Errorf("its frontmatter has %d bytes, and %d are the most", len(e.Frontmatter), maxFrontmatter)
	}
	if name, dup := duplicate(e.Frontmatter); dup {
		return fmt.Errorf("its frontmatter has the field %q twice", name)
	}
	var ok bool
	if e.Name, ok = rawjson.GetString(e.Frontmatter, "name"); !ok {
		return fmt.Errorf("its frontmatter has no name")
	}
	if !validName(e.Name) {
		return fmt.Errorf("its name %q is none by the format: 1 to %d lower-case letters, digits and single dashes", clip(e.Name, 80), skill.MaxName)
	}
	if e.Description, ok = rawjson.GetString(e.Frontmatter, "description"); !ok || strings.TrimSpace(e.Description) == "" {
		return fmt.Errorf("its frontmatter has no description")
	}
	return nil
}

// validName is the format's rule for names (FMT-5).
func validName(name string) bool {
	name = norm.NFKC.String(name)
	if n := utf8.RuneCountInString(name); n == 0 || n > skill.MaxName || strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") {
		return false
	}
	for _, r := range name {
		if r != '-' && !unicode.IsDigit(r) && !(unicode.IsLetter(r) && unicode.ToLower(r) == r) {
			return false
		}
	}
	return true
}

// duplicate finds a name that an object has twice, at any depth: two readers would
// see two things.
func duplicate(v []byte) (string, bool) {
	switch {
	case rawjson.IsObject(v):
		if name, dup := rawjson.HasDuplicate(v); dup {
			return name, true
		}
		for m := range rawjson.Members(v) {
			if name, dup := duplicate(m.Value); dup {
				return name, true
			}
		}
	case rawjson.IsArray(v):
		for _, e := range rawjson.Elements(v) {
			if name, dup := duplicate(e.Value); dup {
				return name, true
			}
		}
	}
	return "", false
}

// Set identifies the skill's files: a digest over every uri and digest, which changes
// when a file is changed, added or removed (MCP-5). It is empty for a dynamic skill,
// to whose files nothing can be bound.
func (e *Entry) Set() string {
	if e.Dynamic {
		return ""
	}
	h := sha256.New()
	for _, r := range e.Resources { // in order of uri
		fmt.Fprintf(h, "%q %s\n", r.URI, r.Digest)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Files are the paths of the files below the skill's directory, in order. Nil for a
// dynamic skill.
func (e *Entry) Files() []string { return slices.Clone(e.rels) }

// Size is the size of all files in bytes.
func (e *Entry) Size() (n int64) {
	for _, r := range e.Resources {
		n += r.Size
	}
	return n
}

// resource finds a file by its uri.
func (e *Entry) resource(uri string) (Resource, bool) {
	i, ok := slices.BinarySearchFunc(e.Resources, uri, func(r Resource, u string) int { return strings.Compare(r.URI, u) })
	if !ok {
		return Resource{}, false
	}
	return e.Resources[i], true
}

// DisplayDescription is the description for people: the short form if there is one,
// on one line, without characters that control or hide (ACP-A5), and bounded.
func (e *Entry) DisplayDescription() string {
	text, ok := rawjson.GetString(e.Frontmatter, "metadata", "short-description")
	if !ok || strings.TrimSpace(text) == "" {
		text = e.Description
	}
	return skill.Sanitize(clip(text, 4*skill.MaxDescription))
}

// UserInvocable and ModelInvocable are what the frontmatter says (ACT-10); unclear
// values are read the restrictive way.
func (e *Entry) UserInvocable() bool {
	v := rawjson.Get(e.Frontmatter, "user-invocable")
	return v == nil || isBool(v, "true")
}

// ModelInvocable reports whether the model may choose the skill.
func (e *Entry) ModelInvocable() bool {
	v := rawjson.Get(e.Frontmatter, "disable-model-invocation")
	return v == nil || isBool(v, "false")
}

func isBool(v []byte, want string) bool {
	text, ok := rawjson.String(v)
	if !ok {
		text = string(v)
	}
	return strings.EqualFold(text, want)
}

// Wants are the fields by which a skill asks for more than to be read: tools, hooks,
// scripts, another model. They have no effect (MCP-6); a user should see them before
// saying yes. Each is "field: value", on one line.
func (e *Entry) Wants() (out []string) {
	for m := range rawjson.Members(e.Frontmatter) {
		key := string(m.Key)
		switch key {
		case "allowed-tools", "disallowed-tools", "hooks", "scripts", "model", "context", "agent", "effort", "permissions", "permission-mode", "mcp-servers", "mcpServers":
			text, ok := rawjson.String(m.Value)
			if !ok {
				text = string(m.Value)
			}
			out = append(out, key+": "+skill.Sanitize(clip(text, 200)))
		}
	}
	slices.Sort(out)
	return out
}

// Names says how each of the entries of one listing is called within its server:
// by its name where that is the only one, and else by the segments of its uri that
// tell it from the others (MCP-7). The result is in the order of entries.
func Names(entries []*Entry) []string {
	count := map[string]int{}
	for _, e := range entries {
		count[e.Name]++
	}
	out := make([]string, len(entries))
	taken := map[string]bool{}
	for i, e := range entries {
		name := e.Name
		if count[name] > 1 {
			if segments, err := checkURI(e.root); err == nil {
				name = strings.Join(segments, "/")
			}
		}
		for n, base := 2, name; taken[name]; n++ {
			name = base + "-" + strconv.Itoa(n) // two schemes, one path
		}
		taken[name] = true
		out[i] = name
	}
	return out
}
