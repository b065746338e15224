// SPDX-License-Identifier: Apache-2.0

// Package house has tests and nothing else: they keep the source tree in the
// shape that its authors agreed on.
//
//	floor 4   cmd, bench, examples, interop, internal/schemagen
//	floor 3   internal/proxy, internal/agent, internal/conform    (wings)
//	floor 2   acpskill, mcpskill, internal/trust
//	floor 1   acp, skill                                          (wings)
//	cellar    internal/rawjson, internal/buildinfo
//
// An import goes down, never up and never sideways. Inside a wing the same holds
// between its levels: internal/proxy stands on graft and translate, these on
// profile, journal and process. Everyone may use the cellar, which uses none of
// us. The two halves of floor 1 know nothing of each other, so that a tool for
// skills needs no protocol, and an agent without skills no YAML.
//
// A new package needs a row in the table of rooms_test.go. That is on purpose:
// where it stands decides what it may know, and is worth a minute.
package house
