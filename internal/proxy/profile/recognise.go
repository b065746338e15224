// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Recognise says how an agent is told from others: by the name in its initialize
// response, else by its command line.
type Recognise struct {
	// Info are names that it gives itself.
	Info []string
	// Program are names of its program, without directory, version and ending.
	Program []string
	// Folder are folders in which its files lie, such as that of its package, with or
	// without a scope; they count in every word of the command line.
	Folder []string
}

// For picks the profile of an agent by the name it gave itself in its initialize
// response, else by its command line, from profiles in order of precedence. It
// never returns nil.
func For(profiles []*Profile, info string, command []string) *Profile {
	for _, p := range profiles {
		if slices.Contains(p.Recognise.Info, info) {
			return p
		}
	}
	program := programOf(command)
	for _, p := range profiles {
		if program != "" && slices.Contains(p.Recognise.Program, program) {
			return p
		}
	}
	for _, p := range profiles {
		for _, word := range command {
			if slices.ContainsFunc(p.Recognise.Folder, func(f string) bool { return liesIn(word, f) }) {
				return p
			}
		}
	}
	return Generic()
}

// runners start the program that stands behind them.
var runners = []string{"npx", "bunx", "uvx", "pnpx", "npm", "pnpm", "yarn", "bun", "deno", "uv", "node", "python", "python3", "env", "sudo", "nice", "exec", "dlx", "run", "x", "tool"}

// programOf is the name of the program that a command line starts, behind those
// that only start another one.
func programOf(command []string) string {
	for _, word := range command {
		name := withoutVersions(word)
		name = path.Base(name)
		name = strings.TrimSuffix(name, path.Ext(name))
		switch {
		case strings.HasPrefix(word, "-"), strings.Contains(word, "=") && !strings.Contains(word, "/"):
		case slices.Contains(runners, name):
		default:
			return name
		}
	}
	return ""
}

// liesIn reports whether a path, or the name of a package, has the folder in it.
func liesIn(word, folder string) bool {
	return strings.Contains("/"+withoutVersions(word)+"/", "/"+folder+"/")
}

// withoutVersions is a path, or the name of a package, with slashes and without what
// stands behind an @ in one of its parts.
func withoutVersions(word string) string {
	parts := strings.Split(filepath.ToSlash(word), "/")
	for i, part := range parts {
		if at := strings.LastIndexByte(part, '@'); at > 0 {
			parts[i] = part[:at]
		}
	}
	return strings.Join(parts, "/")
}
