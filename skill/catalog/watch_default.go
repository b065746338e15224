// SPDX-License-Identifier: Apache-2.0

//go:build !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package catalog

// DefaultMaxWatches is how many directories a store watches. It stays below the smallest
// limit that Linux systems come with (8,192 for all programs of a user).
const DefaultMaxWatches = 4096
