// SPDX-License-Identifier: Apache-2.0

package format

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
)

// An AgentUse is what an agent behind "skillgraft run" gets for a skill that its user
// chose. Everything in it is worked out from the agent's profile.
type AgentUse struct {
	Profile string `json:"profile"`
	Title   string `json:"title"`
	// Reads says that the agent finds the skill itself, in Folder.
	Reads  bool   `json:"reads"`
	Folder string `json:"folder,omitempty"`
	// Front and Inside are what the agent gets when the skill stands before a text, and
	// in the middle of one. Empty: the skill's instructions, written out.
	Front  string `json:"front,omitempty"`
	Inside string `json:"inside,omitempty"`
}

// usesOf lists what each known agent gets.
func usesOf(s *skill.Skill, paths []string) []AgentUse {
	var out []AgentUse
	profiles, _ := cli.Profiles()
	for _, p := range profiles {
		u := AgentUse{Profile: p.Name, Title: p.Title}
		if u.Folder = readsFrom(p, paths); u.Folder != "" {
			u.Reads = true
			if p.Form != nil && s.UserInvocable() {
				use := profile.Use{Name: s.Name, Path: s.File}
				u.Front = formed(p.Form, use, "", " ...")
				u.Inside = formed(p.Form, use, "... ", " ...")
			}
		}
		out = append(out, u)
	}
	return out
}

// readsFrom is the folder of a profile that one of a skill's files lies in, or "".
func readsFrom(p *profile.Profile, paths []string) string {
	home := resolved(cli.Home())
	for _, path := range paths {
		slash := filepath.ToSlash(path)
		for _, f := range p.Reads.All() {
			base, _, found := strings.Cut(slash, "/"+f+"/")
			if !found {
				continue
			}
			folders := p.Reads.Workspace
			if home != "" && base == filepath.ToSlash(home) {
				folders = p.Reads.User
			}
			if slices.Contains(folders, f) {
				return f
			}
		}
	}
	return ""
}

// formed is a prompt with a skill in it as the agent gets it, or "" when the agent's
// own form does not do there.
func formed(form profile.Form, use profile.Use, before, after string) string {
	var blocks [][]byte
	if before != "" {
		blocks = append(blocks, profile.TextBlock(before))
	}
	use.Block = len(blocks)
	blocks = append(blocks, []byte(`{"type":"skill"}`), profile.TextBlock(after))
	out, written := form.Apply(blocks, []profile.Use{use}, 0)
	if !written[0] {
		return ""
	}
	var b strings.Builder
	for _, block := range out {
		if block != nil {
			text, _ := rawjson.GetString(block, "text")
			b.WriteString(text)
		}
	}
	return b.String()
}
