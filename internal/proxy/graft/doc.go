// SPDX-License-Identifier: Apache-2.0

// Package graft is the stage that gives an agent skills: it weaves a catalog
// into the agent's list of commands, checks and resolves skill blocks, says them
// in the agent's own way or puts the instructions into the prompt, and shows the
// client its own blocks again in echoes, replays and titles.
//
// Reading order: graft.go (the stage and its state), negotiate.go and dialect.go
// (what the protocol's versions do their own way), setup.go and hold.go (what waits
// for the disk), list.go (advertise), prompt.go and compose.go (resolve and
// expand), echo.go, replay.go, typed.go and title.go (restore).
// Beside that: trust.go (the client is asked about a workspace) and
// modelserver.go (skills for the model, if the user wants that), remote.go and
// remote_ask.go (skills that MCP servers serve).
//
// What is not about skills goes through untouched, as the bytes that came
// (PXY-1).
package graft
