// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/internal/schemagen/schema"
)

// What is committed is what would be generated.
func TestGenerateChangesNothing(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, p := range packages() {
		files, err := p.files()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range files {
			names = append(names, f.name)
			got, err := os.ReadFile(filepath.Join(root, p.dir, f.name))
			if err != nil {
				t.Error(err)
			} else if !bytes.Equal(got, f.text) {
				t.Errorf("%s/%s is not what is generated; run go generate ./...", p.dir, f.name)
			}
		}
		there, err := filepath.Glob(filepath.Join(root, p.dir, "*_gen*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range there {
			if !slices.Contains(names, filepath.Base(path)) {
				t.Errorf("%s is not generated any more; run go generate ./...", path)
			}
		}
	}
}

// Every part of what we add to the schema is needed by what is generated.
func TestEveryAdditionCounts(t *testing.T) {
	added, err := schema.Added()
	if err != nil {
		t.Fatal(err)
	}
	if len(added) < 7 {
		t.Fatalf("only %q are added", added)
	}
	for _, name := range added {
		without := source{tableV2(), func() (*schema.Node, error) {
			all, err := schema.V2()
			if err != nil {
				return nil, err
			}
			defs := all.Get("$defs")
			delete(defs.Vals, name)
			defs.Keys = slices.DeleteFunc(defs.Keys, func(k string) bool { return k == name })
			return all, nil
		}}
		if _, err := without.files(); err == nil {
			t.Errorf("without %s all goes on as before", name)
		}
	}
}

// The schema and what we add do not both have a thing.
func TestMergeRefusesWhatIsThere(t *testing.T) {
	for _, more := range []string{
		`{"$defs":{"TextContent":{}}}`, `{"properties":{"TextContent":{"text":{}}}}`, `{"properties":{"Nothing":{"text":{}}}}`, `{"variants":{"TextContent":{"x":"Skill"}}}`,
	} {
		all, err := schema.V2()
		if err != nil {
			t.Fatal(err)
		}
		add, err := schema.Parse([]byte(more))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Merge(all, add) == nil {
			t.Errorf("%s was added", more)
		}
	}
}

// A table that speaks of what is gone is an error and not a silence.
func TestTablesSpeakOfWhatIsThere(t *testing.T) {
	for name, change := range map[string]func(*table){
		"names":    func(t *table) { t.names["Gone"] = "G" },
		"variants": func(t *table) { t.variants["SessionUpdate=gone"] = "G" },
		"docs":     func(t *table) { t.docs["Gone"] = "Gone is gone." },
		"patches":  func(t *table) { t.patches["Gone"] = true },
		"raw":      func(t *table) { t.raw["Gone"] = "gone" },
		"unions":   func(t *table) { delete(t.unions, "ContentBlock") },
	} {
		tab := tableV2()
		change(&tab)
		if _, err := (source{tab, schema.V2}).files(); err == nil {
			t.Errorf("%s: nothing was said", name)
		}
	}
}

// What is committed of the schema has no text for people, and says where it is
// from.
func TestOnlyStructureIsCommitted(t *testing.T) {
	sentence := regexp.MustCompile(`"[^"]*[a-z]+ [a-z]+ [a-z]+[^"]*"`)
	for _, file := range []string{"schema/v1.json", "schema/v2.json"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := sentence.Find(data); found != nil {
			t.Errorf("%s has the sentence %s", file, found)
		}
		all, err := schema.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		src := all.Get("x-source")
		if src.Str("package") != pkg || src.Str("version") == "" || len(src.Str("sha256")) != 64 {
			t.Errorf("%s is from %s", file, src)
		}
	}
}

func TestStructure(t *testing.T) {
	const stable = `{"$defs":{"A":{"type":"object","properties":{"old":{"type":"string"}}},"U":{"anyOf":[{"properties":{"type":{"const":"x"}}}]}}}`
	const all = `{"title":"T","$defs":{"A":{"description":"About it.","type":"object","properties":{"old":{"type":"string","title":"Old"},"description":{"type":"string","description":"Named so."},"new":{}}},
		"U":{"anyOf":[{"title":"x","properties":{"type":{"const":"x"}}},{"properties":{"type":{"const":"y"}}}]},"B":{}}}`
	out, err := structure("9.9.9", "f.json", []byte(all), []byte(stable))
	if err != nil {
		t.Fatal(err)
	}
	got, err := schema.Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Get("x-unstable").String(); s != `["A.description","A.new","U=y","B"]` {
		t.Errorf("unstable: %s", s)
	}
	if s := got.Get("$defs", "A").String(); s != `{"type":"object","properties":{"old":{"type":"string"},"description":{"type":"string"},"new":{}}}` {
		t.Errorf("A is %s", s)
	}
	var b strings.Builder
	if err := report(&b, "v9", out, []byte(strings.ReplaceAll(string(out), `"new":{}`, `"newer":{}`))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"+ A.newer", "- A.new", "~ A"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &b)
		}
	}
	for _, bad := range []string{`{`, `{}`} {
		if _, err := structure("1", "f.json", []byte(bad), []byte(stable)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}
