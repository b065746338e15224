// SPDX-License-Identifier: Apache-2.0

// Package client is a client of one session with one agent, for a command line:
// it says a prompt with skills in it, shows what comes back, and asks the user.
//
//	Parse --> blocks --> Session.Prompt --> agent
//	terminal <-- Printer (or JSON) <-- updates <--
package client
