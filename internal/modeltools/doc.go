// SPDX-License-Identifier: Apache-2.0

// Package modeltools offers a session's skills to a model, as a server of the
// Model Context Protocol. It is for agents that the model cannot use skills with
// otherwise, and only for users who ask for it.
//
//	catalog.Catalog --> offered --> tools/list        names and descriptions
//	activate_skill  --> skill.Activate                the instructions, once each
//	read_skill_file --> os.Root in the skill's folder
//
// The model is told of what it may use (ACT-10) and the user trusts: skills of a
// workspace that is not trusted are left out, since here no user's choice stands
// between a stranger's text and the model (B11). The list follows the disk and
// the user's trust. Without skills there are no tools (ACT-4). Nothing is run.
package modeltools
