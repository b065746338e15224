// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/skillgraft/skillgraft/internal/buildinfo"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/internal/trust"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// Choices are what a user can choose about skills and agents, as flags have it.
type Choices struct {
	Roots      []string // --root
	UserSkills bool     // --user-skills
	Profile    string   // --profile, a name or a file; empty to pick one
	NoJournal  bool     // --no-journal
	Verbose    bool     // --verbose

	Trust       trust.Mode // --trust
	AskNobody   bool       // trust is as it is: nobody is asked
	ModelSkills bool       // --model-skills
	MCPSkills   string     // --mcp-skills; empty is off
}

// Catalog says where skills are looked for. Workspace is left to the session.
func (c Choices) Catalog() (catalog.Options, error) {
	o := catalog.Options{Home: Home(), NoUser: !c.UserSkills, Trusted: c.trusts(nil)}
	var err error
	o.Extra, err = absolutes(c.Roots)
	return o, err
}

// Home is the user's home directory, empty when none is known or it is no
// absolute path: then there is no user scope (DSC-6).
func Home() string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return home
}

// Graft sets up the stage that adds skills for the agent of a command line. The
// stage's user has to call done when the stage is closed.
//
// Old sessions are removed from the journal meanwhile. That ends with done, too.
func (c Choices) Graft(ctx context.Context, agent []string, log *slog.Logger) (opts graft.Options, done func(), err error) {
	p, err := PickProfile(c.Profile)
	if err != nil {
		return opts, nil, err
	}
	profiles, wrong := Profiles()
	for _, err := range wrong {
		log.Warn("a profile of yours is left out", "error", err)
	}
	where, err := c.Catalog()
	if err != nil {
		return opts, nil, err
	}
	for _, root := range where.Extra {
		if st, err := os.Stat(root); err != nil || !st.IsDir() {
			log.Warn("a --root is no directory now, and is looked at again when it is", "root", root)
		}
	}
	if where.Home == "" && c.UserSkills {
		log.Warn("the home directory is not known: the user's own skills are left out; set HOME to have them")
	}
	where.Trusted = c.trusts(func(err error) { log.Warn("no workspace is trusted", "error", err) })
	store := catalog.NewStore(nil)
	opts = graft.Options{Store: store, Catalog: where, Profile: p, Profiles: profiles, Version: buildinfo.Read().Version}
	if c.Trust == trust.Ask && !c.AskNobody {
		opts.KeepTrust = func(dir string) error {
			_, err := TrustStore().Add(dir, false)
			return err
		}
	}
	if opts.MCPSkills, err = c.mcpSkills(log); err != nil {
		return opts, nil, err
	}
	if c.ModelSkills {
		exe, err := os.Executable()
		if err != nil {
			return opts, nil, fmt.Errorf("the model cannot be offered skills, since this program does not know where it lies: %w", err)
		}
		opts.ModelServer = c.modelServer(exe, where)
	}
	stopPruning := func() {}
	if dir := c.journalDir(log); dir != "" {
		opts.Journal = func(info string) *journal.Journal {
			return journal.Open(journal.Options{Dir: dir, Agent: identity(info, agent)})
		}
		stopPruning = prune(ctx, journal.Open(journal.Options{Dir: dir}), log)
	}
	return opts, func() {
		stopPruning()
		_ = store.Close()
	}, nil
}

func (c Choices) journalDir(log *slog.Logger) string {
	if c.NoJournal {
		return ""
	}
	dir, err := journal.DefaultDir()
	if err != nil {
		log.Warn("prompts are not remembered: after a resume the client sees what the agent got", "error", err)
		return ""
	}
	return dir
}

// identity tells the sessions of one agent from those of another (PXY-5).
func identity(info string, command []string) string {
	if info != "" || len(command) == 0 {
		return info
	}
	return filepath.Base(command[0])
}

func prune(ctx context.Context, j *journal.Journal, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := j.Prune(ctx)
		if err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
			log.Warn("old sessions could not be removed from the journal", "error", err)
		}
	}()
	return func() { cancel(); <-done }
}
