// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what came into the transcripts; a line <* becomes the updates until the session is idle or the user is asked")

// The transcripts in testdata/wire are prose, files of the workspace, and a file
// "wire": the client sends lines that start with ">"; the agent has to answer
// with the "<" lines in their order, and with the "=" lines, which are
// responses, at any time after the request. "level" sets the agent up. At the end
// nothing more may have come.
//
// With a file "model" a scripted model answers the requests to it, one by one, each
// by a line of JSON with text and calls. The lines of "asked" say what it was told: the
// number of a request from 1, and + or - with a text that stands in it or does not.
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
			ws, wire, asked, opts := newWorkspace(t), -1, "", Options{}
			var m *scripted
			for n, f := range a.Files {
				switch f.Name {
				case "model":
					m = script(t, string(f.Data))
					m.use(&opts)
				case "asked":
					asked = string(f.Data)
				case "level":
					if err := opts.Level.UnmarshalText([]byte(strings.TrimSpace(string(f.Data)))); err != nil {
						t.Fatal(err)
					}
				case "wire":
					wire = n
				default:
					write(t, ws, f.Name, string(f.Data))
				}
			}
			opts.Catalog.Trusted = func(string) bool { return true }
			p := serve(t, ws, opts)
			p.h.scripts.fake = func(_ context.Context, r scriptRun, out io.Writer) end {
				_, _ = io.WriteString(out, "drawn in "+r.args[0]+"\n")
				return end{}
			}
			got := runWire(t, p, string(a.Files[wire].Data))
			if m != nil {
				m.check(t, ws, asked)
			}
			if a.Files[wire].Data = []byte(got); *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func runWire(t *testing.T, p *peer, wire string) (transcript string) {
	t.Helper()
	var out strings.Builder
	for n, line := range strings.Split(strings.TrimSpace(wire), "\n") {
		dir, text, _ := strings.Cut(line, " ")
		var got string
		switch dir {
		case ">":
			p.send(text)
			out.WriteString(line + "\n")
			continue
		case "<*":
			for {
				got = p.update()
				out.WriteString("< " + got + "\n")
				if strings.Contains(got, `"state":"idle"`) || strings.Contains(got, "request_permission") {
					break
				}
			}
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
			out.WriteString(line + "\n")
			continue
		default:
			t.Fatalf("wire line %d starts with none of > < =", n+1)
		}
		if !*update {
			if a, b := sorted(t, got), sorted(t, text); a != b {
				t.Fatalf("wire line %d:\ngot  %s\nwant %s", n+1, a, b)
			}
		}
		out.WriteString(dir + " " + got + "\n")
	}
	p.quiet()
	return out.String()
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
