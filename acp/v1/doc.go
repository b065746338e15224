// SPDX-License-Identifier: Apache-2.0

// Package v1 is the Agent Client Protocol, version 1, for peers that have not
// moved on. It has no skills (ACP-C4): such a peer gets them as plain commands.
//
// Its types are made as those of package acp are and read the same way: unions
// have a variant for what is not known, what a field cannot say is kept in
// Extra, and a known variant that is malformed is an error.
//
// An [Agent] serves clients and a [Client] talks to agents, alone or as the
// older half of their namesakes in package acp, which choose by what the peer
// says in initialize:
//
//	old := v1.NewAgent(oldHandler, &v1.AgentOptions{Info: info})
//	agent := acp.NewAgent(handler, &acp.AgentOptions{Info: info, Versions: []acp.AgentVersion{old}})
//
// The great difference to version 2: a prompt is answered when the work on it is
// done, and the response says why it ended.
package v1
