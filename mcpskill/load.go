// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillgraft/skillgraft/skill"
)

// An Answer is what the user says to a question.
type Answer uint8

// The answers.
const (
	No Answer = iota
	// Once loads the skill this time.
	Once
	// Always loads it, and remembers that for exactly these files (MCP-5).
	Always
)

// A Question asks the user whether a skill may be loaded (MCP-5).
type Question struct {
	Entry *Entry
	// Endpoint is where the server is.
	Endpoint string
	// Changed says that the skill was approved once, with other files. Added, Removed and
	// Rewritten are the paths that differ.
	Changed                   bool
	Added, Removed, Rewritten []string
}

// An Ask puts a question to the user.
type Ask func(context.Context, Question) (Answer, error)

// Loaded is a skill that is acted on: from its load until Close it reads the files
// of the entry that it was loaded with, from the server that it came from, and
// nothing else (MCP-4, MCP-6). It is safe for concurrent use.
type Loaded struct {
	// Entry is the entry that is held.
	Entry *Entry
	// Origin is the server it came from.
	Origin *Origin
	// Body is everything after the frontmatter. It is text by strangers: give it to a
	// model together with where it comes from, see Wrap.
	Body string
	// Frontmatter is the head as it was read. Nothing in it takes effect (MCP-6).
	Frontmatter *skill.Frontmatter

	mu     sync.Mutex
	closed bool
	total  int64 // bytes read of a dynamic skill
}

// Load takes a skill into use (MCP-5): it asks the server for the entry as it is now,
// and the user, unless exactly these files were approved before; then SKILL.md is
// read and verified, and nothing else (MCP-4).
//
// ask may be nil: then only what was approved before is loaded, and the error is a
// *[DeniedError] for everything else. When the server changes the skill in between, Load
// starts again once, and then gives up with a *[ChangedError].
func (o *Origin) Load(ctx context.Context, uri string, ask Ask) (*Loaded, error) {
	for again := false; ; again = true {
		e, err := o.Get(ctx, uri)
		if err != nil {
			return nil, err
		}
		if e.Dynamic && !o.host.opts.AllowDynamic {
			return nil, o.fail("MCP-5", uri, "the skill %s is made on demand and has no digests: nothing of it can be verified, and no approval could hold for it; it is not loaded", e.ID)
		}
		if err := o.approve(ctx, e, ask); err != nil {
			return nil, err
		}
		l, err := o.open(ctx, e)
		if err == nil {
			return l, nil
		}
		var wrong *RuleError
		if !errors.As(err, &wrong) || wrong.Rule != "MCP-4" {
			return nil, err
		}
		// The entry may be stale, which only another one can show.
		now, gerr := o.Get(ctx, uri)
		if gerr != nil || now.Set() == e.Set() {
			return nil, err
		}
		if again {
			return nil, &ChangedError{ID: e.ID, Now: now}
		}
	}
}

func (o *Origin) approve(ctx context.Context, e *Entry, ask Ask) error {
	a := o.host.opts.Approvals
	q := Question{Entry: e, Endpoint: o.endpoint}
	if a != nil && !e.Dynamic {
		had, ok, err := a.get(o.identity(), e.ID.URI)
		switch {
		case err != nil:
			o.host.opts.Log.Warn("what was approved before cannot be read; it is asked again", "error", err)
		case ok && had.covers(e):
			return nil
		case ok:
			q.Changed = true
			q.Added, q.Removed, q.Rewritten = had.differs(e)
		}
	}
	if ask == nil {
		return &DeniedError{e.ID}
	}
	answer, err := ask(ctx, q)
	switch {
	case err != nil:
		return err
	case answer == No:
		return &DeniedError{e.ID}
	case answer == Always && a != nil && !e.Dynamic:
		if err := a.put(o.identity(), e); err != nil {
			o.host.opts.Log.Warn("the approval holds now, and could not be remembered", "skill", e.ID.String(), "error", err)
		}
	}
	return ctx.Err()
}

// identity is the server as caches and approvals know it: by the host's label, and by
// where it is, so that another server under a label that was used before is another.
func (o *Origin) identity() string { return o.label + "\x00" + o.endpoint }

// open reads and verifies SKILL.md.
func (o *Origin) open(ctx context.Context, e *Entry) (*Loaded, error) {
	l := &Loaded{Entry: e, Origin: o}
	content, err := l.fetch(ctx, e.ID.URI)
	if err != nil {
		return nil, err
	}
	doc := skill.Parse(content, &skill.ParseOptions{File: mainFile, Dir: e.Name})
	if !doc.Usable() || doc.Repaired {
		why := "it has no usable frontmatter"
		for _, f := range doc.Findings {
			if f.Skip || f.Severity == skill.Error {
				why = f.Message
				break
			}
		}
		return nil, o.fail("MCP-4", e.ID.URI, "the SKILL.md of %s: %s", e.ID, why)
	}
	if err := compareFrontmatter(e.Frontmatter, doc.Frontmatter); err != nil {
		return nil, o.fail("MCP-4", e.ID.URI, "the frontmatter of %s: %v", e.ID, err)
	}
	l.Body, l.Frontmatter = doc.Body, doc.Frontmatter
	return l, nil
}

// Close ends the acting window: nothing is read any more.
func (l *Loaded) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// Read returns a file of the skill by its path relative to the skill's directory, or
// by its uri. A file that the held entry does not list is a failure, also when the
// server would serve it (MCP-4).
func (l *Loaded) Read(ctx context.Context, ref string) ([]byte, error) {
	uri, err := l.Resolve(ref)
	if err != nil {
		return nil, err
	}
	return l.fetch(ctx, uri)
}

// Resolve is the uri of a reference in the skill: relative ones start at the directory
// of its SKILL.md. The result is always a listed file of this skill, except for a
// dynamic skill, where it is one in its directory.
func (l *Loaded) Resolve(ref string) (string, error) {
	e := l.Entry
	uri := ref
	if !strings.Contains(ref, "://") {
		rel := path.Clean(ref)
		if path.IsAbs(ref) || rel == "." || rel == ".." || strings.HasPrefix(rel, "../") || strings.Contains(ref, "\\") {
			return "", l.Origin.fail("MCP-4", e.ID.URI, "the reference %q leads out of the skill %s", clip(ref, 200), e.ID)
		}
		if i := slices.Index(e.rels, rel); i >= 0 {
			return e.Resources[i].URI, nil
		}
		uri = e.root + "/" + escapePath(rel)
	}
	if _, err := fileURI(e.root, uri); err != nil {
		return "", l.Origin.fail("MCP-6", e.ID.URI, "the skill %s asks for a file that is not its own: %v", e.ID, err)
	}
	if _, ok := e.resource(uri); !ok && !e.Dynamic {
		return "", l.Origin.fail("MCP-4", e.ID.URI, "%s is no file of the skill %s as it was approved; if the server has it, the skill has changed and has to be loaded and approved again", clip(uri, 200), e.ID)
	}
	return uri, nil
}

// fetch returns a listed file, from the cache where it is still what the entry says,
// and else from the server. Nothing that is returned is unverified, but of a dynamic
// skill.
func (l *Loaded) fetch(ctx context.Context, uri string) ([]byte, error) {
	o, e := l.Origin, l.Entry
	l.mu.Lock()
	closed := l.closed
	l.mu.Unlock()
	if closed {
		return nil, o.fail("MCP-4", e.ID.URI, "the skill %s is not acted on any more", e.ID)
	}
	want, listed := e.resource(uri)
	if listed && o.host.opts.Cache != nil {
		b, err := o.host.opts.Cache.get(o.identity(), uri, want)
		if err == nil {
			return b, nil
		}
		if errors.Is(err, errTampered) {
			o.host.opts.Log.Warn("a cached file is not what was put there; it was thrown away", "uri", skill.Sanitize(uri), "server", skill.Sanitize(o.label), "rule", "MCP-8")
		}
	}
	limit := want.Size
	if !listed {
		l.mu.Lock()
		limit = MaxSize - l.total
		l.mu.Unlock()
	}
	b, err := o.read(ctx, uri)
	if err != nil {
		return nil, err
	}
	if !listed {
		if int64(len(b)) > limit {
			return nil, o.fail("MCP-2", e.ID.URI, "more than %d bytes were read of the skill %s", MaxSize, e.ID)
		}
		l.mu.Lock()
		l.total += int64(len(b))
		l.mu.Unlock()
		return b, nil
	}
	if int64(len(b)) != want.Size {
		return nil, o.fail("MCP-4", e.ID.URI, "%s has %d bytes, and the entry of %s says %d", clip(uri, 200), len(b), e.ID, want.Size)
	}
	if got := digest(b); got != want.Digest {
		return nil, o.fail("MCP-4", e.ID.URI, "the content of %s is not what the entry of %s says: its digest is another one", clip(uri, 200), e.ID)
	}
	if c := o.host.opts.Cache; c != nil {
		if err := c.put(o.identity(), uri, want, b); err != nil {
			o.host.opts.Log.Warn("a file could not be cached", "error", err)
		}
	}
	return b, nil
}

// ReadUnverified reads one resource of the server as it comes. It is for people who
// look at a server: it loads nothing, and what it returns must not be used as a skill.
func (o *Origin) ReadUnverified(ctx context.Context, uri string) ([]byte, error) {
	if _, err := checkURI(uri); err != nil {
		return nil, o.fail("MCP-2", uri, "%v", err)
	}
	return o.read(ctx, uri)
}

// read reads one resource from this server.
func (o *Origin) read(ctx context.Context, uri string) ([]byte, error) {
	r, err := bound(ctx, o, "resources/read", func(ctx context.Context) (*mcp.ReadResourceResult, error) {
		return o.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return nil, err
	}
	switch {
	case r.NeedsInput():
		return nil, o.fail("MCP-1", uri, "the server asks for something before it shows %s, which a skill's file may not", clip(uri, 200))
	case len(r.Contents) != 1 || r.Contents[0] == nil:
		return nil, o.fail("MCP-4", uri, "reading %s brought %d contents instead of one", clip(uri, 200), len(r.Contents))
	}
	c := r.Contents[0]
	switch {
	case c.URI != uri:
		return nil, o.fail("MCP-4", uri, "asked for %s, the server answered with %s", clip(uri, 200), clip(c.URI, 200))
	case c.Text != "" && len(c.Blob) > 0:
		return nil, o.fail("MCP-4", uri, "%s came as text and as bytes at once", clip(uri, 200))
	case len(c.Blob) > 0:
		return c.Blob, nil
	}
	return []byte(c.Text), nil
}

// Activation is the skill's content for a model. It says where it comes from (MCP-6),
// and has nothing of the frontmatter but name and description.
func (l *Loaded) Activation() *skill.Activation {
	e := l.Entry
	a := &skill.Activation{Skill: &skill.Skill{Name: e.Name, Description: e.Description}, Body: l.Body}
	for _, f := range e.rels {
		if f != mainFile {
			a.Files = append(a.Files, f)
		}
	}
	a.FilesTotal = len(a.Files)
	if len(a.Files) > skill.MaxFiles {
		a.Files, a.FilesTruncated = a.Files[:skill.MaxFiles], true
	}
	a.Origin = fmt.Sprintf("MCP server %q at %s", skill.Sanitize(l.Origin.label), skill.Sanitize(l.Origin.endpoint))
	a.Base = e.root
	return a
}

// Wrap is the content as a model gets it. The body cannot end the marking, nor begin
// another one.
func (l *Loaded) Wrap(id string) string { return l.Activation().Wrap(&skill.WrapOptions{ID: id}) }
