// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/skill"
)

// A KnownAgent is a profile as "skillgraft agents" shows it.
type KnownAgent struct {
	Name      string          `json:"name"`
	Title     string          `json:"title"`
	Source    string          `json:"source,omitempty"`
	Recognise KnownBy         `json:"recognise"`
	Marks     string          `json:"marks,omitempty"`   // what tells a skill in its list
	Invokes   string          `json:"invokes,omitempty"` // how it takes one of its own
	Reads     ReadsFolders    `json:"reads"`
	Replay    profile.Replay  `json:"replay"`
	Notices   profile.Notices `json:"notices"`
}

// KnownBy is by what an agent is recognised.
type KnownBy struct {
	Info    []string `json:"info,omitempty"`
	Program []string `json:"program,omitempty"`
	Folder  []string `json:"folder,omitempty"`
}

// ReadsFolders are the folders in which an agent finds skills itself.
type ReadsFolders struct {
	Workspace  []string `json:"workspace,omitempty"`
	Additional []string `json:"additional,omitempty"`
	User       []string `json:"user,omitempty"`
}

// Agents lists what is known of agents; of those of the names, everything.
func Agents(names []string, asJSON bool, std Streams) error {
	all, wrong := Profiles()
	for _, err := range wrong {
		_, _ = fmt.Fprintln(std.Err, "skillgraft: a profile of yours is left out:", skill.Sanitize(err.Error()))
	}
	picked := all
	if len(names) > 0 {
		picked = nil
		for _, name := range names {
			p, err := PickProfile(name)
			if err != nil {
				return err
			}
			picked = append(picked, p)
		}
	}
	if asJSON {
		out := []KnownAgent{}
		for _, p := range picked {
			out = append(out, known(p))
		}
		return WriteJSON(std.Out, out)
	}
	if len(names) > 0 {
		return describeAgents(std.Out, picked)
	}
	return listAgents(std.Out, picked)
}

// CheckProfiles reads the files of profiles and says what is wrong with each.
func CheckProfiles(files []string, std Streams) error {
	bad := 0
	for _, file := range files {
		p, err := profile.ReadFile(file)
		if err != nil {
			bad++
			if _, err := fmt.Fprintln(std.Out, skill.Sanitize(err.Error())); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintf(std.Out, "%s: fine, the profile %s of %s\n", skill.Sanitize(file), p.Name, skill.Sanitize(p.Title)); err != nil {
			return err
		}
	}
	if bad > 0 {
		return Silent(1)
	}
	return nil
}

func known(p *profile.Profile) KnownAgent {
	return KnownAgent{
		Name: p.Name, Title: p.Title, Source: p.Source, Recognise: KnownBy(p.Recognise), Reads: ReadsFolders(p.Reads),
		Marks: marks(p), Invokes: invokes(p), Replay: p.Replay, Notices: p.Notices,
	}
}

// marks says in words what tells a skill in the agent's list, empty when nothing does.
func marks(p *profile.Profile) string {
	m := p.Mark
	switch {
	case m.Prefix != "":
		return fmt.Sprintf("%q before the name", m.Prefix)
	case len(m.Field) > 0:
		return fmt.Sprintf("%s is %s", strings.Join(m.Field, "."), quoted(m.Values))
	case m.ByName:
		return "the name of a skill where the agent reads"
	}
	return ""
}

func quoted(texts []string) string {
	var out []string
	for _, t := range texts {
		out = append(out, fmt.Sprintf("%q", t))
	}
	return strings.Join(out, " or ")
}

// invokes says in words where a skill of the agent runs its own way, empty when it has
// none that is known.
func invokes(p *profile.Profile) string {
	switch f := p.Form.(type) {
	case profile.Slash:
		where := f.Prefix + "NAME at the start, with text alone behind it"
		if f.OneLine {
			where = f.Prefix + "NAME at the start, with one line of text alone behind it"
		}
		return where
	case profile.Mention:
		return f.Sigil + "NAME anywhere"
	}
	return ""
}

var noticed = map[profile.Notices]string{
	profile.NoticesAtOnce:   "at once",
	profile.NoticesNextTurn: "with the next prompt",
	profile.NoticesNever:    "in its next session",
}

func listAgents(w io.Writer, all []*profile.Profile) error {
	out := &strings.Builder{}
	out.WriteString("Behind \"skillgraft run\" each of these takes every skill that is found, at any place of\n" +
		"a prompt and any number of them. Its own skills run the agent's own way where that holds:\n\n")
	tw := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, p := range all {
		own := invokes(p)
		if own == "" {
			own = "each is written out"
		}
		_, _ = fmt.Fprintf(tw, "%s\t%s\t%s\n", p.Name, skill.Sanitize(p.Title), skill.Sanitize(own))
	}
	_ = tw.Flush()
	out.WriteString("\nskillgraft agents NAME tells the rest. An agent of yours: docs/profiles.md\n")
	_, err := io.WriteString(w, out.String())
	return err
}

func describeAgents(w io.Writer, picked []*profile.Profile) error {
	out := &strings.Builder{}
	for i, p := range picked {
		if i > 0 {
			out.WriteString("\n")
		}
		_, _ = fmt.Fprintf(out, "%s  %s\n", p.Name, skill.Sanitize(p.Title))
		line := func(what, text string) {
			if text != "" {
				_, _ = fmt.Fprintf(out, "  %-22s%s\n", what+":", skill.Sanitize(text))
			}
		}
		line("known", p.Source)
		line("recognised by", strings.Join(p.Recognise.Info, ", "))
		line("or its program", strings.Join(p.Recognise.Program, ", "))
		line("or its folder", strings.Join(p.Recognise.Folder, ", "))
		line("marks its skills by", orNothing(marks(p)))
		line("runs its own by", orElse(invokes(p), "no way that is known: each is written out"))
		line("reads in a workspace", strings.Join(p.Reads.Workspace, ", "))
		line("in additional ones", strings.Join(p.Reads.Additional, ", "))
		line("in the home directory", strings.Join(p.Reads.User, ", "))
		line("notices new skills", noticed[p.Notices]+"; skillgraft within two seconds")
		line("replays its own", map[profile.Replay]string{
			profile.ReplaysSent: "as they were sent", profile.ReplaysExpanded: "as their instructions, for which your editor gets what you sent",
		}[p.Replay])
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func orNothing(s string) string { return orElse(s, "nothing") }

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
