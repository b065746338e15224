// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"embed"
	"fmt"
	"slices"
	"sync"
)

//go:embed agents/*.yaml
var files embed.FS

// order is that of the lists that people see; generic comes last.
var order = []string{"claude", "codex", "gemini", "qwen", "opencode", "kimi", "pi", "copilot", "goose", "vibe", "generic"}

// known is read once, when the first agent is met. The files are part of the program
// and a test reads them all, so one that is wrong is a fault of the program.
var known = sync.OnceValue(func() []*Profile {
	var all []*Profile
	for _, name := range order {
		file := "agents/" + name + ".yaml"
		data, err := files.ReadFile(file)
		if err == nil {
			var p *Profile
			if p, err = Parse(file, data); err == nil {
				all = append(all, p)
				continue
			}
		}
		panic(fmt.Sprintf("profile: %v", err))
	}
	return all
})

// Known lists the built-in profiles, the one for unknown agents last. They are shared;
// do not change them.
func Known() []*Profile { return slices.Clone(known()) }

// Generic is the profile of an agent of which nothing is known.
func Generic() *Profile { return ByName(known(), "generic") }

// ByName is the first profile of a name, nil when there is none.
func ByName(profiles []*Profile, name string) *Profile {
	for _, p := range profiles {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// With puts a user's profiles before others. One of a name that another one has
// takes its place.
func With(own, profiles []*Profile) []*Profile {
	all := slices.Clone(own)
	for _, p := range profiles {
		if ByName(own, p.Name) == nil {
			all = append(all, p)
		}
	}
	return all
}
