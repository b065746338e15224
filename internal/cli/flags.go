// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// userSkills is the name of the flag that leaves the user's own skills out.
const userSkills = "user-skills"

// AddRootFlags adds the flags about where skills are looked for.
func (c *Choices) AddRootFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&c.Roots, "root", nil, "look for skills in this `DIR`, too; may be repeated")
	f.BoolVar(&c.UserSkills, userSkills, true, "look for skills in the home directory")
}

// AddVerboseFlag adds the flag for commands whose user reads standard error.
// Some agents write much to it, and an error has the end of it anyway.
func (c *Choices) AddVerboseFlag(f *pflag.FlagSet) {
	f.BoolVarP(&c.Verbose, "verbose", "v", false, "show what the agent writes to its standard error")
}

// AddProxyFlags adds the flags about how an agent gets skills.
func (c *Choices) AddProxyFlags(cmd *cobra.Command) {
	c.AddAgentFlags(cmd)
	c.AddTrustFlag(cmd.Flags())
	cmd.Flags().BoolVar(&c.ModelSkills, "model-skills", false, "offer the skills to the model, too, by an MCP server in each session")
	c.AddMCPSkillsFlag(cmd)
	cmd.Flags().BoolVar(&c.NoJournal, "no-journal", false, "do not remember prompts on disk; a resumed session then shows what the agent got")
}

// AddAgentFlags adds those of the flags that matter also when no prompt is sent.
func (c *Choices) AddAgentFlags(cmd *cobra.Command) {
	c.AddRootFlags(cmd.Flags())
	cmd.Flags().StringVar(&c.Profile, "profile", "", "treat the agent as the one of this `NAME`, or of a file with a profile (default: as it says of itself; see skillgraft agents)")
	_ = cmd.RegisterFlagCompletionFunc("profile", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return ProfileNames(), cobra.ShellCompDirectiveDefault
	}) // fails only for a flag that does not exist
}
