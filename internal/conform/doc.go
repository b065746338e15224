// SPDX-License-Identifier: Apache-2.0

// Package conform checks agents, clients and proxies of other authors, in any
// language, against the numbered rules. It is what "skillgraft conform" runs.
//
//	agent   checker (client) <--wire--> AGENT
//	client  CLIENT <--wire--> checker (agent)
//	proxy   checker (client) <--wire--> PROXY <--wire--> checker (agent)
//
// A [Check] is data and a small function that talks over a wire of raw frames
// and says what it saw. Nothing here is built on our own client, agent or proxy
// sides: what they get wrong must not be what the checker takes for right. Only
// the frames of acp/jsonrpc and the rule functions of acp are shared.
//
// Reading order: check.go and t.go (what a check is and can say), wire.go (the
// conversation), run.go (order, applicability, time), driver.go (the checker as
// a client), then a file for each group of rules: agent_*.go, client_*.go,
// proxy_*.go. Each check has a transcript under testdata in which a peer breaks
// its rule and is caught.
package conform
