// SPDX-License-Identifier: Apache-2.0

// Package jsonrpc is the wire of the Agent Client Protocol: JSON-RPC 2.0
// messages, one a line.
//
//	stream --> Reader --> Message (raw line + envelope) --> Writer --> stream
//
// The parts are usable apart. A relay takes [Reader] and [Writer] and passes
// lines on as they are; an agent or a client takes a [Conn], which adds calls,
// handlers and cancellation.
//
// What makes ACP's wire its own: messages are never batched; ids keep their
// spelling; the order of lines means something (an update that was sent before
// a response must be seen before it); lines can be many megabytes long.
package jsonrpc
