// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/skill"
)

// trusting is what was said of the trust in workspaces, beyond what the options have.
// It is safe for concurrent use.
type trusting struct {
	mu    sync.Mutex
	yes   map[string]bool // by the client's answer
	asked map[string]bool // whatever the answer was
}

func (t *trusting) granted(dir string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.yes[dir]
}

// ask reports whether to ask about a workspace: once in the life of the process.
func (t *trusting) ask(dir string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asked[dir] {
		return false
	}
	if t.asked == nil {
		t.asked = map[string]bool{}
	}
	t.asked[dir] = true
	return true
}

// forget lets a workspace be asked about again: the question was not answered.
func (t *trusting) forget(dir string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.asked, dir)
}

func (t *trusting) grant(dir string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.yes == nil {
		t.yes = map[string]bool{}
	}
	t.yes[dir] = true
}

// What the client's answers are.
const (
	trustAlways = "trust"
	trustNow    = "trust-for-now"
	trustNot    = "not-now"
)

// gate asks the user about the workspaces whose skills the model is not told of
// because nobody has said that they are trusted. Only a turn in which a model could
// use them asks.
func (s *session) gate(ctx context.Context) {
	h := s.handler
	if h.opts.KeepTrust == nil {
		return
	}
	sh := s.skills()
	dirs, examples := sh.withheld()
	changed := false
	for _, dir := range dirs {
		switch {
		case h.trust.granted(dir): // since the folders were read, in another session
			changed = true
		case h.trust.ask(dir):
			changed = s.askTrust(ctx, dir, examples[dir].Skill.Name) || changed
		}
	}
	if !changed || ctx.Err() != nil {
		return
	}
	// Trust is decided when folders are opened.
	fresh, err := h.openShelf(ctx, sh.roots)
	if err != nil {
		if ctx.Err() == nil {
			h.log.Warn("a workspace is trusted now, and its skills cannot be read", "error", err)
		}
		return
	}
	s.replaceShelf(fresh)
	_ = s.client.SetCommands(ctx, fresh.commands()) // the list is sent again with the next change
	fresh.report(s.client, h.log)
}

func (s *session) askTrust(ctx context.Context, dir, example string) bool {
	r := &acp.RequestPermissionRequest{
		Title: "Trust the workspace " + skill.Sanitize(dir) + "?",
		Description: fmt.Sprintf("It has skills, such as %s, which the model is told of only if you do. Trust it only if you know where it comes from; skillgraft trust remove takes it back.",
			skill.Sanitize(example)),
		Options: []acp.PermissionOption{
			// A client that allows everything by itself takes the narrowest that allows:
			// that is then not remembered.
			{OptionID: trustAlways, Name: "Trust this workspace", Kind: acp.AllowAlways},
			{OptionID: trustNow, Name: "Trust it for now", Kind: acp.AllowOnce},
			{OptionID: trustNot, Name: "Not now", Kind: acp.RejectOnce},
		},
	}
	answer, err := s.question(ctx, r)
	if ctx.Err() != nil {
		s.handler.trust.forget(dir)
		return false
	}
	if err != nil || !answer.Allows(r) {
		return false
	}
	s.handler.trust.grant(dir)
	if answer.OptionID() == trustAlways {
		if err := s.handler.opts.KeepTrust(dir); err != nil {
			s.handler.log.Warn("a workspace is trusted as long as this agent runs, and that could not be remembered", "workspace", dir, "error", err)
		}
	}
	return true
}

// question asks the user, and shows that the work waits for the answer.
func (s *session) question(ctx context.Context, r *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.changeState(acp.StateRequiresAction)
	answer, err := s.client.RequestPermission(ctx, r)
	if s.isWorking() {
		s.changeState(acp.StateRunning)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answer, err
}

// isWorking reports whether the turn goes on: not only a call of it was ended.
func (s *session) isWorking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil && s.running.ctx.Err() == nil
}
