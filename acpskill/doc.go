// SPDX-License-Identifier: Apache-2.0

// Package acpskill joins the skills on a disk to a session of the Agent Client
// Protocol: a catalog becomes the skill entries of a session's list, and a skill
// block becomes the skill's content.
//
//	catalog.Catalog --> Names --> []*acp.Skill        what the client is shown
//	skill block     --> Session.Activate --> skill.Activation   what the model gets
//
// An agent opens a [Session] for each of its sessions and has the whole of it. A
// proxy, which has to weave skills into somebody else's list, takes [Names] and
// [Entry] alone. Both follow the same rules, ACP-A3 to ACP-A8, from one place.
package acpskill
