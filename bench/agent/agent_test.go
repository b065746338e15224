// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// The program works; what it measures here means nothing. No bound is asked for.
func TestSmoke(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-rounds", "1", "-sessions", "3"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"first token alone", "first update", "beyond the model's"} {
		if !strings.Contains(out.String(), what) {
			t.Errorf("%q is not reported: %s", what, out.String())
		}
	}
}
