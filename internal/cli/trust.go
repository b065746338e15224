// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/skillgraft/skillgraft/internal/trust"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// AddTrustFlag adds the flag about workspaces that the user has not trusted.
func (c *Choices) AddTrustFlag(f *pflag.FlagSet) {
	f.TextVar(&c.Trust, "trust", trust.Ask, "trust workspaces: `MODE` is ask (what \"skillgraft trust\" has, and ask the client about others), always or never")
}

// TrustStore is the user's list of trusted workspaces. Without a home directory
// nothing is in it.
func TrustStore() *trust.Store {
	dir, err := trust.DefaultDir()
	if err != nil {
		dir = ""
	}
	return trust.Open(&trust.Options{Dir: dir, Home: Home()})
}

// trusts answers for [catalog.Options]. report, which may be nil, is told once why
// the store cannot be read; nothing is trusted then.
func (c Choices) trusts(report func(error)) func(dir string) bool {
	switch c.Trust {
	case trust.Always:
		return func(string) bool { return true }
	case trust.Never:
		return func(string) bool { return false }
	}
	store, once := TrustStore(), new(sync.Once)
	return func(dir string) bool {
		yes, err := store.Trusted(dir)
		if err != nil && report != nil {
			once.Do(func() { report(err) })
		}
		return yes
	}
}

// TrustAdd trusts a directory, or without one the workspace here.
func TrustAdd(dir string, force bool, std Streams) error {
	root, err := trustTarget(dir)
	if err != nil {
		return err
	}
	e, err := TrustStore().Add(root, force)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "trusted: %s\n", skill.Sanitize(e.Path))
	// Trust is asked about a repository as a whole.
	if top, err := catalog.WorkspaceRoot(e.Path); err == nil && top != e.Path {
		fmt.Fprintf(std.Out, "It is a part of the workspace %s. For sessions that work in it, trust that one: skillgraft trust add %q\n", skill.Sanitize(top), top)
	}
	return nil
}

// TrustRemove ends the trust in a directory, or without one in the workspace here.
func TrustRemove(dir string, std Streams) error {
	store := TrustStore()
	root, err := trustTarget(dir)
	if err != nil {
		return err
	}
	removed, err := store.Remove(root)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "no longer trusted: %s\n", skill.Sanitize(removed))
	if by, err := store.By(removed); err == nil && by != "" {
		fmt.Fprintf(std.Out, "It is still trusted as a part of %s.\n", skill.Sanitize(by))
	}
	return nil
}

// trustTarget is what a command is about. A directory that was named is meant as
// it is; here is the workspace that a session here would have.
func trustTarget(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return catalog.WorkspaceRoot(here)
}

// trustedDir is an entry of the list command.
type trustedDir struct {
	trust.Entry
	Exists bool `json:"exists"` // as a directory, now
}

// TrustList shows the trusted directories, or with dir the one that covers it: if
// there is none the error has no words.
func TrustList(dir string, asJSON bool, std Streams) error {
	store := TrustStore()
	entries, err := store.List()
	if err != nil {
		return err
	}
	if dir != "" {
		by, err := store.By(dir)
		if err != nil {
			return err
		}
		entries = slices.DeleteFunc(entries, func(e trust.Entry) bool { return e.Path != by })
	}
	list := make([]trustedDir, 0, len(entries))
	for _, e := range entries {
		st, err := os.Stat(e.Path)
		list = append(list, trustedDir{Entry: e, Exists: err == nil && st.IsDir()})
	}
	if asJSON {
		err = WriteJSON(std.Out, struct {
			Store   string       `json:"store"`
			Trusted []trustedDir `json:"trusted"`
		}{store.Path(), list})
	} else {
		err = printTrusted(list, std)
	}
	if err == nil && dir != "" && len(list) == 0 {
		return Silent(ExitFailure)
	}
	return err
}

func printTrusted(list []trustedDir, std Streams) error {
	if len(list) == 0 {
		fmt.Fprintln(std.Err, "nothing is trusted")
	}
	var failed error
	for _, e := range list {
		note := ""
		if !e.Added.IsZero() {
			note = "  since " + e.Added.Format(time.DateOnly)
		}
		if !e.Exists {
			note += "  (not there now)"
		}
		_, err := fmt.Fprintln(std.Out, skill.Sanitize(e.Path)+note)
		failed = errors.Join(failed, err)
	}
	return failed
}

// absolutes makes paths of flags absolute.
func absolutes(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		abs, err := filepath.Abs(p)
		if err != nil {
			return nil, err
		}
		out = append(out, abs)
	}
	return out, nil
}
