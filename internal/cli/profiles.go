// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/skillgraft/skillgraft/internal/proxy/profile"
)

// ProfileDir is where a user's own profiles of agents lie:
// $XDG_CONFIG_HOME/skillgraft/agents, with ~/.config where that is not set. It is
// empty when there is neither.
func ProfileDir() string {
	config := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		home := Home()
		if home == "" {
			return ""
		}
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "skillgraft", "agents")
}

// Profiles are the user's own profiles and then the built-in ones, and what is
// wrong with files of the user's: such a one is left out, and the others count.
func Profiles() (all []*profile.Profile, wrong []error) {
	dir := ProfileDir()
	if dir == "" {
		return profile.Known(), nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		wrong = append(wrong, err)
	}
	var own []*profile.Profile
	files := map[string]string{}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext != ".yaml" && ext != ".yml" {
			continue
		}
		file := filepath.Join(dir, e.Name())
		p, err := profile.ReadFile(file)
		if err == nil && files[p.Name] != "" {
			err = &profile.FileError{File: file, Field: "name", Msg: fmt.Sprintf("%s has the name %s already", files[p.Name], p.Name)}
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		files[p.Name] = file
		own = append(own, p)
	}
	return profile.With(own, profile.Known()), wrong
}

// PickProfile is the profile of a name, or of a file: what has a slash or ends in
// .yaml is one. It is nil for the empty name.
func PickProfile(name string) (*profile.Profile, error) {
	if name == "" {
		return nil, nil
	}
	if isProfileFile(name) {
		p, err := profile.ReadFile(name)
		if err != nil {
			return nil, Usagef("the profile cannot be used: %v", err)
		}
		return p, nil
	}
	all, wrong := Profiles()
	if p := profile.ByName(all, name); p != nil {
		return p, nil
	}
	also := ""
	for _, err := range wrong {
		also += fmt.Sprintf("; not read: %v", err)
	}
	return nil, Usagef("there is no profile %q: the known ones are %s; a file is one with a slash or .yaml in its name. Without --profile the one that fits the agent is picked%s", name, strings.Join(namesOf(all), ", "), also)
}

func isProfileFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// ProfileNames are the names that --profile takes.
func ProfileNames() []string {
	all, _ := Profiles()
	return namesOf(all)
}

func namesOf(all []*profile.Profile) []string {
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	return names
}
