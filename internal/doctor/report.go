// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/skillgraft/skillgraft/internal/buildinfo"
	"github.com/skillgraft/skillgraft/internal/proxy/journal"
	"github.com/skillgraft/skillgraft/skill"
)

// A Report is all that a user needs to see when skills are missing.
type Report struct {
	Build  buildinfo.Info `json:"build"`
	Home   string         `json:"home"` // empty: not known
	State  State          `json:"journal"`
	Cwd    string         `json:"cwd"`
	Add    []string       `json:"additionalDirectories,omitempty"`
	Places []Place        `json:"places"`
	Found  *Found         `json:"found"`
	Agent  *Visited       `json:"agent,omitempty"`
	// AgentError is why the visit ended early.
	AgentError string `json:"agentError,omitempty"`
	// Missing are skills on the disk that the user can invoke and the session
	// does not list.
	Missing []string `json:"missing,omitempty"`
}

// State is where the journal is kept.
type State struct {
	Dir   string `json:"dir"`
	Error string `json:"error,omitempty"`
}

// Examine makes a report. Without an agent it is about the disk alone.
func Examine(ctx context.Context, o VisitOptions) (*Report, error) {
	where, err := o.Choices.Catalog()
	if err != nil {
		return nil, err
	}
	where.Workspace = o.Place.Workspace()
	found, err := Look(ctx, where)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Build: buildinfo.Read(), Home: where.Home, Cwd: o.Place.Cwd, Add: o.Place.Add,
		Places: found.Places(), Found: found,
	}
	if dir, err := journal.DefaultDir(); err != nil {
		r.State.Error = err.Error()
	} else {
		r.State.Dir = dir
	}
	if len(o.Agent) == 0 {
		return r, nil
	}
	o.Record = true
	r.Agent, err = Visit(ctx, o)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		r.AgentError = err.Error()
	default:
		r.missing()
	}
	return r, nil
}

func (r *Report) missing() {
	listed := map[string]bool{}
	for _, s := range r.Agent.Skills {
		listed[s.Path] = true
	}
	for _, s := range r.Found.Skills {
		if s.User && !listed[s.File] {
			r.Missing = append(r.Missing, s.Name)
		}
	}
}

// Bad reports whether there is something to be done.
func (r *Report) Bad() bool {
	return r.Found.Bad() || r.AgentError != "" || len(r.Missing) > 0
}

// Print shows the report to a person.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintln(w, r.Build)
	if r.Home == "" {
		fmt.Fprintln(w, "home: not known, so the user's own skills are left out; set HOME to an absolute path")
	} else {
		fmt.Fprintf(w, "home: %s\n", skill.Sanitize(r.Home))
	}
	if r.State.Error != "" {
		fmt.Fprintln(w, skill.Sanitize(r.State.Error))
	} else {
		fmt.Fprintf(w, "journal: %s\n", skill.Sanitize(r.State.Dir))
	}
	fmt.Fprintf(w, "working directory: %s\n", skill.Sanitize(r.Cwd))
	for _, dir := range r.Add {
		fmt.Fprintf(w, "additional directory: %s\n", skill.Sanitize(dir))
	}

	fmt.Fprintln(w, "\nLooked for skills in:")
	printPlaces(w, r.Places)
	fmt.Fprintf(w, "\nFound %s:\n", count(len(r.Found.Skills), "skill"))
	PrintFound(w, r.Found)
	if r.Agent != nil {
		r.printAgent(w)
	}
}

func (r *Report) printAgent(w io.Writer) {
	v := r.Agent
	fmt.Fprintf(w, "\nAgent: %s\n", skill.Sanitize(strings.Join(v.Command, " ")))
	if v.Protocol != 0 {
		fmt.Fprintf(w, "  it calls itself: %s (%s)\n", v.Name(), skill.Sanitize(v.Info.Name))
		fmt.Fprintf(w, "  protocol version: %d\n", v.Protocol)
		fmt.Fprintf(w, "  skill blocks it takes itself: %s\n", v.Blocks)
		fmt.Fprintf(w, "  profile: %s\n", v.Profile)
		fmt.Fprintf(w, "  capabilities: %s\n", compact(v.Capabilities))
	}
	if r.AgentError != "" {
		fmt.Fprintln(w, "  it failed:")
		for _, line := range strings.Split(r.AgentError, "\n") {
			fmt.Fprintf(w, "    %s\n", skill.Sanitize(line))
		}
		return
	}
	fmt.Fprintln(w)
	PrintVisited(w, v)
	if len(r.Missing) > 0 {
		fmt.Fprintln(w, "\nFound on the disk, and not in the session's list:")
		for _, name := range r.Missing {
			fmt.Fprintf(w, "  %s\n", skill.Sanitize(name))
		}
	}
}

func compact(raw json.RawMessage) string {
	const most = 400
	s := []rune(skill.Sanitize(string(raw)))
	if len(s) > most {
		return string(s[:most]) + "... (--json has all)"
	}
	return string(s)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// PrintPrompt shows the blocks that an agent would get. clean takes out what
// controls a terminal, so that w may be one.
func PrintPrompt(w io.Writer, prompt json.RawMessage, clean func(string) string) error {
	var blocks []json.RawMessage
	if err := json.Unmarshal(prompt, &blocks); err != nil {
		return fmt.Errorf("what was recorded is no prompt: %w", err)
	}
	for i, raw := range blocks {
		var b struct{ Type, Text string }
		if err := json.Unmarshal(raw, &b); err != nil {
			return fmt.Errorf("what was recorded is no prompt: %w", err)
		}
		fmt.Fprintf(w, "--- block %d of %d: %s\n", i+1, len(blocks), skill.Sanitize(b.Type))
		text := string(raw)
		if b.Type == "text" {
			text = b.Text
		}
		fmt.Fprintln(w, strings.TrimSuffix(clean(text), "\n"))
	}
	return nil
}
