// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/skill"
)

// A LineReader asks a person for lines, one at a time. The error is [io.EOF] when there
// are no more, and [ErrInterrupted] when the person gave this one up.
type LineReader interface {
	ReadLine(prompt string) (string, error)
}

// ErrInterrupted says that a person gave a line up.
var ErrInterrupted = errors.New("interrupted")

// A Chat lets a person talk to an agent, line by line.
type Chat struct {
	Session *Session
	Lines   LineReader
	Printer *Printer
	Out     io.Writer // for what is not the agent's answer
	// Interrupts gives the interrupts of one turn. stop is called when that has ended.
	Interrupts func(ctx context.Context) (interrupts <-chan struct{}, stop func())
	// GiveUp is called when the person answers a question by an interrupt; it may be nil.
	GiveUp func()

	asking  sync.Mutex // one question at a time
	mu      sync.Mutex
	typing  bool          // a line is being read that no question waits for
	waiting *openQuestion // for that line
}

const chatHelp = `What you type is said to the agent. {{skill:NAME}} in it marks a place for a skill,
and a line that starts with /NAME invokes the skill of that name.
  /skills           the skills of this session
  /mode [VALUE]     what the agent does without asking, and likewise the agent's
  /model [VALUE]    other options by their names
  /help             this
  /quit             end (or Ctrl-D)
Ctrl-C cancels what the agent is doing.
`

// Run reads lines and says them until the person has had enough, or ctx or the
// connection ends.
func (c *Chat) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		line, err := c.read()
		switch {
		case errors.Is(err, ErrInterrupted):
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if line == "/quit" || line == "/exit" {
			return nil
		}
		if c.command(ctx, line) {
			continue
		}
		if err := c.say(ctx, line); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// say says a line to the agent. The error is one after which nothing more can be said.
func (c *Chat) say(ctx context.Context, line string) error {
	blocks, err := c.blocks(line)
	if err != nil {
		fmt.Fprintln(c.Out, err)
		return nil
	}
	interrupts, stop := c.Interrupts(ctx)
	outcome, err := c.Session.Prompt(ctx, blocks, interrupts)
	stop()
	c.Printer.End()
	switch {
	case err != nil && (ctx.Err() != nil || c.Session.Gone()):
		return err
	case err != nil:
		fmt.Fprintln(c.Out, err)
	case outcome.Error != nil:
		fmt.Fprintf(c.Out, "The agent ended its work with an error: %s\n", skill.Sanitize(outcome.Error.Message))
	case outcome.StopReason != "" && outcome.StopReason != acp.StopEndTurn:
		fmt.Fprintf(c.Out, "(%s)\n", skill.Sanitize(outcome.StopReason))
	}
	return nil
}

// blocks makes a prompt of a line. A slash and the name of a skill at its start are that
// skill's block; the name of a command stays, since the agent reads it.
func (c *Chat) blocks(line string) ([]acp.ContentBlock, error) {
	name, rest, _ := strings.Cut(line, " ")
	if name, ok := strings.CutPrefix(name, "/"); ok && acp.ResolveIn(c.Session.Commands())(name).State == acp.SkillInvocable {
		if rest = strings.TrimSpace(rest); rest == "" {
			return []acp.ContentBlock{acp.SkillBlock(name)}, nil
		}
		return Parse(rest, []string{name}, false)
	}
	return Parse(line, nil, false)
}

// command carries out a line that is for us, and reports whether it was one.
func (c *Chat) command(ctx context.Context, line string) bool {
	words := strings.Fields(line)
	switch words[0] {
	case "/help":
		fmt.Fprint(c.Out, chatHelp)
		return true
	case "/skills":
		c.listSkills()
		return true
	}
	name, ok := strings.CutPrefix(words[0], "/")
	if !ok || acp.ResolveIn(c.Session.Commands())(name).State != acp.SkillUnknown {
		return false
	}
	i := slices.IndexFunc(c.Session.Options(), func(o acp.ConfigOption) bool { return optionID(o) == name })
	if i < 0 {
		return false
	}
	c.option(ctx, c.Session.Options()[i], words[1:])
	return true
}

func (c *Chat) listSkills() {
	skills := c.Session.Skills()
	if len(skills) == 0 {
		fmt.Fprintln(c.Out, "The session has no skills. Why: skillgraft doctor")
	}
	for _, s := range skills {
		fmt.Fprintf(c.Out, "/%s  %s\n", skill.Sanitize(s.Name), skill.Sanitize(s.Description))
	}
}

func optionID(o acp.ConfigOption) string {
	switch o := o.(type) {
	case *acp.SelectOption:
		return o.ConfigID
	case *acp.BooleanOption:
		return o.ConfigID
	}
	return ""
}

// option shows an option, or sets it.
func (c *Chat) option(ctx context.Context, o acp.ConfigOption, words []string) {
	if len(words) == 0 {
		switch o := o.(type) {
		case *acp.SelectOption:
			values := o.Options.Values
			for _, g := range o.Options.Groups {
				values = append(values, g.Options...)
			}
			for _, v := range values {
				mark := " "
				if v.Value == o.CurrentValue {
					mark = "*"
				}
				fmt.Fprintf(c.Out, "%s %s  %s\n", mark, skill.Sanitize(v.Value), skill.Sanitize(v.Name+" "+v.Description))
			}
		case *acp.BooleanOption:
			fmt.Fprintln(c.Out, o.CurrentValue)
		}
		return
	}
	value := strings.Join(words, " ")
	r := &acp.SetConfigOptionRequest{ConfigID: optionID(o), Type: acp.ValueID}
	r.Value, _ = json.Marshal(value) // a string can always be written
	if _, ok := o.(*acp.BooleanOption); ok {
		on, err := strconv.ParseBool(value)
		if err != nil {
			fmt.Fprintln(c.Out, "The values are true and false.")
			return
		}
		r.Type = acp.ValueBoolean
		r.Value, _ = json.Marshal(on)
	}
	if err := c.Session.Configure(ctx, r); err != nil {
		fmt.Fprintln(c.Out, err)
	}
}

// An openQuestion waits for a line that is being read anyway.
type openQuestion struct{ line chan string }

// Ask puts a question of the agent. It is an [Ask], and may be called before Run, with
// the lines that Run has not begun to read. One that comes while the person is typing
// gets that line: what is typed behind a question answers it.
func (c *Chat) Ask(ctx context.Context, r *acp.RequestPermissionRequest) *acp.RequestPermissionResponse {
	c.asking.Lock()
	defer c.asking.Unlock()
	fmt.Fprintf(c.Out, "\nThe agent asks: %s\n", describe(r))
	for i, o := range r.Options {
		fmt.Fprintf(c.Out, "  %d  %s\n", i+1, skill.Sanitize(o.Name))
	}
	prompt := fmt.Sprintf("1-%d, or nothing to deny: ", len(r.Options))
	for {
		line, ok := c.answer(ctx, prompt)
		switch line = strings.TrimSpace(line); {
		case !ok:
			return acp.Cancelled()
		case line == "":
			return Always(false, nil)(ctx, r)
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(r.Options) {
			return acp.Selected(r.Options[n-1].OptionID)
		}
	}
}

// answer is the next line, empty when the person gives up. ok is false when ctx has ended
// before there was one.
func (c *Chat) answer(ctx context.Context, prompt string) (line string, ok bool) {
	q := &openQuestion{line: make(chan string, 1)}
	c.mu.Lock()
	typing := c.typing
	if typing {
		c.waiting = q
	}
	c.mu.Unlock()
	if typing {
		fmt.Fprint(c.Out, prompt)
	} else {
		go func() {
			line, err := c.Lines.ReadLine(prompt)
			if errors.Is(err, ErrInterrupted) && c.GiveUp != nil {
				c.GiveUp()
			}
			if err != nil {
				line = ""
			}
			q.line <- line
		}()
	}
	select {
	case line := <-q.line:
		return line, true
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.waiting == q {
			c.waiting = nil
		}
		if typing {
			fmt.Fprintln(c.Out, "\nThe question was taken back.")
		} else {
			// A person cannot be made to answer: what is typed next is thrown away.
			fmt.Fprintln(c.Out, "\nThe question was taken back; press Enter.")
		}
		return "", false
	}
}

// read reads the next line that is not the answer to a question.
func (c *Chat) read() (string, error) {
	for {
		c.mu.Lock()
		c.typing = true
		c.mu.Unlock()
		line, err := c.Lines.ReadLine("> ")
		c.mu.Lock()
		q := c.waiting
		c.typing, c.waiting = false, nil
		c.mu.Unlock()
		if q == nil {
			return line, err
		}
		if err != nil {
			line = ""
		}
		q.line <- line
		if err != nil && !errors.Is(err, ErrInterrupted) {
			return "", err
		}
	}
}
