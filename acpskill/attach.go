// SPDX-License-Identifier: Apache-2.0

package acpskill

import (
	"context"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// Attach opens the skills of an agent's session and keeps the client's list up
// to date with the disk (ACP-A8), behind the agent's own commands, until the
// session ends. It is called when the session is set up, so that the first list
// is part of the response. The names of the commands are reserved.
func Attach(ctx context.Context, s *acp.AgentSession, store *catalog.Store, opts SessionOptions, commands ...acp.AvailableCommand) (*Session, error) {
	for _, c := range commands {
		opts.Reserved = append(opts.Reserved[:len(opts.Reserved):len(opts.Reserved)], c.EntryName())
	}
	skills, err := Open(ctx, store, opts)
	if err != nil {
		return nil, err
	}
	report := func(ctx context.Context) error {
		list := append([]acp.AvailableCommand{}, commands...)
		for _, k := range skills.Skills() {
			list = append(list, k)
		}
		return s.SetCommands(ctx, list)
	}
	// The catalog's goroutine must not wait for a client that reads slowly.
	changed := make(chan struct{}, 1)
	skills.OnChange(func([]*acp.Skill) {
		select {
		case changed <- struct{}{}:
		default: // the report that is due takes this change along
		}
	})
	if err := report(ctx); err != nil {
		skills.Close()
		return nil, err
	}
	open := s.Go(func(ctx context.Context) {
		defer skills.Close()
		for {
			select {
			case <-ctx.Done():
				return
			case <-changed:
				_ = report(ctx) // the connection has ended, or the session is about to
			}
		}
	})
	if !open {
		skills.Close()
		return nil, acp.ErrSessionClosed
	}
	return skills, nil
}
