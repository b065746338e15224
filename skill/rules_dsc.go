// SPDX-License-Identifier: Apache-2.0

package skill

// discoveryRules are the rules about finding skills.
func discoveryRules() []Rule {
	return []Rule{
		{
			ID: "DSC-1", Title: "Where skills are looked for",
			Text:  "First in the workspace: the working directory and each directory above it up to the git root, nearest first, then further directories in the client's order. Then in the user's home, in configured roots, and in the program. In each place .agents/skills comes before .claude/skills. Paths must be absolute.",
			Why:   "A relative path means another place for each process that reads it.",
			Wrong: "additionalDirectories: [\"shared\"]\n",
			Right: "additionalDirectories: [\"/src/shared\"]\n",
		},
		{
			ID: "DSC-2", Title: "A search has bounds",
			Text:  "Under a root a skill may lie up to 6 levels deep, and 2,000 directories are searched. A skill's own directory is not searched for more skills; dot-directories and node_modules are not entered.",
			Why:   "A root that is too wide, a home directory say, must not hold up a session.",
			Wrong: ".agents/skills/checkout-of-everything/   (5,000 directories)\n",
			Right: ".agents/skills/pdf/SKILL.md\n",
		},
		{
			ID: "DSC-3", Title: "One file is one skill",
			Text:  "A file that is reached in two ways, through a link or a root given twice, is listed once.",
			Why:   "Two entries for one file would look like a collision.",
			Wrong: "pdf, claude:pdf   (.claude/skills links to .agents/skills)\n",
			Right: "pdf\n",
		},
		{
			ID: "DSC-4", Title: "One name means one skill",
			Text:  "Of two skills with one name the one found first has it; the other stays reachable under a qualified name. Rename one of them, or remove it.",
			Why:   "Whoever types a name must get the skill that the list showed.",
			Wrong: "project/.agents/skills/tdd   and   ~/.agents/skills/tdd, different\n",
			Right: "project/.agents/skills/tdd   and   ~/.agents/skills/tdd-personal\n",
		},
		{
			ID: "DSC-5", Title: "Links stay where they are trusted",
			Text:  "Links are followed in the user's own and configured roots. In a workspace they are followed when the target lies inside of it, or the user trusts the workspace.",
			Why:   "A repository could otherwise show any file of yours as a skill.",
			Wrong: ".agents/skills/notes/SKILL.md -> /home/me/notes.md\n",
			Right: ".agents/skills/notes -> ../../shared/notes\n",
		},
		{
			ID: "DSC-6", Title: "What cannot be read is said, and the rest loads",
			Text:  "A directory without the right to read it, a file where a directory should be, or a home that is no absolute path is reported; everything else is searched.",
			Why:   "Silence would leave you wondering why a skill is missing.",
			Wrong: ".claude/skills   (a file)\n",
			Right: ".claude/skills/pdf/SKILL.md\n",
		},
		{
			ID: "DSC-7", Title: "Only the heads of regular files are read",
			Text:  "For a list only the first 64 KiB of a SKILL.md are read, and never from a FIFO, a device or a directory of that name. The frontmatter has to end within them.",
			Why:   "A list of ten thousand skills has to be there at once, and a pipe would never end.",
			Wrong: "SKILL.md is a named pipe\n",
			Right: "SKILL.md is a file\n",
		},
		{
			ID: "DSC-8", Title: "Looking changes nothing",
			Text:  "Discovery runs no script, follows no instruction in a file, and writes nothing.",
			Why:   "Opening a strange repository must be safe.",
			Wrong: "a hook of a skill runs when the skill is listed\n",
			Right: "the skill is listed\n",
		},
		{
			ID: "DSC-9", Title: "Changes are seen without a restart",
			Text:  "A skill that is added, edited, renamed or removed shows in the list soon after, and a change that changes nothing is not reported.",
			Why:   "Who writes a skill tries it at once.",
			Wrong: "restart the editor to see the new description\n",
			Right: "save, and the list has it\n",
		},
	}
}
