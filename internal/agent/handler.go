// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// A handler has the sessions of one connection.
type handler struct {
	opts     Options
	catalogs *catalog.Store
	ownStore bool
	archive  *archive
	trust    trusting
	pool     pool
	grants   *grants
	scripts  scripts
	log      *slog.Logger

	mu       sync.Mutex
	sessions map[string]*session
}

var (
	_ acp.AgentHandler       = (*handler)(nil)
	_ acp.SessionForker      = (*handler)(nil)
	_ acp.SessionDeleter     = (*handler)(nil)
	_ acp.SkillChecker       = (*handler)(nil)
	_ acp.ConfigOptionSetter = (*handler)(nil)
)

func newHandler(opts *Options) *handler {
	h := &handler{sessions: make(map[string]*session)}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.Version == "" {
		h.opts.Version = "dev"
	}
	if h.opts.Mode == "" {
		h.opts.Mode = ModeAsk
	}
	if h.opts.CatalogueTokens <= 0 {
		h.opts.CatalogueTokens = DefaultCatalogueTokens
	}
	if h.opts.MaxRequests <= 0 {
		h.opts.MaxRequests = defaultMaxRequests
	}
	if h.log = h.opts.Log; h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.catalogs = h.opts.Store; h.catalogs == nil {
		h.catalogs, h.ownStore = catalog.NewStore(nil), true
	}
	h.archive = newArchive(h.opts.StateDir, h.log)
	h.pool.open = h.opts.OpenModel
	h.grants = newGrants(h.opts.GrantsDir)
	h.scripts.unsandboxed = h.opts.Unsandboxed
	return h
}

// close gives back what the sessions hold. The connection has ended, and with it
// their work.
func (h *handler) close() {
	h.mu.Lock()
	sessions := h.sessions
	h.sessions = nil
	h.mu.Unlock()
	for _, s := range sessions {
		s.close()
	}
	h.archive.close()
	h.pool.close()
	if h.ownStore {
		_ = h.catalogs.Close()
	}
}

func (h *handler) session(as *acp.AgentSession) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[as.ID()]; s != nil && s.client == as {
		return s
	}
	return nil
}

// enter makes a session one of the connection's. It fails when the client has
// closed the session while it was being set up.
func (h *handler) enter(s *session) error {
	h.mu.Lock()
	id := s.client.ID()
	old := h.sessions[id]
	err := context.Cause(s.client.Context())
	if err == nil {
		h.sessions[id] = s
	}
	h.mu.Unlock()
	if old != nil {
		old.close() // of the time before it was closed and resumed
	}
	return err
}

func (h *handler) leave(s *session) {
	id := s.client.ID()
	h.mu.Lock()
	if h.sessions[id] == s {
		delete(h.sessions, id)
	}
	h.mu.Unlock()
	s.close()
	h.archive.release(id)
}

// NewSession implements [acp.AgentHandler].
func (h *handler) NewSession(ctx context.Context, as *acp.AgentSession, r *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
	roots, err := workspace(r.Cwd, r.AdditionalDirectories)
	if err != nil {
		return nil, err
	}
	return h.setUp(ctx, as, roots, h.archive.create(as.ID(), roots[0]))
}

// ForkSession implements [acp.SessionForker]. The working directory may be
// another one: the copy is a session of its own.
func (h *handler) ForkSession(ctx context.Context, as *acp.AgentSession, r *acp.ForkSessionRequest) (*acp.ForkSessionResponse, error) {
	roots, err := workspace(r.Cwd, r.AdditionalDirectories)
	if err != nil {
		return nil, err
	}
	copied, err := h.archive.fork(r.SessionID, as.ID(), roots[0])
	if err != nil {
		return nil, err
	}
	return h.setUp(ctx, as, roots, copied)
}

// setUp opens a session that the client does not know yet, and that is forgotten
// if it never will. Its list becomes part of the response.
func (h *handler) setUp(ctx context.Context, as *acp.AgentSession, roots []string, hist *history) (resp *acp.NewSessionResponse, err error) {
	defer func() {
		if err != nil {
			_ = h.archive.remove(hist.id) // what is left behind can be deleted by the user
		}
	}()
	sh, err := h.openShelf(ctx, roots)
	if err != nil {
		return nil, err
	}
	s := h.newSession(as, hist, sh)
	if err = h.enter(s); err == nil {
		err = as.SetCommands(ctx, sh.commands())
	}
	if err != nil {
		h.leave(s)
		return nil, err
	}
	sh.report(as, h.log)
	return &acp.NewSessionResponse{ConfigOptions: s.configOptions()}, nil
}

func (h *handler) newSession(as *acp.AgentSession, hist *history, sh *shelf) *session {
	s := &session{handler: h, client: as, history: hist, shelf: sh, state: acp.StateIdle}
	s.configure()
	return s
}

// ResumeSession implements [acp.AgentHandler].
func (h *handler) ResumeSession(ctx context.Context, as *acp.AgentSession, r *acp.ResumeSessionRequest) (*acp.ResumeSessionResponse, error) {
	replay := r.ReplaysFromStart()
	if !replay && r.ReplayFrom != nil {
		return nil, invalidParams(`params.replayFrom: this agent replays from {"type":"start"} only`)
	}
	roots, err := workspace(r.Cwd, r.AdditionalDirectories)
	if err != nil {
		return nil, err
	}
	hist, err := h.archive.open(r.SessionID)
	if err != nil {
		return nil, err
	}
	if hist.cwd != roots[0] {
		return nil, invalidParams("params.cwd: the session belongs to %s; resume it there, or fork it", skill.Sanitize(hist.cwd))
	}
	sh, err := h.openShelf(ctx, roots)
	if err != nil {
		return nil, err
	}
	s := h.session(as)
	fresh := s == nil
	if fresh {
		s = h.newSession(as, hist, sh)
		err = h.enter(s)
	} else {
		s.replaceShelf(sh)
	}
	if err == nil {
		err = s.restore(ctx, replay)
	}
	if err != nil {
		if fresh {
			h.leave(s)
		}
		return nil, err
	}
	sh.report(as, h.log)
	return &acp.ResumeSessionResponse{AvailableCommands: sh.commands(), ConfigOptions: s.configOptions()}, nil
}

// ListSessions implements [acp.AgentHandler].
func (h *handler) ListSessions(_ context.Context, r *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	return h.archive.page(r)
}

// CloseSession implements [acp.AgentHandler].
func (h *handler) CloseSession(_ context.Context, as *acp.AgentSession) error {
	if s := h.session(as); s != nil {
		h.leave(s)
	}
	return nil
}

// DeleteSession implements [acp.SessionDeleter]. A session that is not there is
// deleted.
func (h *handler) DeleteSession(_ context.Context, id string) error { return h.archive.remove(id) }

// CheckSkill implements [acp.SkillChecker]: the catalog knows sooner than the
// client's list that a skill is gone, and which ones only the model may use.
func (h *handler) CheckSkill(as *acp.AgentSession, name string) acp.Resolution {
	s := h.session(as)
	if s == nil {
		return acp.Resolution{}
	}
	return s.skills().Resolve(name)
}

// Prompt implements [acp.AgentHandler].
func (h *handler) Prompt(ctx context.Context, as *acp.AgentSession, p *acp.UserPrompt) (*acp.PromptResponse, error) {
	s := h.session(as)
	if s == nil {
		return nil, errNotInserted()
	}
	id, err := s.prompt(ctx, p)
	if err != nil {
		return nil, err
	}
	return &acp.PromptResponse{MessageID: id}, nil
}

// Cancel implements [acp.AgentHandler].
func (h *handler) Cancel(_ context.Context, as *acp.AgentSession) {
	if s := h.session(as); s != nil {
		s.cancel()
	}
}

// workspace is the session's roots, the working directory first. Relative ones
// would mean whatever directory this process happens to be in (E10).
func workspace(cwd string, additional []string) ([]string, error) {
	if !filepath.IsAbs(cwd) {
		return nil, invalidParams("params.cwd: %s is not an absolute path on this machine", quoted(cwd))
	}
	roots := []string{filepath.Clean(cwd)}
	for i, dir := range additional {
		if !filepath.IsAbs(dir) {
			return nil, invalidParams("params.additionalDirectories[%d]: %s is not an absolute path on this machine", i, quoted(dir))
		}
		roots = append(roots, filepath.Clean(dir))
	}
	return roots, nil
}

func quoted(s string) string { return `"` + skill.Sanitize(s) + `"` }

func invalidParams(format string, args ...any) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, format, args...)
}

// errNotInserted answers a prompt that was cancelled before it was let in.
func errNotInserted() error {
	return jsonrpc.Errorf(jsonrpc.CodeCancelled, "the prompt was cancelled before it was inserted")
}

func sessionNotFound(id string) error {
	e := jsonrpc.Errorf(jsonrpc.CodeNotFound, "there is no session %s; session/list has those that can be resumed", quoted(id))
	if data, err := json.Marshal(map[string]string{"sessionId": id}); err == nil {
		e.Data = data
	}
	return e
}
