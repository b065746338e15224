// SPDX-License-Identifier: Apache-2.0

package process

import (
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"\n\r\n \n", ""},
		{"one", "one"},
		{"a\rb\nc\n", "a\nb\nc"},
		{"\x1b[1;31mred\x1b[0m", "red"},
		{"\x1b]0;title\x07x", "x"},
		{"\x1b]8;;u\x1b\\y \x1bMz", "y z"},
		{"\x1b[", "["},
		{"0123456789abcdef\nwhole line\n", "whole line"},          // a cut line goes
		{strings.Repeat("x", 100), strings.Repeat("x", 20)},       // unless there is no other
		{strings.Repeat("ü", 100) + "\n", strings.Repeat("ü", 9)}, // no half of a character
	} {
		tl := newTail(20)
		for i := range len(tt.in) {
			tl.add([]byte{tt.in[i]})
		}
		whole := newTail(20)
		whole.add([]byte(tt.in))
		if got := tl.text(); got != tt.want || whole.text() != got {
			t.Errorf("%q: %q, at once %q, want %q", tt.in, got, whole.text(), tt.want)
		}
	}
}

func TestExitString(t *testing.T) {
	for _, tt := range []struct {
		exit Exit
		want string
	}{
		{Exit{}, "exit status 0"},
		{Exit{Code: 1, StderrTail: "a"}, "exit status 1; stderr ends: a"},
		{Exit{Code: -1, Signal: "SIGSEGV", StderrTail: "1\n2\n3\n4\n5\n6"}, "killed by SIGSEGV; stderr ends: 2 | 3 | 4 | 5 | 6"},
	} {
		if got := tt.exit.String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
