// SPDX-License-Identifier: Apache-2.0

// Package typetest holds generated types against the schema that they were made
// from and against recorded messages of real agents. Both versions of the
// protocol are tested with it.
package typetest

import "testing"

// A Suite is one version's types.
type Suite struct {
	Types    func() map[string]Value // by their definitions
	Schema   []string                // the files of the schema's structure
	Messages int                     // how many of each recording are at least known
}

// All runs what is no fuzz target.
func (suite Suite) All(t *testing.T) {
	t.Run("lose nothing, PXY-1", suite.LoseNothing)
	t.Run("strict", suite.Strict)
	t.Run("recorded messages lose nothing, PXY-1", suite.Recorded)
}
