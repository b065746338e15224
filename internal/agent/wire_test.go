// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// The transcripts in testdata/wire are prose, files of the workspace, and a file
// "wire": the client sends lines that start with ">"; the agent has to answer
// with the "<" lines in their order, and with the "=" lines, which are
// responses, at any time after the request. "level" sets the agent up. At the end
// nothing more may have come.
func TestOnTheWire(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ws, wire, opts := newWorkspace(t), "", Options{}
			for _, f := range a.Files {
				switch f.Name {
				case "level":
					if err := opts.Level.UnmarshalText([]byte(strings.TrimSpace(string(f.Data)))); err != nil {
						t.Fatal(err)
					}
				case "wire":
					wire = string(f.Data)
				default:
					write(t, ws, f.Name, string(f.Data))
				}
			}
			runWire(t, serve(t, ws, opts), wire)
		})
	}
}

func runWire(t *testing.T, p *peer, wire string) {
	t.Helper()
	for n, line := range strings.Split(strings.TrimSpace(wire), "\n") {
		dir, text, _ := strings.Cut(line, " ")
		var got string
		switch dir {
		case ">":
			p.send(text)
			continue
		case "<":
			if isResponse(text) {
				got = p.next()
			} else {
				got = p.update()
			}
		case "=":
			got = p.response(idOf(t, text))
		case "", "#":
			continue
		default:
			t.Fatalf("wire line %d starts with none of > < =", n+1)
		}
		if a, b := sorted(t, got), sorted(t, text); a != b {
			t.Fatalf("wire line %d:\ngot  %s\nwant %s", n+1, a, b)
		}
	}
	p.quiet()
}

// idOf is the number behind the first "id":.
func idOf(t *testing.T, line string) int {
	t.Helper()
	_, rest, _ := strings.Cut(line, `"id":`)
	id, err := strconv.Atoi(rest[:strings.IndexAny(rest, ",}")])
	if err != nil {
		t.Fatal(err)
	}
	return id
}
