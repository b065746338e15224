// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"fmt"
	"strings"
	"time"
)

// A Kind of peer is what can be checked.
type Kind string

// The kinds of peers.
const (
	KindAgent  Kind = "agent"
	KindClient Kind = "client"
	KindProxy  Kind = "proxy"
)

// A Check is one thing that is looked at. Checks are listed in their order by
// [Checks].
type Check struct {
	ID    string // group/word, as in P4/unknown; unique in its kind
	Rule  string // the id of the rule, as in ACP-P4
	Title string // what a peer does that passes, in one line
	// Should marks advice: breaking it is a warning and no failure.
	Should bool
	// Answer marks a check whose outcome needs the agent to work on a prompt. One
	// that cannot, for want of a model, makes it not applicable.
	Answer bool

	needs need
	disk  bool // changes the workspace
	run   func(t *T)
}

// Checks are the checks of a kind of peer.
func Checks(kind Kind) []Check {
	switch kind {
	case KindAgent:
		return join(initChecks(), wireChecks(), idChecks(), errorChecks(), sessionChecks(), promptChecks(), cancelChecks(),
			replayChecks(), capabilityChecks(), listChecks(), liveListChecks(), skillRejectChecks(), skillAcceptChecks())
	case KindClient:
		return join(clientChecks())
	case KindProxy:
		return join(proxyChecks())
	case KindMCP:
		return MCPChecks()
	}
	return nil
}

func join(groups ...[]Check) []Check {
	var all []Check
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// Select are the checks that a filter names: an id, a rule, or the part of either
// before a slash or at its start, without regard to case. An empty filter names all.
func Select(checks []Check, filters ...string) ([]Check, error) {
	if len(filters) == 0 {
		return checks, nil
	}
	used := make([]bool, len(filters))
	var out []Check
	for _, c := range checks {
		take := false
		for i, f := range filters {
			if c.named(f) {
				take, used[i] = true, true
			}
		}
		if take {
			out = append(out, c)
		}
	}
	for i, u := range used {
		if !u {
			return nil, fmt.Errorf("no check and no rule is named %q: skillgraft conform list shows them", filters[i])
		}
	}
	return out, nil
}

func (c Check) named(filter string) bool {
	id, rule, f := strings.ToLower(c.ID), strings.ToLower(c.Rule), strings.ToLower(filter)
	switch {
	case f == id, f == rule:
		return true
	case strings.HasPrefix(id, strings.TrimSuffix(f, "/")+"/"):
		return true
	}
	// ACP-P names ACP-P1 to ACP-P9, and not ACP-PX of some other family.
	rest, ok := strings.CutPrefix(rule, f)
	return ok && strings.Trim(rest, "0123456789") == "" || ok && strings.HasPrefix(rest, "-")
}

// A Verdict is the outcome of a check.
type Verdict string

// The verdicts.
const (
	Pass          Verdict = "pass"
	Fail          Verdict = "fail"
	Warn          Verdict = "warn"           // advice is not followed
	NotApplicable Verdict = "not applicable" // Reason says why
)

// A Result is what became of a check.
type Result struct {
	Check    Check
	Verdict  Verdict
	Reason   string // of any verdict but Pass; safe to show
	Evidence []Line // the messages that show it, in their order
	Took     time.Duration
}

// A Line is a message of a conversation, as it is shown.
type Line struct {
	Wire string `json:"wire"` // which conversation
	Sent bool   `json:"sent"` // by the checker
	Text string `json:"text"` // the raw message; cut when it is long
}

// A Report is the outcome of a run.
type Report struct {
	Kind    Kind
	Peer    string // what the peer said of itself, safe to show
	Level   string // of an agent: none, skill or inline
	Results []Result
}

// Count is how many results have the verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for _, x := range r.Results {
		if x.Verdict == v {
			n++
		}
	}
	return n
}

// A need is what must be there for a check to apply.
type need uint8

const (
	needSession need = 1 << iota // the agent has sessions
	needSkill                    // and takes skill blocks somewhere
	needInline                   // and takes them everywhere
	needFirst                    // and takes them in front only
)
