// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Place is where a session is, as flags have it.
type Place struct {
	Cwd string   // --cwd; empty means here
	Add []string // --add
}

// AddFlags adds the flags.
func (p *Place) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&p.Cwd, "cwd", "", "the session's working `DIR`ectory (default: here)")
	f.StringArrayVar(&p.Add, "add", nil, "an additional `DIR`ectory of the session; may be repeated")
}

// Resolve makes the directories absolute and checks that they are there.
func (p Place) Resolve() (Place, error) {
	out := Place{}
	var err error
	if out.Cwd, err = directory("--cwd", p.Cwd); err != nil {
		return out, err
	}
	for _, dir := range p.Add {
		abs, err := directory("--add", dir)
		if err != nil {
			return out, err
		}
		out.Add = append(out.Add, abs)
	}
	return out, nil
}

func directory(flag, dir string) (string, error) {
	if dir == "" {
		dir = "."
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if st, err := os.Stat(abs); err != nil || !st.IsDir() {
		return "", Usagef("%s %q is no directory: create it or name another one", flag, dir)
	}
	return abs, nil
}

// Workspace is the place as a catalog wants it.
func (p Place) Workspace() []string { return append([]string{p.Cwd}, p.Add...) }

// SplitAgent parts the arguments of a command from the agent's command line
// behind --, which may be missing. Every argument before -- is one of ours, and
// there may be most of them.
func SplitAgent(cmd *cobra.Command, args []string, most int) (own, agent []string, err error) {
	own = args
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		own, agent = args[:at], args[at:]
	}
	if flag, word := lostValue(cmd.Flags(), own); flag != "" {
		return nil, nil, Usagef("%q is not expected here: --%s takes its value behind =, as in --%[2]s=%[1]s\nSee: %[3]s --help", word, flag, cmd.CommandPath())
	}
	if cmd.ArgsLenAtDash() >= 0 && (len(agent) == 0 || agent[0] == "") {
		return nil, nil, Usagef("no agent is named behind --: put its command there\nSee: %s --help", cmd.CommandPath())
	}
	if len(own) > most {
		return nil, nil, Usagef("%q is not expected here: an agent's command stands behind --, and a text of several words in quotes\nSee: %s --help", own[most], cmd.CommandPath())
	}
	return own, agent, nil
}

// lostValue finds a word that was meant as the value of --user-skills: the only
// flag that is on by itself, so that nobody gives it but to switch it off.
func lostValue(f *pflag.FlagSet, own []string) (flag, word string) {
	if on, err := f.GetBool(userSkills); err != nil || !on || !f.Changed(userSkills) {
		return "", ""
	}
	for _, word := range own {
		if _, err := strconv.ParseBool(word); err == nil {
			return userSkills, word
		}
	}
	return "", ""
}
