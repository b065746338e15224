// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestSplitAgent(t *testing.T) {
	for _, tc := range []struct {
		args       string
		most       int
		own, agent string
		err        string
	}{
		{"", 0, "", "", ""},
		{"text", 1, "text", "", ""},
		{"text -- a b", 1, "text", "a b", ""},
		{"-- a --b -- c", 1, "", "a --b -- c", ""},
		{"two words", 1, "", "", `"words" is not expected`},
		{"stray -- a", 0, "", "", `"stray" is not expected`},
		{"text --", 1, "", "", "no agent is named behind --"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			var own, agent []string
			cmd := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true, RunE: func(cmd *cobra.Command, args []string) (err error) {
				own, agent, err = SplitAgent(cmd, args, tc.most)
				return err
			}}
			cmd.SetArgs(strings.Fields(tc.args))
			err := cmd.Execute()
			switch {
			case tc.err != "":
				if err == nil || !strings.Contains(err.Error(), tc.err) || Status(err) != ExitUsage {
					t.Errorf("error %v, not %q", err, tc.err)
				}
			case err != nil:
				t.Error(err)
			case strings.Join(own, " ") != tc.own || strings.Join(agent, " ") != tc.agent:
				t.Errorf("got %q and %q", own, agent)
			}
		})
	}
}

func TestPlaceIsAbsoluteAndThere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	p, err := Place{Add: []string{"sub"}}.Resolve()
	if err != nil || !slices.Equal(p.Workspace(), []string{dir, filepath.Join(dir, "sub")}) {
		t.Errorf("got %q, %v", p.Workspace(), err)
	}
	for _, bad := range []Place{{Cwd: "none"}, {Cwd: "file"}, {Add: []string{"none"}}} {
		if _, err := bad.Resolve(); Status(err) != ExitUsage {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	o, err := Choices{Roots: []string{"sub"}}.Catalog()
	if err != nil || !slices.Equal(o.Extra, []string{filepath.Join(dir, "sub")}) || !o.NoUser {
		t.Errorf("got %+v, %v", o, err)
	}
}

// Two agents may use the same session ids, so each needs an identity (PXY-5).
func TestIdentity(t *testing.T) {
	for _, tc := range []struct{ info, command, want string }{
		{"claude", "/usr/bin/node x.js", "claude"},
		{"", "/opt/agents/fox --acp", "fox"},
		{"", "", ""},
	} {
		if got := identity(tc.info, strings.Fields(tc.command)); got != tc.want {
			t.Errorf("%+v: %q", tc, got)
		}
	}
}

func TestHomeHasToBeAbsolute(t *testing.T) {
	dir := t.TempDir()
	for value, want := range map[string]string{dir: dir, "": "", "relative": ""} {
		t.Setenv("HOME", value)
		t.Setenv("USERPROFILE", value)
		if got := Home(); got != want {
			t.Errorf("HOME=%q: %q", value, got)
		}
	}
}
