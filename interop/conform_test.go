// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// conformReport is what the checker says as JSON, as far as it matters here.
type conformReport struct {
	Level   string
	Results []struct {
		ID, Rule, Verdict, Reason string
		Evidence                  json.RawMessage
	}
}

func (r conformReport) verdicts() map[string]string {
	out := map[string]string{}
	for _, x := range r.Results {
		out[x.ID] = x.Verdict
	}
	return out
}

// checkConform runs the checker against a command. CONFORM_REPORTS, if set, is a
// folder that keeps the reports.
func (r *rig) checkConform(name string, command ...string) conformReport {
	r.t.Helper()
	argv := append([]string{"conform", "agent", "--format", "json", "--keep-home", "--timeout", "30s", "--quiet", "500ms", "--jobs", "2"}, r.agent.conformFlags...)
	cmd := exec.CommandContext(r.t.Context(), skillgraft(r.t), append(append(argv, "--"), command...)...)
	cmd.Env = r.agent.env
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
		r.t.Fatalf("conform: %v\n%s", err, exit.Stderr)
	}
	if dir := os.Getenv("CONFORM_REPORTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, r.agent.name+"-"+name+".json"), out, 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	var report conformReport
	if err := json.Unmarshal(out, &report); err != nil {
		r.t.Fatalf("%v in %s", err, out)
	}
	return report
}

// TestConform: alone the adapters have no skills; behind run every rule of skills
// holds, and no verdict of the core is worse than without us.
func TestConform(t *testing.T) {
	each(t, func(r *rig) {
		alone := r.checkConform("alone", r.agent.argv...)
		if alone.Level != "none" {
			t.Errorf("%s alone is at level %s", r.agent.name, alone.Level)
		}
		grafted := r.checkConform("run", append([]string{skillgraft(t), "run", "--"}, r.agent.argv...)...)
		if grafted.Level != "inline" {
			t.Errorf("%s behind run is at level %s", r.agent.name, grafted.Level)
		}
		before := alone.verdicts()
		rank := map[string]int{"pass": 0, "not applicable": 1, "warn": 2, "fail": 3}
		for _, x := range grafted.Results {
			skills := x.Rule[:3] == "ACP"
			switch {
			case skills && (x.Verdict == "fail" || x.Verdict == "warn"):
				t.Errorf("%s behind run: %s %s %s: %s\n%s", r.agent.name, x.Verdict, x.ID, x.Rule, x.Reason, x.Evidence)
			case !skills && rank[x.Verdict] > rank[before[x.ID]]:
				t.Errorf("%s: %s is %s alone and %s behind run: %s\n%s", r.agent.name, x.ID, before[x.ID], x.Verdict, x.Reason, x.Evidence)
			}
		}
	})
}
