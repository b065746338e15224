// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// DSC-2, DSC-5, DSC-6, DSC-7: every oddity of the tree is reported, the good skills are found
// once each, and nothing is read beyond the heads.
func TestOddTree(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-odd"}, nil, &out, io.Discard); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "read ") && !strings.Contains(line, "holds") {
			t.Errorf("%s", out.String())
		}
	}
}

// A report that lacks one is an error.
func TestOddityUnreported(t *testing.T) {
	o := oddities()[2]
	r := oddReport{Findings: []oddFinding{{Rule: o.rule, File: "/t/" + o.path + "x", Message: "m"}, {Rule: "DSC-9", File: "/t/" + o.path, Message: "m"}}}
	if said := r.about(o, "/t"); said != "" {
		t.Errorf("%q is about something else", said)
	}
	r.Findings[1].Rule = o.rule
	if said := r.about(o, "/t"); said != "m" {
		t.Errorf("%q", said)
	}
}
