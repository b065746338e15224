// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acpskill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// A shelf is the skills that one session offers, and tells its client of changes.
type shelf struct {
	*acpskill.Session
	roots     []string
	untrusted []string      // workspaces of it that the user does not trust
	changed   chan struct{} // capacity 1
	gone      chan struct{}
	once      sync.Once

	mu      sync.Mutex
	offered *offered // of the snapshot that was looked at last
}

func (h *handler) openShelf(ctx context.Context, roots []string) (*shelf, error) {
	sh := &shelf{roots: roots, changed: make(chan struct{}, 1), gone: make(chan struct{})}
	where := catalog.Options{} // nowhere, so nothing is found
	if h.opts.Level != LevelNone {
		where = h.opts.Catalog
		where.Workspace = roots
		where.Trusted = func(dir string) bool {
			if h.trust.granted(dir) || h.opts.Catalog.Trusted != nil && h.opts.Catalog.Trusted(dir) {
				return true
			}
			if !slices.Contains(sh.untrusted, dir) {
				sh.untrusted = append(sh.untrusted, dir)
			}
			return false
		}
	}
	skills, err := acpskill.Open(ctx, h.catalogs, acpskill.SessionOptions{Catalog: where})
	if err != nil {
		return nil, err
	}
	sh.Session = skills
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

// offer is what the model can use now.
func (sh *shelf) offer() *offered {
	snap := sh.Catalog()
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.offered == nil || sh.offered.of != snap {
		sh.offered = offer(snap)
	}
	return sh.offered
}

// withheld are the untrusted workspaces that have skills which the model would be told
// of if they were trusted, and such a skill of each.
func (sh *shelf) withheld() (dirs []string, examples map[string]*catalog.Entry) {
	examples = map[string]*catalog.Entry{}
	for _, e := range sh.Catalog().All() {
		if e.Trusted || !e.ModelInvocable() {
			continue
		}
		for _, dir := range sh.untrusted {
			if examples[dir] == nil && isIn(dir, e.Path) {
				dirs, examples[dir] = append(dirs, dir), e
			}
		}
	}
	return dirs, examples
}

// trusts reports whether the user trusts where a skill comes from.
func (sh *shelf) trusts(key string) bool {
	for _, e := range sh.Catalog().All() {
		if keyOf(e.Skill) == key {
			return e.Trusted
		}
	}
	return false
}

// isIn tells whose a skill is. It decides about no access.
func isIn(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
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
