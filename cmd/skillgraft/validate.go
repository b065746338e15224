// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/format"
)

func validateCommand() *cobra.Command {
	var o format.ValidateOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate [flags] [PATH...]",
		Short: "Check skills, say what to do, and mend what is mechanical",
		Long: `Check skills against the format, and say of each finding where it is, what to do
and which rule it is about. "skillgraft explain RULE" says why there is the rule.

A PATH is a SKILL.md, the directory of a skill, or a directory with skills
anywhere below it. Without one, the skills of the working directory are checked:
those that "skillgraft list" finds.

--fix mends what is mechanical, such as a value that needs quotes, and nothing
else in the file; the change is shown. What decides something for you is mended
only when you say so: --fix=name takes names from directories, --fix=FMT-10
mends the findings of a rule, --fix=all whatever can be. Files outside of PATH
are not changed, also through links; without a PATH, only those of the project
are. --dry-run shows the change and does not make it.

--profile says whose view is taken: spec is the format's own; skills-ref gives
the verdict and the words of the format's reference tool; claude knows the
fields that Claude Code has, and warns of what Claude does not accept.

Exit status: 0 when there is no error; 1 when there is one, or with --strict a
warning; 2 when the check could not be done or a file not be mended; 128 plus its
number after a signal.`,
		Example: `  skillgraft validate
  skillgraft validate skills/review skills/deploy/SKILL.md
  skillgraft validate --strict --format sarif . > skills.sarif
  skillgraft validate --fix --dry-run skills`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				if cmd.Flags().Changed("format") && o.Format != "json" {
					return cli.Usagef("--json and --format %s exclude each other", o.Format)
				}
				o.Format = "json"
			}
			ctx, stop := cli.UntilSignal(cmd.Context())
			defer stop()
			return format.Validate(ctx, o, args, cli.Std(cmd))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Strict, "strict", false, "warnings are errors")
	f.StringVar(&o.Profile, "profile", format.ProfileNames()[0], "take the view of `NAME`: spec, skills-ref or claude")
	f.StringVar(&o.Format, "format", "text", "print as `FORM`: text, json, sarif or github")
	f.BoolVar(&asJSON, "json", false, "the same as --format json")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "also say what is only worth knowing")
	f.StringVar(&o.Fix, "fix", "", "mend what is mechanical; =`WHAT` is name, all, or the rule of findings")
	f.Lookup("fix").NoOptDefVal = format.FixSafe
	f.BoolVarP(&o.DryRun, "dry-run", "n", false, "with --fix: show the change and do not make it")
	o.Choices.AddRootFlags(f)
	complete(cmd, "profile", format.ProfileNames())
	complete(cmd, "format", format.Formats())
	return cmd
}

// complete has the shell offer the values of a flag.
func complete(cmd *cobra.Command, flag string, values []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values, cobra.ShellCompDirectiveNoFileComp
	}) // fails only for a flag that does not exist
}
