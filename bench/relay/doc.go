// SPDX-License-Identifier: Apache-2.0

// Relay measures what standing between a client and an agent costs.
//
//	client  ------------------------------->  echo agent     direct
//	client  --->  byte pipe  --------------->  echo agent     the floor for any proxy
//	client  --->  skillgraft run  ---------->  echo agent     what users have
//
// All roles are this one program, so that `go run ./bench/relay` needs nothing
// else. The client speaks protocol 2 with the skill capability in a workspace
// that has skills: the proxy does all its work, and the measurement refuses to
// count a proxy that does not.
//
// Every round takes each path once, in an order that rotates, and a ratio is
// taken within its round; what is printed is the median over the rounds. So a
// machine that gets slower halfway shifts the absolute figures and not the
// ratios, which are what the project holds.
//
// The client compares every line with the one that the agent sent. A path that
// loses, reorders or rewrites something ends the run with an error and is never
// reported as fast.
package main
