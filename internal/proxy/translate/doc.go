// SPDX-License-Identifier: Apache-2.0

// Package translate lets a client and an agent talk that speak different versions
// of the protocol (PXY-8). What stands between its two types sees version 2 on
// both sides:
//
//	client <--> Down <--> graft <--> Up <--> agent
//
// An [Up] makes an agent of version 1 look like one of version 2, a [Down] makes
// an agent of version 2 serve a client of version 1. At most one of them has
// work; which one is known when initialize is answered, and the other one passes
// everything on byte for byte from then on. What has the same form in both
// versions, and what neither knows, passes as it came (PXY-1). What the other side
// cannot do is not advertised, and answered with a sentence when it is asked for
// all the same.
//
// The two share no code, because they have little in common: one makes more of
// what it gets (ids, states, an answer in the middle of the work), the other less.
//
// # Up, where to begin
//
//  1. up.go: the type, which message goes where, the requests that have another
//     life at the agent than at the client.
//  2. up_hello.go: agreeing on a version, and what the agent can do.
//  3. up_prompt.go: when a prompt is accepted, how a turn ends, what waits; the
//     heart of the matter.
//  4. up_session.go: making, resuming and ending sessions. up_message.go: which
//     message a chunk belongs to, and why the ids of user messages are what they
//     are.
//  5. The rest changes forms: up_update.go, up_tool.go, up_diff.go,
//     up_config.go, and up_ask.go for what the agent asks the user.
//
// testdata/up has a conversation for each row of the public migration guide's
// tables.
//
// # Down, where to begin
//
//  1. down.go and down_hello.go, as above.
//  2. down_prompt.go: the end of a turn as the answer to its prompt.
//  3. down_setup.go, down_message.go, down_tool.go, down_terminal.go,
//     down_diff.go, down_config.go and down_permission.go change forms.
package translate
