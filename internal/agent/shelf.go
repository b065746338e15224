// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// A shelf is the skills that one session offers, and tells its client of changes.
type shelf struct {
	*acpskill.Session
	changed chan struct{} // capacity 1
	gone    chan struct{}
	once    sync.Once
}

func (h *handler) openShelf(ctx context.Context, roots []string) (*shelf, error) {
	where := catalog.Options{} // nowhere, so nothing is found
	if h.opts.Level != LevelNone {
		where = h.opts.Catalog
		where.Workspace = roots
	}
	skills, err := acpskill.Open(ctx, h.catalogs, acpskill.SessionOptions{Catalog: where})
	if err != nil {
		return nil, err
	}
	sh := &shelf{Session: skills, changed: make(chan struct{}, 1), gone: make(chan struct{})}
	// The callback is the catalog's goroutine, which serves all sessions: a client
	// that reads slowly must not hold it up.
	skills.OnChange(func([]*acp.Skill) {
		select {
		case sh.changed <- struct{}{}:
		default:
		}
	})
	return sh, nil
}

func (sh *shelf) close() {
	sh.once.Do(func() {
		close(sh.gone)
		sh.Session.Close()
	})
}

// commands is the list as the protocol has it.
func (sh *shelf) commands() []acp.AvailableCommand {
	skills := sh.Skills()
	out := make([]acp.AvailableCommand, len(skills))
	for i, s := range skills {
		out[i] = s
	}
	return out
}

// report sends the list whenever it has changed (ACP-A8), for as long as the
// shelf is the session's.
func (sh *shelf) report(as *acp.AgentSession, log *slog.Logger) {
	as.Go(func(ctx context.Context) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-sh.gone:
				return
			case <-sh.changed:
				err := as.SetCommands(ctx, sh.commands())
				if err != nil && ctx.Err() == nil && !errors.Is(err, acp.ErrSessionClosed) {
					log.Warn("the list of skills was not sent", "session", as.ID(), "error", err)
				}
			}
		}
	})
}
