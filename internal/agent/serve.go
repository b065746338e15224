// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// Options are the choices of [Serve]. A nil pointer means the zero value: skills
// of the workspace only, and sessions that end with the connection.
type Options struct {
	// Catalog says where skills are looked for. Workspace is filled in for each
	// session: its working directory, then its additional directories.
	Catalog catalog.Options
	// Store shares catalogs with others. Nil means one for this call.
	Store *catalog.Store
	// StateDir is where sessions are kept, so that they can be resumed by another
	// process. It is created when there is something to keep, for the user alone.
	// Empty means that sessions are kept in memory.
	StateDir string
	// GrantsDir is where permissions that last are kept; empty means in memory.
	GrantsDir string
	// Level is where skill blocks are taken.
	Level Level
	// Version is the agent's version; empty means "dev".
	Version string
	// Models are the specs of the models to choose from, the default one first, as
	// [model.Open] takes them, or [ModelOffline]. Offline can always be chosen, and is
	// the default without any.
	Models []string
	// OpenModel opens a model; nil means [model.Open] without options.
	OpenModel func(spec string) (model.Model, error)
	// Mode is what a session does without asking; empty means [ModeAsk].
	Mode Mode
	// KeepTrust remembers that the user trusts a workspace. Nil means that the client is
	// not asked about it.
	KeepTrust func(dir string) error
	// CatalogueTokens is the budget of the skills' catalogue in the system prompt; 0
	// means [DefaultCatalogueTokens].
	CatalogueTokens int
	// MaxRequests is how often one turn may ask the model; 0 means 100.
	MaxRequests int
	// Unsandboxed lets scripts run where the system has no sandbox for them.
	Unsandboxed bool
	// ChunkPause is the time between two pieces of an answer without a model.
	ChunkPause time.Duration
	// Log is told what goes wrong that no client has to know. Nil means nobody.
	Log *slog.Logger
}

// Serve serves the client at the other end of rw until it goes or ctx ends, and
// closes rw. When it returns, no goroutine of the agent is left. The error is nil
// when the stream ended in order.
func Serve(ctx context.Context, rw io.ReadWriteCloser, opts *Options) error {
	h := newHandler(opts)
	defer h.close()
	if err := h.archive.probe(); err != nil {
		h.log.Warn("sessions cannot be kept, and each prompt will be refused: use --state none, or a directory that can be written to", "dir", h.archive.dir, "error", err)
	}
	return h.serve(ctx, rw)
}

func (h *handler) serve(ctx context.Context, rw io.ReadWriteCloser) error {
	title := "skillgraft"
	if h.models("")[0] == ModelOffline {
		title += " (offline)"
	}
	return acp.NewAgent(h, &acp.AgentOptions{
		Info:   acp.Implementation{Name: "skillgraft", Title: title, Version: h.opts.Version},
		Skills: h.opts.Level.support(),
		Capabilities: acp.AgentCapabilities{Session: &acp.SessionCapabilities{
			Prompt: &acp.PromptCapabilities{
				Image: &acp.Capability{}, Audio: &acp.Capability{}, EmbeddedContext: &acp.Capability{},
			},
			AdditionalDirectories: &acp.Capability{},
		}},
	}).Serve(ctx, rw)
}
