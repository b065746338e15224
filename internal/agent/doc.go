// SPDX-License-Identifier: Apache-2.0

// Package agent is the built-in agent: protocol version 2, with skills of its
// own, at any place of a prompt.
//
//	acp.Agent --> handler --> session --> turn --> answer
//	                 |           |
//	              archive     acpskill.Session
//	             (history)     (the live list)
//
// A handler has the sessions of one connection. A session lets one prompt after
// the other in, and a turn is the work on one: it was let in with the skills that
// it invokes already read, so that what cannot be read refuses the prompt and
// leaves nothing behind (ACP-P4).
//
// No language model is connected. The answer says so, and says of each invoked
// skill what a model would be told to follow.
package agent
