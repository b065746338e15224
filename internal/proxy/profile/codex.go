// SPDX-License-Identifier: Apache-2.0

package profile

// codex is codex-acp, measured with 2.6.0. It lists skills with a dollar before
// the name and finds $name anywhere in the text, also glued to other text and
// in embedded resources. With a path the path decides, so that a name that two
// folders share still means one skill; that form is refused for skills which
// Codex did not load itself.
func codex() *Profile {
	return &Profile{
		Name:     "codex",
		Title:    "Codex",
		Infos:    []string{"@agentclientprotocol/codex-acp", "codex-acp"},
		Commands: []string{"codex-acp"},
		Mark:     Mark{Prefix: "$"},
		Reads: Folders{
			Workspace:  []string{".agents/skills", ".codex/skills"},
			Additional: []string{".agents/skills"},
			User:       []string{".agents/skills", ".codex/skills"},
		},
		Form: Mention{Sigil: "$"},
	}
}
