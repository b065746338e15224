// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
)

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// A reader that leaves ends the work, as it does everywhere: prompt | head.
func TestPromptEndsWithItsReader(t *testing.T) {
	o := PromptOptions{Place: Place{Cwd: t.TempDir()}, Text: "hello"}
	err := Prompt(context.Background(), o, Streams{In: strings.NewReader(""), Out: closedPipe{}, Err: &strings.Builder{}})
	if Status(err) != 141 {
		t.Errorf("got %v", err)
	}
}

func TestPromptInputIsBounded(t *testing.T) {
	if _, err := readInput(strings.NewReader(strings.Repeat("x", maxInput+1))); err == nil {
		t.Error("no error")
	}
	if text, err := readInput(strings.NewReader(strings.Repeat("x", maxInput))); err != nil || len(text) != maxInput {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// What is no UTF-8 cannot be sent as it is, and is not changed silently.
func TestPromptInputIsText(t *testing.T) {
	for in, want := range map[string]string{"caf\xe9 au lait": "byte 3 ", "\xff": "byte 0 ", "é\xc3": "byte 2 "} {
		if _, err := readInput(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", in, err)
		}
	}
	if _, err := readInput(strings.NewReader("\ufffd is a character")); err != nil {
		t.Error(err)
	}
}

// The built-in agent answers in the process, and nothing of it is left.
func TestPromptBuiltIn(t *testing.T) {
	var out, errs strings.Builder
	o := PromptOptions{Place: Place{Cwd: t.TempDir()}, Text: "-", FromInput: true, JSON: true}
	err := Prompt(context.Background(), o, Streams{In: strings.NewReader("from <input>"), Out: &out, Err: &errs})
	if err != nil || errs.String() != "" {
		t.Fatalf("%v, %q", err, errs.String())
	}
	if !strings.Contains(out.String(), `"text":"from <input>"`) || !strings.HasSuffix(out.String(), "\n") {
		t.Errorf("got %q", out.String())
	}
}
