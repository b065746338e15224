// SPDX-License-Identifier: Apache-2.0

package skill

// formatRules are the rules about one SKILL.md.
func formatRules() []Rule {
	return []Rule{
		{
			ID: "FMT-1", Title: "A skill is a directory with a SKILL.md",
			Text:  "The defining file is a regular file called SKILL.md, in capitals. A lower-case skill.md is read when no SKILL.md stands beside it.",
			Why:   "On a disk that ignores case any spelling seems to work, and then the skill is gone on another machine.",
			Wrong: "pdf/\n  Skill.md\n",
			Right: "pdf/\n  SKILL.md\n",
		},
		{
			ID: "FMT-2", Title: "The frontmatter stands between two lines ---",
			Text:  "The first line of the file is exactly ---, and the next line that is exactly --- ends the frontmatter. Blanks may follow the dashes. Nothing else opens or closes it.",
			Why:   "Without the closing line nobody can tell where the fields end and the instructions begin.",
			Wrong: "---\nname: pdf\ndescription: Reads PDF files. Use for PDFs.\n\n# Reading\n",
			Right: "---\nname: pdf\ndescription: Reads PDF files. Use for PDFs.\n---\n\n# Reading\n",
		},
		{
			ID: "FMT-3", Title: "The file is UTF-8",
			Text:  "Save the file as UTF-8 without a byte order mark. A mark is ignored, and all line ends are accepted; bytes that are no UTF-8 cost the skill.",
			Why:   "Guessing an encoding would put other words before the model than you wrote.",
			Wrong: "bytes ff fe 2d 00 2d 00: UTF-16, as some editors save it\n",
			Right: "bytes 2d 2d 2d 0a: UTF-8\n",
		},
		{
			ID: "FMT-4", Title: "The frontmatter is one plain YAML mapping",
			Text:  "Write each field as name: value, each name once. A value with a colon and a blank in it, or one that starts with a special character such as @ * & ! [ {, goes in quotes. Anchors, aliases, merge keys and tags are not used.",
			Why:   "YAML gives such characters a meaning; agents then see another value, or drop the skill.",
			Wrong: "---\nname: meal-plan\ndescription: Plan meals: breakfast and lunch\n---\n",
			Right: "---\nname: meal-plan\ndescription: \"Plan meals: breakfast and lunch\"\n---\n",
		},
		{
			ID: "FMT-5", Title: "The name is a short identifier, equal to the directory's",
			Text:  "1 to 64 lower-case letters, digits and hyphens, no hyphen at an end, no two in a row. The directory that holds the SKILL.md has the same name.",
			Why:   "The name is what users type and agents look up; two names for one skill lead to the wrong one or none.",
			Wrong: "pdf-tools/SKILL.md\n---\nname: PDF_Tools\n---\n",
			Right: "pdf-tools/SKILL.md\n---\nname: pdf-tools\n---\n",
		},
		{
			ID: "FMT-6", Title: "The description says what the skill is for",
			Text:  "1 to 1024 characters of text, not blank. Say what the skill does and when to use it.",
			Why:   "It is all that a model sees when it decides whether to use the skill.",
			Wrong: "---\nname: pdf\ndescription:\n---\n",
			Right: "---\nname: pdf\ndescription: Extracts text from PDF files. Use when the user mentions a PDF.\n---\n",
		},
		{
			ID: "FMT-7", Title: "license and compatibility are text",
			Text:  "license is text, best the name of a licence or of a file. compatibility is text of 1 to 500 characters. Leave out what you do not need.",
			Why:   "Tools show both as they are; a list or a mapping has no one way to be shown.",
			Wrong: "license: [MIT, Apache-2.0]\n",
			Right: "license: MIT OR Apache-2.0\n",
		},
		{
			ID: "FMT-8", Title: "metadata maps names to text",
			Text:  "metadata is a mapping, and each of its values is text. Put a version in quotes, join lists with commas.",
			Why:   "A client that expects text cannot use a list or a nested mapping.",
			Wrong: "metadata:\n  tags: [pdf, forms]\n",
			Right: "metadata:\n  tags: pdf, forms\n",
		},
		{
			ID: "FMT-9", Title: "allowed-tools is one line",
			Text:  "The entries stand in one text with blanks between them. Blanks inside parentheses belong to the entry.",
			Why:   "Agents that expect text take a list for nothing, or a comma for a part of the tool's name.",
			Wrong: "allowed-tools: [Read, \"Bash(git add *)\"]\n",
			Right: "allowed-tools: Read Bash(git add *)\n",
		},
		{
			ID: "FMT-10", Title: "Only known fields stand at the top",
			Text:  "The format has name, description, license, compatibility, metadata and allowed-tools. What else you need goes into metadata. Fields of particular agents are fine where those agents are meant; other agents ignore them.",
			Why:   "A misspelt field has no effect and no one says so, which matters most where it was to restrict something.",
			Wrong: "---\nname: deploy\ndescription: Deploys the site. Use on request only.\nuser_invocable: false\n---\n",
			Right: "---\nname: deploy\ndescription: Deploys the site. Use on request only.\nuser-invocable: false\n---\n",
		},
		{
			ID: "FMT-11", Title: "Advice: what works badly though it is valid",
			Text:  "Keep the body under 500 lines and 5,000 tokens. Link only to files that exist, in the skill's directory, at most one folder deep. Say when to use the skill. Quote a value that contains a blank and a #. Keep invisible characters out. Give scripts a first line #! and the right to run. Do not have text from the network run unseen.",
			Why:   "An agent loads the whole body at once, follows the links, runs the scripts; each of these is a way for that to fail in use.",
			Wrong: "description: Sorts C# and #1 bugs\n",
			Right: "description: \"Sorts C# and #1 bugs. Use for bug triage.\"\n",
		},
		{
			ID: "FMT-12", Title: "Every finding can be acted on",
			Text:  "A finding names its rule, its weight, the file, the line and the column, and says what to do; where that is mechanical it carries the fix.",
			Why:   "A message from which the mistake cannot be mended only costs time.",
			Wrong: "invalid skill\n",
			Right: "pdf/SKILL.md:3:14: error: description is empty; say what the skill does and when to use it (FMT-6)\n",
		},
		{
			ID: "FMT-13", Title: "A broken one-line value is read as if quoted",
			Text:  "When the frontmatter is not YAML only because of one-line values, agents read those as if they were in quotes. The file is still wrong: put them in quotes.",
			Why:   "Dropping a skill for a colon helps no one, but other readers do drop it.",
			Wrong: "argument-hint: [file] [--all]\n",
			Right: "argument-hint: \"[file] [--all]\"\n",
		},
		{
			ID: "FMT-14", Title: "What costs a skill, and what does not",
			Text:  "A skill is left out only without usable frontmatter or description, when it is not UTF-8, not a regular file, or larger than 1 MiB. Blank lines and a comment before the frontmatter are tolerated, but other readers refuse them.",
			Why:   "A user who installed a skill wants it to load; everything that can be read is.",
			Wrong: "<!-- generated -->\n---\nname: pdf\ndescription: Reads PDF files.\n---\n",
			Right: "---\nname: pdf\ndescription: Reads PDF files.\n---\n<!-- generated -->\n",
		},
		{
			ID: "FMT-15", Title: "One bad skill never costs another one",
			Text:  "Each skill is read on its own, and what is wrong with one is reported for that one.",
			Why:   "A slip in one file must not empty a whole list.",
			Wrong: "2 skills found: none loaded, a/SKILL.md is broken\n",
			Right: "2 skills found: b loaded, a/SKILL.md is broken\n",
		},
	}
}
