// SPDX-License-Identifier: Apache-2.0

// Package agent is the built-in agent: protocol version 2, with skills of its
// own, at any place of a prompt, with a language model or without.
//
//	acp.Agent --> handler --> session --> turn --> loop <--> model.Model
//	                 |           |                  |
//	              archive      shelf              tools --> call --> the user's permission
//	             (history)  (acpskill.Session)              files, commands, skills, scripts
//
// A handler has the sessions of one connection. A session lets one prompt after
// the other in, and a turn is the work on one: it was let in with the skills that
// it invokes already read, so that what cannot be read refuses the prompt and
// leaves nothing behind (ACP-P4).
//
// # Reading order
//
//	session.go, say.go     how a prompt gets in, and everything that goes out
//	loop.go, call.go       asking the model, and carrying out what it calls for
//	tool*.go               the tools
//	record.go, history.go  what is kept, and why a crash costs one turn at most
//	conversation.go        what the model is told, made from that
//	offered.go, catalogue.go, system.go   which skills it is told of, within a budget
//	trust.go, grants.go    whom the user trusts, and what was allowed for good
//	compact.go             when the conversation becomes too long
//	offline.go, answer.go  work without a model
//
// What a client sees and what a log has is one order (session.out). Nothing is held
// while the disk, the model or the user is waited for, save that lock while sending.
package agent
