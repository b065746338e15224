// SPDX-License-Identifier: Apache-2.0

// Package skill reads one Agent Skill: a directory with a SKILL.md file whose YAML
// frontmatter says what the skill is for and whose Markdown body says how to do it.
//
// The package has one parser and two readings of what it finds:
//
//	     SKILL.md
//	        |
//	     [Parse] ------> strict findings: what a validator reports
//	        |
//	[Load], [LoadIn] --> lenient: a skill is skipped only when nobody could use it
//	        |
//	     [Skill]  name, description, flags: enough for a list or a catalogue
//	        |
//	[Skill.Activate] --> [Activation]: body and file list, read from disk now
//
// [Parse] reports every departure from the format as a [Finding] with rule, place and
// advice. The loader uses the same findings, but lets a skill go only for the reasons of
// rule FMT-14 (those have [Finding.Skip] set); everything else is a warning on a loaded
// skill. One damaged skill therefore never costs another one, and validator and loader
// cannot disagree about the same bytes.
//
// For authors, [Validate] looks at a whole directory and adds advice, [Mend] makes the
// mechanical fixes that findings carry, and [Explain] says what a finding's rule is for.
// [ReadReference] gives what the format's reference tool gives.
//
// Disclosure is progressive: loading reads only the head of the file ([MaxHead]),
// [Prompt] puts names and descriptions before a model, and the body is read when the
// skill is activated. Nothing in a skill is ever run by this package.
//
// Text in a skill comes from whoever wrote it. [Sanitize] makes such text safe to show on
// one line; [Prompt] and [Activation.Wrapped] escape what they embed.
//
// Rule ids such as FMT-4, DSC-7 and ACT-3 in comments and findings name the rules this
// project keeps about the format, discovery and activation.
package skill
