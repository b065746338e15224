// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"
)

var recording = flag.Bool("update", false, "record what was measured in testdata/matrix.json and docs/agents.md")

const (
	recordFile = "testdata/matrix.json"
	docFile    = "../docs/agents.md"
)

// record is what was measured with one agent.
type record struct {
	Agent   string                       `json:"agent"`
	Version string                       `json:"version"`
	Date    string                       `json:"date"`
	Cells   map[string]map[string]string `json:"cells,omitempty"` // by kind of client and step
	Conform map[string]string            `json:"conform,omitempty"`
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

func records(t *testing.T) []record {
	t.Helper()
	data, err := os.ReadFile(recordFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var list []record
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// keep compares a row with the recorded one: a cell may become better, not worse.
// With -update it is recorded instead.
func keep(t *testing.T, row record) {
	t.Helper()
	list := records(t)
	var old record
	for _, r := range list {
		if r.Agent == row.Agent {
			old = r
		}
	}
	if !*recording {
		for kind, cells := range row.Cells {
			for step, cell := range cells {
				if was := old.Cells[kind][step]; strings.HasPrefix(cell, "no") && !strings.HasPrefix(was, "no") {
					t.Errorf("%s, %s: %s\nrecorded is %q", kind, step, cell, was)
				}
			}
		}
		for id, v := range row.Conform {
			if was := old.Conform[id]; was != v {
				t.Logf("conform %s: %s, recorded is %q", id, v, was)
			}
		}
		return
	}
	if row.Cells == nil {
		row.Cells = old.Cells
	}
	if row.Conform == nil {
		row.Conform = old.Conform
	}
	var out []record
	for _, k := range everyone() {
		if k.name == row.Agent {
			out = append(out, row)
			continue
		}
		for _, r := range list {
			if r.Agent == k.name {
				out = append(out, r)
			}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recordFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	publish(t, out)
}

// publish writes the tables into the document, between their markers.
func publish(t *testing.T, list []record) {
	t.Helper()
	data, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	for name, table := range map[string]string{"matrix": matrixTable(list), "conform": conformTable(list)} {
		begin, end := "<!-- "+name+": begin -->\n", "<!-- "+name+": end -->"
		head, rest, ok := strings.Cut(doc, begin)
		_, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no markers %q and %q", docFile, begin, end)
		}
		doc = head + begin + table + end + tail
	}
	if err := os.WriteFile(docFile, []byte(doc), 0o644); err != nil {
		t.Fatal(err)
	}
}

// matrixTable is the Markdown of the tables, one for each kind of client, with what
// is wrong below it.
func matrixTable(list []record) string {
	var b strings.Builder
	for _, ro := range roles {
		fmt.Fprintf(&b, "\n%s:\n\n| agent, version | measured |", ro.title)
		for _, s := range ro.steps() {
			fmt.Fprintf(&b, " %s |", s)
		}
		b.WriteString("\n|---|---|" + strings.Repeat("---|", len(ro.steps())) + "\n")
		var notes []string
		for _, r := range list {
			if r.Cells == nil {
				continue
			}
			fmt.Fprintf(&b, "| %s %s | %s |", r.Agent, r.Version, r.Date)
			for _, s := range ro.steps() {
				cell := r.Cells[ro.key][s]
				word, why, _ := strings.Cut(strings.TrimPrefix(cell, "- "), ": ")
				switch {
				case cell == "":
					b.WriteString(" not reached |")
				case cell == "yes":
					b.WriteString(" yes |")
				default:
					if strings.HasPrefix(cell, "- ") {
						word, why = "n/a", strings.TrimPrefix(cell, "- ")
					}
					notes = append(notes, fmt.Sprintf("%d. %s, %s: %s", len(notes)+1, r.Agent, s, escape(why)))
					fmt.Fprintf(&b, " %s (%d) |", word, len(notes))
				}
			}
			b.WriteString("\n")
		}
		if notes != nil {
			b.WriteString("\n" + strings.Join(notes, "\n") + "\n")
		}
	}
	b.WriteString("\n")
	return b.String()
}

// escape keeps a message from being taken for Markdown.
func escape(s string) string {
	return strings.NewReplacer("\n", " ", "|", "\\|", "<", "&lt;", "*", "\\*", "`", "'", "_", "\\_").Replace(s)
}

func conformTable(list []record) string {
	var b strings.Builder
	b.WriteString("\n| agent, version | measured | alone | behind run | skills: fail, warn | core worse than alone | found only behind run |\n|---|---|---|---|---|---|---|\n")
	for _, r := range list {
		if c := r.Conform; c != nil {
			fmt.Fprintf(&b, "| %s %s | %s | %s | %s | %s | %s | %s |\n", r.Agent, r.Version, r.Date, c["alone"], c["run"], c["skills"], c["core"], c["first"])
		}
	}
	b.WriteString("\n")
	return b.String()
}
