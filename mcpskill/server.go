// SPDX-License-Identifier: Apache-2.0

package mcpskill

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillgraft/skillgraft/skill"
)

// What ServerOptions has by default.
const (
	DefaultPageSize = 200
	DefaultTTL      = 5 * time.Minute
	DefaultPoll     = 2 * time.Second
)

// ServerOptions are the choices of [NewServer]. A nil pointer means the zero value.
type ServerOptions struct {
	// Name and Version are what the server says of itself; Name defaults to "skillgraft".
	Name, Version string
	// Instructions are told to clients when they connect.
	Instructions string
	// Prefix stands before every skill's path: "acme" makes skill://acme/NAME/SKILL.md.
	Prefix string
	// PageSize is how many entries one answer has.
	PageSize int
	// TTL is for how long clients may take a listing for current; negative means not at all.
	TTL time.Duration
	// Private says that answers are for the client that asked only, and may not be kept
	// by anything on the way.
	Private bool
	// Poll is the time between two looks at the source, by Watch. A look that takes
	// long makes it longer, so that looking takes a twentieth of a processor at most.
	Poll time.Duration
	// Log may be nil. What is not served is reported there, once.
	Log *slog.Logger
}

// A Server serves skills (MCP-1, MCP-2). It is safe for concurrent use, and starts no
// goroutine of its own.
type Server struct {
	opts   ServerOptions
	source Source
	mcp    *mcp.Server

	now     atomic.Pointer[index]
	looking sync.Mutex
}

// NewServer looks at the source once, and returns a server of what is there. It fails
// when the source does.
func NewServer(ctx context.Context, source Source, o *ServerOptions) (*Server, error) {
	s := &Server{source: source}
	if o != nil {
		s.opts = *o
	}
	if s.opts.Name == "" {
		s.opts.Name = "skillgraft"
	}
	if s.opts.PageSize <= 0 {
		s.opts.PageSize = DefaultPageSize
	}
	if s.opts.TTL == 0 {
		s.opts.TTL = DefaultTTL
	}
	if s.opts.Poll <= 0 {
		s.opts.Poll = DefaultPoll
	}
	if s.opts.Log == nil {
		s.opts.Log = slog.New(slog.DiscardHandler)
	}
	if s.opts.Prefix != "" {
		if _, err := checkURI("skill://" + escapePath(s.opts.Prefix)); err != nil {
			return nil, fmt.Errorf("the prefix %q cannot stand in a uri: %w", skill.Sanitize(s.opts.Prefix), err)
		}
	}
	caps := &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{ListChanged: true}}
	caps.AddExtension(Extension, map[string]any{"directoryRead": true})
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: s.opts.Name, Title: "Agent Skills", Version: s.opts.Version}, &mcp.ServerOptions{
		Instructions: s.opts.Instructions, Capabilities: caps, PageSize: s.opts.PageSize,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			if s.opts.Private {
				c.CacheScope = "private"
			}
		},
	})
	for _, err := range []error{
		mcp.AddReceivingCustomMethod(s.mcp, methodList, s.list),
		mcp.AddReceivingCustomMethod(s.mcp, methodGet, s.get),
		mcp.AddReceivingCustomMethod(s.mcp, methodDirectory, s.directory),
	} {
		if err != nil {
			return nil, err
		}
	}
	s.mcp.AddReceivingMiddleware(s.resources)
	if err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// MCP is the SDK's server, to which tools and prompts of one's own can be added.
// Resources cannot: those are the skills.
func (s *Server) MCP() *mcp.Server { return s.mcp }

// Run serves one connection until the peer leaves, which is no error, or ctx ends.
func (s *Server) Run(ctx context.Context, t mcp.Transport) error { return s.mcp.Run(ctx, t) }

// Refresh looks at the source now. Clients are told when something they can see is
// another than before.
func (s *Server) Refresh(ctx context.Context) error {
	s.looking.Lock()
	defer s.looking.Unlock()
	bundles, err := s.source(ctx)
	if err != nil {
		return fmt.Errorf("reading the skills to serve: %w", err)
	}
	old := s.now.Load()
	next, err := build(ctx, bundles, s.opts.Prefix, old)
	if err != nil {
		return err
	}
	s.now.Store(next)
	var known []Problem
	if old != nil {
		known = old.problems
	}
	for _, p := range next.problems {
		if !slices.Contains(known, p) {
			s.opts.Log.Warn("not served", "skill", skill.Sanitize(p.Path), "reason", skill.Sanitize(p.Reason), "rule", p.Rule)
		}
	}
	if old != nil && !next.equal(old) {
		s.tell()
	}
	return nil
}

// tell has the SDK send resources/list_changed to those that want it. It does so when
// a resource is added, and in no other way; listing and reading are answered before
// the SDK's own resources come into play.
func (s *Server) tell() {
	s.mcp.AddResource(&mcp.Resource{URI: "skill://", Name: "skills"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, notServed(r.Params.URI)
	})
}

// Watch looks at the source from time to time until ctx ends.
func (s *Server) Watch(ctx context.Context) {
	wait := s.opts.Poll
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		if err := s.Refresh(ctx); err != nil && ctx.Err() == nil {
			s.opts.Log.Warn("the skills cannot be read; what was served before still is", "error", err)
		}
		wait = max(s.opts.Poll, 20*time.Since(began))
	}
}

// Problems are what is not served, and why.
func (s *Server) Problems() []Problem { return slices.Clone(s.now.Load().problems) }

// Skills are the entries that are listed now.
func (s *Server) Skills() []Skill {
	ix := s.now.Load()
	out := make([]Skill, len(ix.skills))
	for i, k := range ix.skills {
		_ = json.Unmarshal(k.entry, &out[i]) // it is ours
	}
	return out
}

// modern reports whether a request is of a revision that knows the newer fields. Such
// requests say their revision, each one.
func modern(meta map[string]any) bool {
	v, _ := meta[mcp.MetaKeyProtocolVersion].(string)
	return v >= revision
}

func (s *Server) common(meta map[string]any) (c common) {
	if modern(meta) {
		c.ResultType = "complete"
	}
	return c
}

func (s *Server) freshness(meta map[string]any) (f freshness) {
	if !modern(meta) {
		return f
	}
	ttl := max(s.opts.TTL, 0).Milliseconds()
	f.TTLMs, f.CacheScope = &ttl, "public"
	if s.opts.Private {
		f.CacheScope = "private"
	}
	return f
}

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: clean(format, args...)}
}

func notServed(uri string) error { return invalid("Nothing is served at %s", clip(uri, 200)) }

// page cuts one page out of items that are sorted by key. A cursor is the key of the
// last item that was given, so that it means the same to every process, and goes on at
// the right place when the list has changed in between.
func page[T any](items []T, key func(T) string, cursor string, size int) (out []T, next string, err error) {
	from := 0
	if cursor != "" {
		last, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil {
			return nil, "", invalid("the cursor is none of ours")
		}
		from = sort.Search(len(items), func(i int) bool { return key(items[i]) > string(last) })
	}
	out = items[from:]
	if len(out) > size {
		out = out[:size]
		next = base64.RawURLEncoding.EncodeToString([]byte(key(out[size-1])))
	}
	return out, next, nil
}

func (s *Server) list(_ context.Context, _ *mcp.ServerSession, p *listParams) (*listResult, error) {
	if p == nil {
		p = &listParams{}
	}
	got, next, err := page(s.now.Load().skills, func(k *served) string { return k.uri }, p.Cursor, s.opts.PageSize)
	if err != nil {
		return nil, err
	}
	r := &listResult{common: s.common(p.Meta), freshness: s.freshness(p.Meta), NextCursor: next, Skills: make([]json.RawMessage, len(got))}
	for i, k := range got {
		r.Skills[i] = k.entry
	}
	return r, nil
}

func (s *Server) get(_ context.Context, _ *mcp.ServerSession, p *getParams) (*getResult, error) {
	if p == nil || p.URI == "" {
		return nil, invalid("params.uri is missing: the uri of a skill's SKILL.md")
	}
	k := s.now.Load().byURI[p.URI]
	if k == nil {
		return nil, invalid("No skill is served at %s", clip(p.URI, 200))
	}
	return &getResult{common: s.common(p.Meta), freshness: s.freshness(p.Meta), Skill: k.entry}, nil
}

func (s *Server) directory(_ context.Context, _ *mcp.ServerSession, p *directoryParams) (*directoryResult, error) {
	if p == nil || p.URI == "" {
		return nil, invalid("params.uri is missing: the uri of a directory")
	}
	ix := s.now.Load()
	children, ok := ix.children(p.URI)
	if !ok || strings.HasSuffix(p.URI, "/") {
		return nil, invalid("%s is not a directory resource", clip(p.URI, 200))
	}
	got, next, err := page(children, func(c child) string { return c.uri }, p.Cursor, s.opts.PageSize)
	if err != nil {
		return nil, err
	}
	r := &directoryResult{common: s.common(p.Meta), NextCursor: next, Resources: []*mcp.Resource{}}
	for _, c := range got {
		if c.file != nil {
			r.Resources = append(r.Resources, c.file.resource())
			continue
		}
		segments, err := checkURI(c.uri)
		if err != nil {
			return nil, err
		}
		r.Resources = append(r.Resources, &mcp.Resource{URI: c.uri, Name: segments[len(segments)-1], MIMEType: directoryType})
	}
	return r, nil
}

// resource is the metadata of a file. A SKILL.md has its skill's name and description.
func (f fileAt) resource() *mcp.Resource {
	r := &mcp.Resource{URI: f.uri, MIMEType: f.mime, Size: f.Size, Name: f.rel[strings.LastIndexByte(f.rel, '/')+1:]}
	if f.main != nil {
		r.Name, r.Description = f.main.name, f.main.about
	}
	return r
}

// resources answers the base protocol's own methods for the files of skills. Their
// results are of our own types, since the SDK's have the newer fields in all revisions.
func (s *Server) resources(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "resources/list":
			p, _ := req.GetParams().(*mcp.ListResourcesParams)
			if p == nil {
				p = &mcp.ListResourcesParams{}
			}
			got, cursor, err := page(s.now.Load().files, func(f fileAt) string { return f.uri }, p.Cursor, s.opts.PageSize)
			if err != nil {
				return nil, err
			}
			r := &resourcesResult{common: s.common(p.Meta), freshness: s.freshness(p.Meta), NextCursor: cursor, Resources: make([]*mcp.Resource, len(got))}
			for i, f := range got {
				r.Resources[i] = f.resource()
			}
			return r, nil
		case "resources/templates/list":
			meta := req.GetParams().GetMeta()
			return &templatesResult{common: s.common(meta), freshness: s.freshness(meta), Templates: []*mcp.ResourceTemplate{}}, nil
		case "resources/read":
			p, _ := req.GetParams().(*mcp.ReadResourceParams)
			if p == nil {
				return nil, invalid("params.uri is missing")
			}
			return s.read(ctx, p)
		}
		return next(ctx, method, req)
	}
}

// read reads a file anew. One that is no longer what the index says is looked at
// again first, so that the entry which a client fetches next is of these bytes.
func (s *Server) read(ctx context.Context, p *mcp.ReadResourceParams) (mcp.Result, error) {
	for again := false; ; again = true {
		ix := s.now.Load()
		i, ok := ix.byFile[p.URI]
		if !ok {
			return nil, notServed(p.URI)
		}
		f := ix.files[i]
		content, _, err := readFile(f.of.bundle.Files, f.rel, MaxSize)
		stale := err != nil || !f.of.bundle.Dynamic && digest(content) != f.Digest
		if stale && !again {
			if rerr := s.Refresh(ctx); rerr != nil {
				s.opts.Log.Warn("the skills cannot be read; what was served before still is", "error", rerr)
			}
			continue
		}
		if err != nil {
			s.opts.Log.Warn("a file cannot be read", "uri", skill.Sanitize(p.URI), "error", err)
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the file cannot be read"}
		}
		c := contents{URI: p.URI, MIMEType: f.mime}
		if isText(content) {
			text := string(content)
			c.Text = &text
		} else {
			c.Blob = content
		}
		return &readResult{common: s.common(p.Meta), freshness: s.freshness(p.Meta), Contents: []contents{c}}, nil
	}
}
