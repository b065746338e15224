// SPDX-License-Identifier: Apache-2.0

// Package acp is the Agent Client Protocol, version 2, with Agent Skills.
//
//	your client                                      your agent
//	    |                                                |
//	 Client  -- initialize, session/new, prompt -->    Agent
//	    |    <-- session/update, permission --           |
//	    +------------- jsonrpc.Conn, one line a message --+
//
// An editor or a script takes a [Client], which opens sessions and hands out
// their updates. An agent implements [AgentHandler] and is served by an [Agent].
// Package acpskill gives an agent its list of skills, and package v1 has both
// sides of version 1, alone or on one connection with these.
//
// Both sides keep the rules of skills for their users: entries go only to
// clients that understand them, and a prompt whose skill blocks do not stand is
// refused as a whole. A relay between the two needs neither, and takes the types
// and [CheckPrompt].
//
// # Types
//
// The types are generated from the structure of the protocol's schema, unstable
// parts included, which say so. They have short names where the schema has long
// ones; a method's parameters and result are found by the method: session/new
// has [NewSessionRequest] and [NewSessionResponse].
//
// A type has a Go field for what this package knows, keeps _meta as it was
// written, and gathers all other members in Extra, so that a value that is read
// and sent on loses nothing: see [Members]. A zero field is one that is unset;
// where zero says something the field is a pointer, and where null does, too, a
// [Patch]. Unions are sealed interfaces with one variant for
// what is not known. What a reader forgives is what the protocol's schema says
// for each field; a known variant that is malformed is an error and never an
// unknown one.
//
// Rule ids such as ACP-P4 in comments, errors and tests name the rules for
// skills: ACP-C capabilities, ACP-A advertising, ACP-P prompting, ACP-U the
// client's side.
package acp
