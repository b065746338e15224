// SPDX-License-Identifier: Apache-2.0

// Package trust remembers which workspaces the user trusts (B11).
//
// A repository is somebody else's text until its user says otherwise. What that
// changes is decided by those who ask: links that leave a workspace are followed
// only in a trusted one (DSC-5), and a model is told only of a trusted one's
// skills. Nothing here runs or grants anything.
//
// The key is the canonical path: absolute, with every link resolved. A link that
// somebody puts in a trusted directory's place is therefore another directory,
// and not trusted. A trusted directory covers what lies beneath it.
//
//	$XDG_CONFIG_HOME/skillgraft/trust.json
//	{"version": 1, "trusted": [{"path": "/home/ada/src/app", "added": "2026-11-30T12:00:00Z"}]}
//
// Every doubt about the file (damaged, written by a newer program, a link,
// writable for others) is an error, and while there is one nothing is trusted.
package trust
