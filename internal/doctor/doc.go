// SPDX-License-Identifier: Apache-2.0

// Package doctor finds out which skills there are, which of them an agent's
// session really offers, and what a user needs to see when the two differ.
//
//	disk  --> Look  --> Found      which files are skills, and why others are not
//	agent --> Visit --> Visited    what a session offers behind the proxy
//	                        ^
//	          recorder (Record) between the proxy and the agent
//
// What it says of an agent it has from the agent, through the same proxy that
// "skillgraft run" is. The recorder stands where the agent is and keeps every
// prompt to itself, so that nothing is done and nothing costs.
package doctor
