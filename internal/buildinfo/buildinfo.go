// SPDX-License-Identifier: Apache-2.0

// Package buildinfo says which build of skillgraft this is. It knows only what
// the Go tool wrote into the program, so that no release can forget to set it.
package buildinfo

import (
	"runtime"
	"runtime/debug"
)

// An Info describes a build.
type Info struct {
	Version  string `json:"version"` // such as v1.2.0, or devel
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built with changes that are not in Revision
	Time     string `json:"time,omitempty"`     // of the revision, RFC 3339
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Read describes the running program.
func Read() Info {
	info := Info{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	if v := b.Main.Version; v != "" && v != "(devel)" {
		info.Version = v
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Revision = s.Value
		case "vcs.time":
			info.Time = s.Value
		case "vcs.modified":
			info.Modified = s.Value == "true"
		}
	}
	return info
}

// String is one line for people.
func (i Info) String() string {
	s := "skillgraft " + i.Version
	if len(i.Revision) >= 12 {
		s += " (" + i.Revision[:12]
		if i.Modified {
			s += ", changed"
		}
		s += ")"
	}
	return s + " " + i.Go + " " + i.Platform
}
