// SPDX-License-Identifier: Apache-2.0

package skill

import "slices"

// protocolRules are the rules about skills in the Agent Client Protocol. They are text only:
// this package does not speak the protocol.
func protocolRules() []Rule { return slices.Concat(listingRules(), promptingRules()) }

// listingRules are about capabilities and lists.
func listingRules() []Rule {
	return []Rule{
		{
			ID: "ACP-C1", Title: "A client says that it knows skills",
			Text:  "The client's capabilities hold session.commands.skill as an object. Anything else, null included, means that it does not.",
			Why:   "A client that does not know skill entries would show them wrongly or fail.",
			Wrong: "{\"session\": {\"commands\": {\"skill\": true}}}\n",
			Right: "{\"session\": {\"commands\": {\"skill\": {}}}}\n",
		},
		{
			ID: "ACP-C2", Title: "An agent says where it takes skill blocks",
			Text:  "The agent's capabilities hold session.prompt.skill as an object, and in it inline as an object if blocks may stand anywhere and more than once.",
			Why:   "The client has to know before it offers to put a skill into a sentence.",
			Wrong: "{\"prompt\": {\"skill\": null}}\n",
			Right: "{\"prompt\": {\"skill\": {\"inline\": {}}}}\n",
		},
		{
			ID: "ACP-C3", Title: "Who lists skills takes skill blocks",
			Text:  "An agent that sends a skill entry advertises session.prompt.skill.",
			Why:   "A listed skill that cannot be invoked is a dead button.",
			Wrong: "{\"prompt\": {}}, and then an entry of type skill\n",
			Right: "{\"prompt\": {\"skill\": {}}}, and then an entry of type skill\n",
		},
		{
			ID: "ACP-C4", Title: "Skills need version 2",
			Text:  "Skill entries and blocks exist in protocol version 2. A peer of version 1 gets plain commands.",
			Why:   "Version 1 has no place for them.",
			Wrong: "a skill entry after protocolVersion 1\n",
			Right: "a command entry after protocolVersion 1\n",
		},
		{
			ID: "ACP-A1", Title: "Skill entries only for clients that know them",
			Text:  "No list of any kind carries a skill entry to a client that did not say it knows them.",
			Why:   "Such a client would drop or misread the entry.",
			Wrong: "{\"type\": \"skill\", \"name\": \"pdf\"} to a client without the capability\n",
			Right: "{\"type\": \"command\", \"name\": \"pdf\"} to that client\n",
		},
		{
			ID: "ACP-A2", Title: "Other clients get commands",
			Text:  "A client that does not know skills is offered the same skills as commands.",
			Why:   "Its users want the skills too.",
			Wrong: "an empty list\n",
			Right: "{\"type\": \"command\", \"name\": \"pdf\", \"description\": \"Work with PDFs\"}\n",
		},
		{
			ID: "ACP-A3", Title: "The form of a skill entry",
			Text:  "type skill, a name, a description, and if there is a file its absolute path. No input.",
			Why:   "A skill takes no argument of its own; the prompt around it is the argument.",
			Wrong: "{\"type\": \"skill\", \"name\": \"pdf\", \"input\": {\"hint\": \"file\"}}\n",
			Right: "{\"type\": \"skill\", \"name\": \"pdf\", \"description\": \"Work with PDFs\"}\n",
		},
		{
			ID: "ACP-A4", Title: "Names in a list are unique",
			Text:  "A name stands once among commands and skills together, and holds no white space. A second skill of the name is qualified.",
			Why:   "The name is the only handle that a block has.",
			Wrong: "tdd, tdd\n",
			Right: "tdd, user:tdd\n",
		},
		{
			ID: "ACP-A5", Title: "Listed descriptions are for people",
			Text:  "One line without control characters; the short form, if the skill has one.",
			Why:   "A menu has room for one line.",
			Wrong: "the whole of a description written for a model, with line breaks\n",
			Right: "metadata.short-description: Work with PDFs\n",
		},
		{
			ID: "ACP-A6", Title: "path is the real path",
			Text:  "The path of an entry is that of the SKILL.md on the agent's machine. A skill without a file has none.",
			Why:   "Users open it to see what they invoke.",
			Wrong: "\"path\": \"skills/pdf\"\n",
			Right: "\"path\": \"/src/app/.agents/skills/pdf/SKILL.md\"\n",
		},
		{
			ID: "ACP-A7", Title: "Only what the user may invoke is listed",
			Text:  "A skill with user-invocable: false is not in the list.",
			Why:   "Choosing it would only be refused.",
			Wrong: "an entry for a skill with user-invocable: false\n",
			Right: "no entry for it\n",
		},
		{
			ID: "ACP-A8", Title: "A change sends the whole list again",
			Text:  "After a change the full list goes out soon, once for each distinct list, and an entry keeps its type for the session.",
			Why:   "The last list is what counts.",
			Wrong: "only the new entry is sent\n",
			Right: "all entries are sent\n",
		},
		{
			ID: "ACP-A9", Title: "Bad entries are dropped alone",
			Text:  "A reader leaves out an entry without name or description, ignores a bad path, and hands on types that it does not know.",
			Why:   "One bad entry must not cost the list.",
			Wrong: "the list is refused because of one entry\n",
			Right: "the other entries are shown\n",
		},
	}
}

// promptingRules are about skill blocks and the client's side.
func promptingRules() []Rule {
	return []Rule{
		{
			ID: "ACP-P1", Title: "A block names a skill of the list",
			Text:  "A skill block has a name, which is one of the session's present skill entries byte for byte, and no input.",
			Why:   "Looking for something similar would run what the user did not choose.",
			Wrong: "{\"type\": \"skill\", \"name\": \"PDF\"}\n",
			Right: "{\"type\": \"skill\", \"name\": \"pdf\"}\n",
		},
		{
			ID: "ACP-P2", Title: "Without inline: one block, in front",
			Text:  "To an agent that has skill without inline a prompt holds at most one skill block, as its first block.",
			Why:   "The agent has no way to apply it elsewhere.",
			Wrong: "[text, skill]\n",
			Right: "[skill, text]\n",
		},
		{
			ID: "ACP-P3", Title: "With inline: anywhere",
			Text:  "To an agent that has inline a prompt may hold any number of skill blocks in any place.",
			Why:   "A sentence may name several skills.",
			Wrong: "the second block is refused\n",
			Right: "[text, skill csv, text, skill charts]\n",
		},
		{
			ID: "ACP-P4", Title: "A block that cannot be used rejects the prompt",
			Text:  "A block that is not allowed at its place or names no skill that the user may invoke makes the whole prompt an error, -32602, with the block's number and the reason. Nothing of the prompt takes effect. Choose from the present list and send again.",
			Why:   "Half a prompt would do something that nobody asked for.",
			Wrong: "the unknown block is left out and the rest is sent\n",
			Right: "{\"code\": -32602, \"message\": \"prompt[0]: no skill \\\"ghost\\\"\"}\n",
		},
		{
			ID: "ACP-P5", Title: "A block is the user's invocation",
			Text:  "It invokes the skill for this prompt as a whole, in each prompt anew.",
			Why:   "The user has chosen; the model is not asked again.",
			Wrong: "the model may decide whether to apply it\n",
			Right: "it applies\n",
		},
		{
			ID: "ACP-P6", Title: "The block stays in the message",
			Text:  "The user's message is reported and replayed with the block in its place.",
			Why:   "The conversation must show what was sent.",
			Wrong: "the skill's text instead of the block\n",
			Right: "{\"type\": \"skill\", \"name\": \"pdf\"} where it stood\n",
		},
		{
			ID: "ACP-P7", Title: "Clients without skills may see text",
			Text:  "When a session is replayed to a client that does not know skills, text may stand in a block's place.",
			Why:   "It could not show the block.",
			Wrong: "a skill block to such a client\n",
			Right: "/pdf as text\n",
		},
		{
			ID: "ACP-P8", Title: "A slash is for commands",
			Text:  "Text that starts with a slash invokes command entries only, and a link to a SKILL.md is ordinary context.",
			Why:   "Text is not a choice from the list.",
			Wrong: "/pdf in the text invokes a skill entry\n",
			Right: "a skill block invokes it\n",
		},
		{
			ID: "ACP-P9", Title: "Blocks elsewhere mean nothing",
			Text:  "A skill block outside of a user's message triggers nothing.",
			Why:   "Only the user invokes.",
			Wrong: "a block in a tool's output activates a skill\n",
			Right: "it is shown\n",
		},
		{
			ID: "ACP-U1", Title: "A client sends what is allowed",
			Text:  "A client sends a block only where the agent's capability allows it and only with a name of the present list.",
			Why:   "Everything else is an error for the user.",
			Wrong: "a block to an agent without session.prompt.skill\n",
			Right: "a block after the capability was seen\n",
		},
		{
			ID: "ACP-U2", Title: "Skills are shown as skills",
			Text:  "A client shows skills apart from commands, with a label, and does not show types that it does not know.",
			Why:   "The two behave differently.",
			Wrong: "one list without labels\n",
			Right: "Commands: review. Skills: pdf\n",
		},
		{
			ID: "ACP-U3", Title: "Names and descriptions are strangers' text",
			Text:  "They are shown without control and direction characters, and a path is opened only when the user asks for it.",
			Why:   "They could otherwise imitate another entry, or the terminal's own output.",
			Wrong: "a description that clears the screen\n",
			Right: "its letters\n",
		},
		{
			ID: "ACP-U4", Title: "The last list counts",
			Text:  "A list may come before, in, or after the response that opens a session, and again at any time.",
			Why:   "A client that waits for one order misses lists.",
			Wrong: "a list before the response is dropped\n",
			Right: "it is kept until the session is known\n",
		},
	}
}
