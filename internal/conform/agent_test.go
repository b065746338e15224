// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"context"
	"flag"
	"slices"
	"strings"
	"testing"
)

// levelOf is the level of the fake at which a fault shows.
func levelOf(fault string) string {
	switch {
	case fault == "P4/unsupported":
		return levelNone
	case strings.HasPrefix(fault, "P2/"):
		return levelSkill
	}
	return levelInline
}

// faulty starts fakes with one fault and one memory.
func faulty(level, fault string) func(string) (*Peer, error) {
	disk := &fakeDisk{sessions: map[string][]fakeMessage{}}
	return func(string) (*Peer, error) {
		a := &fakeAgent{level: level, fault: fault, disk: disk}
		return inProcess(a.serve), nil
	}
}

func check(t *testing.T, kind Kind, opts Options, checks []Check) *Report {
	t.Helper()
	opts.Dir = t.TempDir()
	shared, err := newPlaces(opts.Dir)
	if err != nil {
		t.Fatal(err)
	}
	opts.shared = &shared
	report, err := Run(context.Background(), kind, checks, opts)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// A correct agent passes at each level, in a process of its own. What does not apply
// is known.
func TestCorrectAgent(t *testing.T) {
	for level, notApplicable := range map[string]string{
		levelInline: "C2/level P4/unsupported P2/second P2/place P6/restart P7/plain",
		levelSkill:  "C2/level P4/unsupported P4/whole P3/anywhere P3/several P6/restart P7/plain",
	} {
		t.Run(level, func(t *testing.T) {
			opts := quick()
			opts.StartAgent = separate(t, level+" none")
			opts.Timeout *= 5 // processes of a race-checked binary are slow to start
			report := check(t, KindAgent, opts, Checks(KindAgent))
			var na []string
			for _, r := range report.Results {
				switch r.Verdict {
				case Fail, Warn:
					t.Errorf("%s %s: %s %v", r.Verdict, r.Check.ID, r.Reason, r.Evidence)
				case NotApplicable:
					na = append(na, r.Check.ID)
				}
			}
			if got := strings.Join(na, " "); got != notApplicable {
				t.Errorf("not applicable: %s\nwant: %s", got, notApplicable)
			}
		})
	}
}

// Each rule has a broken agent, which is found, and of which nothing else is said.
func TestBrokenAgents(t *testing.T) {
	for _, c := range faults(KindAgent) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			opts := quick()
			opts.StartAgent = faulty(levelOf(c.ID), c.ID)
			if c.ID == "C2/level" {
				opts.Level = levelSkill
			}
			mustFindOnly(t, c, check(t, KindAgent, opts, Checks(KindAgent)))
		})
	}
}

func mustFindOnly(t *testing.T, c Check, report *Report) {
	t.Helper()
	found := false
	for _, r := range report.Results {
		switch {
		case r.Check.ID == c.ID:
			want := Fail
			if c.Should {
				want = Warn
			}
			found = r.Verdict == want
			if !found {
				t.Errorf("%s is %s: %s", c.ID, r.Verdict, r.Reason)
			} else if len(r.Evidence) == 0 && !c.Should && c.ID != "PXY-6/client-leaves" {
				t.Errorf("%s fails without a message that shows it: %s", c.ID, r.Reason)
			}
		case r.Verdict == Fail || r.Verdict == Warn:
			t.Errorf("besides, %s is %s: %s %v", r.Check.ID, r.Verdict, r.Reason, r.Evidence)
		}
	}
	if !found {
		t.Errorf("%s is not found", c.ID)
	}
}

var everyFault = flag.Bool("every", false, "try every fault against all checks: this takes a minute")

// faults are the checks whose fault is tried against all others: some from each
// group, or all of them. That each one is found by its own check the transcripts show.
func faults(kind Kind) []Check {
	all := Checks(kind)
	if *everyFault {
		return all
	}
	some := map[Kind][]string{
		KindAgent: {"init/answer", "wire/null-id", "error/method", "session/close", "prompt/echo", "cancel/work", "replay/start",
			"C1/null", "A1/setup", "A4/unique", "P4/whole", "P6/echo"},
		KindClient: {"client/unknown", "U1/unadvertised", "U1/first", "U4/early", "A9/no-description", "U3/escape"},
		KindProxy:  {"PXY-1/to-agent", "PXY-2/updates", "PXY-3/late", "PXY-4/once", "PXY-5/others", "PXY-6/agent-dies"},
	}[kind]
	return slices.DeleteFunc(all, func(c Check) bool { return !slices.Contains(some, c.ID) })
}
