// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/skill"
)

// The structure that the standard asks for: what is required is there, every reference
// leads somewhere, regions are in order. (The whole log is also held against the
// standard's own schema, when this file or sarif.go is changed; it is not ours to ship.)
func TestSARIF(t *testing.T) {
	src := []byte("---\r\nname: tea\r\ndescription: Ñ: x\r\n---\r\n")
	start := bytes.Index(src, []byte("Ñ"))
	p := newSARIF(PrinterOptions{Version: "1.2.3"})
	var out bytes.Buffer
	p.w = &out
	for _, c := range []*Checked{
		{Path: "a b/SKILL.md", Skill: true, Src: src, Findings: []skill.Finding{
			{Rule: "FMT-4", File: "a b/SKILL.md", Line: 3, Column: 15, Message: "m1",
				Fix: &skill.Fix{Message: "quote it", Edits: []skill.Edit{{Start: start, End: start + len("Ñ: x"), New: `"Ñ: x"`}, {Start: 0, End: 1}}}},
			{Rule: "FMT-11", Severity: skill.Warning, File: "a b/SKILL.md", Message: "m2"},
		}},
		{Path: "/abs/100%/SKILL.md", Findings: []skill.Finding{
			{Rule: "FMT-4", Severity: skill.Info, File: "/abs/100%/SKILL.md", Line: 1, Message: "m3"},
			{Rule: "OTHER-1", File: "c:d/SKILL.md", Message: "m4"},
		}},
	} {
		if err := p.Print(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.End(new(Summary)); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || !strings.HasSuffix(log.Schema, "/sarif-schema-2.1.0.json") || run.ColumnKind != "unicodeCodePoints" ||
		run.Tool.Driver.Name != "skillgraft" || run.Tool.Driver.Version != "1.2.3" || len(run.Invocations) != 1 {
		t.Errorf("the log's head is %+v", log)
	}
	levels := []string{"error", "warning", "note", "error"}
	uris := []string{"a%20b/SKILL.md", "a%20b/SKILL.md", "file:///abs/100%25/SKILL.md", "./c:d/SKILL.md"}
	if len(run.Results) != len(levels) {
		t.Fatalf("%d results, want %d", len(run.Results), len(levels))
	}
	for i, r := range run.Results {
		if r.Level != levels[i] || r.Message.Text == "" || len(r.Locations) != 1 {
			t.Errorf("result %d is %+v", i, r)
		}
		if got := r.Locations[0].PhysicalLocation.ArtifactLocation.URI; got != uris[i] {
			t.Errorf("result %d is at %q, want %q", i, got, uris[i])
		}
		if r.RuleIndex == nil {
			if r.RuleID != "OTHER-1" {
				t.Errorf("result %d of %s has no rule", i, r.RuleID)
			}
		} else if rule := run.Tool.Driver.Rules[*r.RuleIndex]; rule.ID != r.RuleID || rule.ShortDescription.Text == "" || rule.Help.Text == "" || rule.Help.Markdown == "" {
			t.Errorf("result %d of %s has the rule %+v", i, r.RuleID, rule)
		}
	}
	if len(run.Tool.Driver.Rules) != 2 {
		t.Errorf("%d rules, want each once", len(run.Tool.Driver.Rules))
	}
	if region := run.Results[1].Locations[0].PhysicalLocation.Region; region != nil {
		t.Errorf("a finding about a whole file has the region %+v", region)
	}
	changes := run.Results[0].Fixes[0].ArtifactChanges[0].Replacements
	if got, want := changes[0].DeletedRegion, (sarifRegion{3, 14, 3, 18}); got != want {
		t.Errorf("the fix is at %+v, want %+v", got, want)
	}
	if changes[0].InsertedContent.Text != `"Ñ: x"` || changes[1].InsertedContent != nil {
		t.Errorf("the fix is %+v", changes)
	}
}

// Without findings the lists are there and empty: readers take a missing one for a run
// that did not look.
func TestSARIFOfNothing(t *testing.T) {
	var out bytes.Buffer
	if err := newSARIF(PrinterOptions{Out: &out}).End(new(Summary)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"results": []`, `"rules": []`, `"executionSuccessful": true`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}

// FMT-3: offsets become the lines and columns that an editor shows.
func TestPosition(t *testing.T) {
	src := []byte("\ufeffab\r\nñ\rc\n")
	for offset, want := range map[int][2]int{
		3: {1, 1}, 5: {1, 3}, 7: {2, 1}, 9: {2, 2}, 10: {3, 1}, 11: {3, 2}, 12: {4, 1}, 99: {4, 1},
	} {
		if line, column := position(src, offset); [2]int{line, column} != want {
			t.Errorf("offset %d is at %d:%d, want %v", offset, line, column, want)
		}
	}
}
