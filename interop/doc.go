// SPDX-License-Identifier: Apache-2.0

// Package interop holds the tests that drive real agents and the official SDK
// through skillgraft, against a scripted model on loopback. They need Node and
// are built with the tag "interop"; the script run beside this file installs
// what they need and runs them. `go test ./...` does not touch them.
package interop
