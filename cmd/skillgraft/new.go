// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/format"
)

func newCommand() *cobra.Command {
	var o format.NewOptions
	cmd := &cobra.Command{
		Use:   "new [flags] NAME",
		Short: "Make a skill that is valid from the start",
		Long: `Make the directory of a skill with a SKILL.md in it, by default in .agents/skills
of the working directory. What is missing you are asked for at a terminal;
without one, give NAME and --description.

A skill that is there is not touched, unless --force is given.

Exit status: 0 when the skill was made; 2 when it could not be, or there is one.`,
		Example: `  skillgraft new release-notes
  skillgraft new pdf-forms --description "Fills in PDF forms. Use when the user has a PDF form."
  skillgraft new review --dir ~/.agents/skills`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			switch len(args) {
			case 0:
			case 1:
				name = args[0]
			default:
				return cli.Usagef("%q is not expected here: one skill is made at a time, and a description of several words stands in quotes\nSee: %s --help", args[1], cmd.CommandPath())
			}
			return format.New(cmd.Context(), o, name, cli.Std(cmd))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Description, "description", "", "the `TEXT` by which agents choose the skill: what it does and when to use it")
	f.StringVar(&o.License, "license", "", "the skill's licence, a short `NAME`")
	f.StringVar(&o.Dir, "dir", "", "make it in this `DIR`ectory (default .agents/skills)")
	f.BoolVar(&o.Force, "force", false, "replace the SKILL.md of a skill that is there")
	f.BoolVar(&o.JSON, "json", false, "print an object")
	return cmd
}
