// SPDX-License-Identifier: Apache-2.0

//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package catalog

// DefaultMaxWatches makes a store poll here: watching a directory with kqueue takes an open
// file for each of its entries, of which a home directory has more than a process may open.
const DefaultMaxWatches = -1
