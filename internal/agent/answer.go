// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/skillgraft/skillgraft/skill"
)

// How much of a skill an answer shows.
const (
	maxShownFiles  = 12
	maxShownSkills = 20
	maxShownText   = 120 // characters of a description
)

// answer is what there is to say to a prompt without a model, in pieces of
// Markdown that belong together.
func (s *session) answer(in *input, matched bool) []string {
	if len(in.skills) == 0 {
		return s.answerWithout(in)
	}
	var out []string
	if matched {
		out = append(out, fmt.Sprintf("The prompt names no skill. By its words it fits `%s` best, so that one was activated.\n\n", inCode(in.skills[0].name)))
	}
	for _, i := range in.skills {
		out = append(out, i.describe())
	}
	if asked(in) != nil {
		return append(out, "No language model is connected to this agent: beyond showing these instructions it only runs the script that the prompt asks for.\n")
	}
	return append(out, "No language model is connected to this agent, so nothing has been done: a model would be given "+
		"these instructions for the prompt, and follow them. To have that done, put skillgraft in front of an agent that has a model: "+
		"`skillgraft run -- AGENT`.\n")
}

// describe says what a model would be told of the skill.
func (i *invocation) describe() string {
	if i.err != nil {
		return fmt.Sprintf("The skill `%s` was not loaded: %s\n\n", inCode(i.name), plain(i.err.Error()))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Skill `%s`", inCode(i.name))
	if i.Skill.Dir != "" {
		fmt.Fprintf(&b, ", in `%s`", inCode(i.Skill.Dir))
	}
	if i.times > 1 {
		fmt.Fprintf(&b, ", which the prompt names %d times and which counts once", i.times)
	}
	b.WriteString(".\n\n")
	if i.known {
		b.WriteString("It is unchanged since it was loaded earlier in this session, so it is not loaded again. It applies to this prompt, too.\n\n")
		return b.String()
	}
	o := outlineOf(i.Body)
	if len(o.first) == 0 && len(o.headings) == 0 {
		b.WriteString("It has no instructions beyond its description: " + plain(shorten(skill.Sanitize(i.Skill.Description), maxShownText)) + "\n\n")
	}
	quote(&b, "It starts:", o.first)
	quote(&b, "Its sections:", o.headings)
	i.describeFiles(&b)
	return b.String()
}

// quote writes lines of somebody else's as indented code: there nothing in them
// is Markdown, such as a picture that a client would fetch (ACP-U3).
func quote(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString(title + "\n\n")
	for _, line := range lines {
		b.WriteString("    " + line + "\n")
	}
	b.WriteString("\n")
}

func (i *invocation) describeFiles(b *strings.Builder) {
	if len(i.Files) == 0 {
		return
	}
	b.WriteString("Its files, which are read only when needed:\n\n")
	shown := i.Files[:min(len(i.Files), maxShownFiles)]
	for _, f := range shown {
		fmt.Fprintf(b, "- `%s`\n", inCode(f))
	}
	if more := i.FilesTotal - len(shown); more > 0 {
		least := ""
		if i.FilesTruncated {
			least = "at least "
		}
		fmt.Fprintf(b, "- and %s%d more\n", least, more)
	}
	b.WriteString("\n")
}

// answerWithout says what the session has to offer.
func (s *session) answerWithout(in *input) []string {
	out := []string{"No language model is connected to this agent, so it cannot answer. What it can do is load skills and show what a model would be told to follow.\n\n"}
	if s.handler.opts.Level == LevelNone {
		return out
	}
	skills := s.skills().Skills()
	if len(skills) == 0 {
		return append(out, "There are no skills here yet. Put one into `.agents/skills/NAME/SKILL.md` in the working directory.\n")
	}
	var b strings.Builder
	b.WriteString("The skills of this session:\n\n")
	for _, sk := range skills[:min(len(skills), maxShownSkills)] {
		fmt.Fprintf(&b, "- `%s`: %s\n", inCode(sk.Name), plain(shorten(skill.Sanitize(sk.Description), maxShownText)))
	}
	if more := len(skills) - maxShownSkills; more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
	}
	how := "Pick one in your editor, or by `skillgraft prompt --skill NAME`.\n"
	if in.asCommands {
		how = "Invoke one by a prompt that starts with a slash and its name.\n"
	}
	return append(out, b.String(), "\n"+how)
}

// plain is text on one line of which no part is Markdown that links, loads or
// hides something.
func plain(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", `[`, `\[`, `]`, `\]`, `<`, `\<`, `*`, `\*`, `_`, `\_`, `&`, `\&`).
		Replace(skill.Sanitize(s))
}

// inCode is text that cannot end the code span that it stands in.
func inCode(s string) string { return strings.ReplaceAll(skill.Sanitize(s), "`", "'") }

// shown is a line of somebody else's output without what controls a terminal.
func shown(line string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, "\uFFFD"))
}

// capLines is a text with its first lines alone.
func capLines(text string, most int) string {
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= most {
		return text
	}
	return strings.Join(lines[:most], "") + fmt.Sprintf("[and %d lines more]\n", len(lines)-most)
}
