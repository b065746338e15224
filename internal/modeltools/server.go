// SPDX-License-Identifier: Apache-2.0

package modeltools

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillgraft/skillgraft/skill/catalog"
)

// Options set up a [Server].
type Options struct {
	// Catalog says where the session's skills are, and with Trusted which of its
	// workspaces the user trusts. Trusted is asked again from time to time as long
	// as it has said no.
	Catalog catalog.Options
	// Store keeps the catalog.
	Store *catalog.Store
	// Version is ours.
	Version string
	// Log may be nil.
	Log *slog.Logger
	// Recheck is the time between two questions about trust; 0 means two seconds.
	Recheck time.Duration
}

const defaultRecheck = 2 * time.Second

// A Server offers the skills of one session to its model. What the model was given
// is remembered for the session, so there is one server for each.
type Server struct {
	opts Options
	mcp  *mcp.Server

	changed chan struct{} // capacity 1: the catalog has another snapshot

	mu        sync.Mutex
	cat       *catalog.Catalog
	untrusted []string // workspaces that were not trusted when cat was opened
	offered   *offered
	given     map[string]string // by a skill's file, the hash of what the model has
}

// New reads the skills and makes a server. Close it.
func New(ctx context.Context, opts *Options) (*Server, error) {
	s := &Server{opts: *opts, changed: make(chan struct{}, 1), given: map[string]string{}, offered: &offered{}}
	if s.opts.Log == nil {
		s.opts.Log = slog.New(slog.DiscardHandler)
	}
	if s.opts.Recheck <= 0 {
		s.opts.Recheck = defaultRecheck
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "skillgraft", Title: "Agent Skills", Version: opts.Version}, &mcp.ServerOptions{
		// Also without tools: there may be some later.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Run serves one connection until the peer leaves, which is no error, or ctx ends.
func (s *Server) Run(ctx context.Context, t mcp.Transport) error {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { s.follow(ctx) })
	defer work.Wait()
	defer cancel()
	return s.mcp.Run(ctx, t)
}

// Close gives the catalog up.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.cat.Close() // reading only: there is nothing that closing could lose
}

// open opens the catalog anew, since trust is decided when one is opened, and
// takes over what it has.
func (s *Server) open(ctx context.Context) error {
	var untrusted []string
	o := s.opts.Catalog
	known := o.Trusted
	o.Trusted = func(dir string) bool {
		if known != nil && known(dir) {
			return true
		}
		untrusted = append(untrusted, dir)
		return false
	}
	cat, err := s.opts.Store.Open(ctx, o)
	if err != nil {
		return fmt.Errorf("reading the session's skills: %w", err)
	}
	cat.Subscribe(func(*catalog.Snapshot) {
		select {
		case s.changed <- struct{}{}:
		default: // the look that is due takes this change along
		}
	})
	s.mu.Lock()
	old := s.cat
	s.cat, s.untrusted = cat, untrusted
	s.mu.Unlock()
	if old != nil {
		_ = old.Close()
	}
	s.update()
	return nil
}

// follow keeps the tools in step with the disk and with the user's trust.
func (s *Server) follow(ctx context.Context) {
	recheck := time.NewTicker(s.opts.Recheck)
	defer recheck.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
			s.update()
		case <-recheck.C:
			if !s.nowTrusted() {
				continue
			}
			if err := s.open(ctx); err != nil && ctx.Err() == nil {
				s.opts.Log.Warn("a workspace is trusted now, and its skills cannot be read", "error", err)
			}
		}
	}
}

// nowTrusted reports whether a workspace is trusted that was not.
func (s *Server) nowTrusted() bool {
	s.mu.Lock()
	untrusted := s.untrusted
	s.mu.Unlock()
	if s.opts.Catalog.Trusted == nil {
		return false
	}
	for _, dir := range untrusted {
		if s.opts.Catalog.Trusted(dir) {
			return true
		}
	}
	return false
}

// update offers what the catalog has now. Peers are told when that is another
// list than before.
func (s *Server) update() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := offer(s.cat.Snapshot())
	same := now.equal(s.offered)
	s.offered = now
	switch {
	case same:
	case len(now.names) == 0:
		s.mcp.RemoveTools(activateTool, readTool)
	default:
		s.mcp.AddTool(activation(now), s.activate)
		s.mcp.AddTool(reading(now), s.read)
	}
}
