// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/internal/buildinfo"
	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/skill"
)

// Exit statuses of the commands that check and read skills.
const (
	exitFindings = 1 // something is wrong with a skill
	exitCannot   = 2 // the command could not do its work
)

// ValidateOptions are the flags of the validate command.
type ValidateOptions struct {
	Choices cli.Choices
	Profile string
	Format  string
	Strict  bool
	Verbose bool
	Fix     string // empty: nothing is mended
	DryRun  bool
}

// Validate is the validate command.
func Validate(ctx context.Context, o ValidateOptions, args []string, std cli.Streams) error {
	check, err := o.check()
	if err != nil {
		return err
	}
	where, err := Where(o.Choices)
	if err != nil {
		return cannot(ctx, err)
	}
	m := newMeter(std.Err)
	defer m.end()
	printer, err := NewPrinter(o.Format, PrinterOptions{Out: std.Out, Color: colored(std), Clean: m.clear, Version: buildinfo.Read().Version, DryRun: o.DryRun})
	if err != nil {
		return err
	}
	targets, err := Find(ctx, args, where)
	if err != nil {
		return cannot(ctx, err)
	}
	if len(targets.Skills)+len(targets.Notes) == 0 {
		return noSkills()
	}
	sum := &Summary{Strict: o.Strict}
	err = Check(ctx, targets, check, func(done int) { m.at(done, len(targets.Skills)) }, func(c *Checked) error {
		sum.add(c)
		return printer.Print(c)
	})
	m.end()
	if err == nil {
		err = printer.End(sum)
	}
	switch {
	case err != nil:
		return cannot(ctx, err)
	case sum.Failed > 0:
		return cli.Silent(exitCannot) // why was printed
	case sum.Errors > 0:
		return cli.Silent(exitFindings)
	}
	return nil
}

// check makes the options of the check, and refuses flags that contradict each other.
func (o *ValidateOptions) check() (CheckOptions, error) {
	c := CheckOptions{Profile: skill.Profile(o.Profile), Strict: o.Strict, Notes: o.Verbose || o.Format == "json"}
	if !slices.Contains(skill.Profiles(), c.Profile) {
		return c, cli.Usagef("there is no profile %q: the known ones are %s", o.Profile, strings.Join(ProfileNames(), ", "))
	}
	if o.Fix == "" {
		if o.DryRun {
			return c, cli.Usagef("--dry-run is for --fix: without that nothing is changed anyway")
		}
		return c, nil
	}
	if o.Format != "text" && o.Format != "json" {
		return c, cli.Usagef("--fix shows what it changes, for which --format %s has no place: run it with text or json, and %[1]s without --fix", o.Format)
	}
	fix, err := ParseFix(o.Fix)
	if err != nil {
		return c, err
	}
	fix.DryRun = o.DryRun
	c.Fix = fix
	return c, nil
}

// ProfileNames are the names that --profile takes.
func ProfileNames() []string {
	var names []string
	for _, p := range skill.Profiles() {
		names = append(names, string(p))
	}
	return names
}

func noSkills() error {
	return cli.Usagef("there are no skills here: name a path, or put a skill into .agents/skills/NAME/SKILL.md (skillgraft new NAME makes one)")
}

// cannot is an error that kept a command from its work, with the status for that.
func cannot(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cli.Silent(cli.Status(cause))
	}
	return &cli.ExitError{Status: exitCannot, Err: err}
}

// colored reports whether output may have colours: on a terminal, unless its user does
// not want them.
func colored(std cli.Streams) bool {
	return cli.IsTerminal(std.Out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
