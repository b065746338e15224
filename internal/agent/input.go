// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/skill"
)

// An input is what a turn has to work on: the skills that its prompt invokes, in
// the order of their first mention.
type input struct {
	skills []*invocation
	// text is the prompt's text on one line.
	text string
	// asCommands says that the client has the skills as commands.
	asCommands bool
}

// An invocation is a skill that a prompt invokes, as it was just read.
type invocation struct {
	*skill.Activation
	name    string // in the session
	known   bool   // unchanged since it was read before in this session (ACT-5)
	times   int    // how often the prompt names it
	trusted bool   // the user trusts where it comes from
	err     error  // why a command's skill could not be read; then there is no Activation
}

// record is what the history has of it: the content as the model is given it, so that
// it stays what it was (ACT-2, ACT-6).
func (i *invocation) record() record {
	return record{Type: recordSkill, Skill: i.key(), Name: i.name, Hash: i.Hash, Text: i.Wrapped(), Trusted: i.trusted}
}

func (i *invocation) key() string { return keyOf(i.Skill) }

// read reads the skills that a prompt invokes, now and from disk (ACT-2). A skill
// block whose skill cannot be read any more refuses the prompt (ACP-P4).
func (s *session) read(ctx context.Context, p *acp.UserPrompt) (*input, error) {
	in := &input{text: textOf(p.Prompt), asCommands: !s.client.Client().Capabilities.Skills()}
	sh := s.skills()
	byName := make(map[string]*invocation)
	for _, r := range p.Skills {
		if i := byName[r.Name]; i != nil {
			i.times++
			continue
		}
		i, err := s.activate(ctx, sh, r.Name)
		if err != nil {
			return nil, refused(ctx, r, err)
		}
		byName[r.Name] = i
		in.skills = append(in.skills, i)
	}
	if name, ok := commandOf(p.Prompt); ok && in.asCommands && sh.Resolve(name).State == acp.SkillInvocable {
		i, err := s.activate(ctx, sh, name)
		if err != nil {
			i = &invocation{name: name, times: 1, err: err}
		}
		in.skills = append(in.skills, i)
	}
	return in, nil
}

func (s *session) activate(ctx context.Context, sh *shelf, name string) (*invocation, error) {
	a, err := sh.Activate(ctx, name)
	if err != nil {
		return nil, err
	}
	i := &invocation{Activation: a, name: name, times: 1}
	i.known = s.history.hasSkill(i.key(), a.Hash)
	i.trusted = sh.trusts(i.key())
	return i, nil
}

func refused(ctx context.Context, r acp.ResolvedSkill, err error) error {
	if ctx.Err() != nil {
		return errNotInserted()
	}
	return &acp.PromptError{Rule: "ACP-P4", Block: r.Block, Name: r.Name, Reason: err.Error()}
}

// commandOf is the command that a prompt invokes: text that starts with a slash
// and its name (ACP-P8).
func commandOf(prompt []acp.ContentBlock) (name string, ok bool) {
	first, ok := prompt[0].(*acp.Text)
	if !ok {
		return "", false
	}
	rest, ok := strings.CutPrefix(first.Text, "/")
	if !ok {
		return "", false
	}
	if end := strings.IndexAny(rest, " \t\r\n"); end >= 0 {
		rest = rest[:end]
	}
	return rest, rest != ""
}

// checkBlocks refuses what the agent's capabilities do not allow: it could be
// kept, and the user would believe that it was understood.
func checkBlocks(prompt []acp.ContentBlock) error {
	for n, b := range prompt {
		if u, ok := b.(*acp.UnknownBlock); ok {
			return invalidParams("params.prompt[%d]: this agent does not take content of type %s", n, quoted(u.Type))
		}
	}
	return nil
}

// textOf is the prompt's text on one line, with the names of skills where their
// blocks stand.
func textOf(prompt []acp.ContentBlock) string {
	var b strings.Builder
	name := false // stands last, and a word would run into it
	for _, block := range prompt {
		switch block := block.(type) {
		case *acp.Text:
			if r, _ := utf8.DecodeRuneInString(block.Text); name && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
				b.WriteByte(' ')
			}
			b.WriteString(block.Text)
			name = false
		case *acp.SkillReference:
			if name {
				b.WriteByte(' ')
			}
			b.WriteString(block.Name)
			name = true
		}
	}
	return skill.Sanitize(b.String())
}

// titleOf is a title for a session that starts with this prompt.
func titleOf(prompt []acp.ContentBlock) string {
	const most = 60
	title := textOf(prompt)
	if title == "" {
		return "Untitled session"
	}
	return shorten(title, most)
}

// shorten cuts s to a number of characters, of which the last says so.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return strings.TrimRight(string(r[:most-1]), " ") + "…"
}
