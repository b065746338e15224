// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/skill"
)

// PrinterOptions set up a [Printer].
type PrinterOptions struct {
	Out io.Writer // the agent's answer, and nothing else
	Err io.Writer // what it does meanwhile
	// Clean takes out of the answer what controls a terminal. It is for an
	// Out that is one; elsewhere the answer stays as it is.
	Clean bool
}

// A Printer shows a session to a person as it goes. It is safe for concurrent
// use.
type Printer struct {
	opts PrinterOptions

	mu       sync.Mutex
	messages map[string]string // what was printed of a message
	last     string            // the message that was printed last
	midLine  bool
	calls    map[string]*call
}

// A call is a tool call as far as it was shown.
type call struct {
	title, kind string
	shown       string // the status that was shown last
	locations   []string
}

// NewPrinter makes a printer.
func NewPrinter(opts PrinterOptions) *Printer {
	return &Printer{opts: opts, messages: map[string]string{}, calls: map[string]*call{}}
}

// Update shows an update. It is a [Show].
func (p *Printer) Update(u acp.SessionUpdate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch u := u.(type) {
	case *acp.AgentMessageChunk:
		p.answer(u.MessageID, p.messages[u.MessageID]+p.text(u.Content))
	case *acp.AgentMessage:
		if content, ok := u.Content.Get(); ok {
			var b strings.Builder
			for _, block := range content {
				b.WriteString(p.text(block))
			}
			p.answer(u.MessageID, b.String())
		}
	case *acp.ToolCallUpdate:
		p.toolCall(u)
	case *acp.PlanUpdate:
		p.plan(u.Plan)
	case *acp.Notice:
		p.note("notice", strings.TrimSpace(u.Title+": "+u.Description))
	}
}

// Note shows a line of our own.
func (p *Printer) Note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note("skillgraft", fmt.Sprintf(format, args...))
}

// End ends the answer's last line.
func (p *Printer) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.breakLine()
}

// answer prints what a message has more than before. A message that was changed
// in what is printed already is printed again.
func (p *Printer) answer(id, text string) {
	printed := p.messages[id]
	p.messages[id] = text
	more, grown := strings.CutPrefix(text, printed)
	if !grown || id != p.last && printed == "" {
		p.breakLine()
	}
	if !grown {
		more = text
	}
	if more == "" {
		return
	}
	p.last = id
	if p.opts.Clean {
		more = Clean(more)
	}
	_, _ = io.WriteString(p.opts.Out, more) // Out is the one to notice when nobody reads
	p.midLine = !strings.HasSuffix(more, "\n")
}

func (p *Printer) text(b acp.ContentBlock) string {
	switch b := b.(type) {
	case *acp.Text:
		return b.Text
	case *acp.ResourceLink:
		return b.URI
	default:
		p.note("content", "a block of type "+b.BlockType()+" is not shown here; --json has it")
		return ""
	}
}

func (p *Printer) toolCall(u *acp.ToolCallUpdate) {
	c := p.calls[u.ToolCallID]
	if c == nil {
		c = &call{title: u.ToolCallID}
		if name, ok := u.Name.Get(); ok {
			c.title = name
		}
		p.calls[u.ToolCallID] = c
	}
	c.title = u.Title.Apply(c.title)
	c.kind = u.Kind.Apply(c.kind)
	if locations, ok := u.Locations.Get(); ok {
		c.locations = nil
		for _, l := range locations {
			c.locations = append(c.locations, l.Path)
		}
	}
	status, _ := u.Status.Get()
	if status == "" && c.shown == "" {
		status = "pending"
	}
	// In between nothing is worth a line.
	if status == "" || status == c.shown || c.shown != "" && status == "in_progress" {
		return
	}
	first := c.shown == ""
	c.shown = status
	line := c.title
	if !slices.Contains([]string{"", "other"}, c.kind) {
		line += " [" + c.kind + "]"
	}
	if first && len(c.locations) > 0 {
		line += " " + strings.Join(c.locations, ", ")
	}
	if status != "pending" && status != "in_progress" {
		line += ": " + status
	}
	p.note("tool", line)
}

func (p *Printer) plan(plan acp.Plan) {
	items, ok := plan.(*acp.PlanItems)
	if !ok {
		return // a plan in a file or in a text of its own is there to be read, not to be reported
	}
	for _, e := range items.Entries {
		p.note("plan", "["+e.Status+"] "+e.Content)
	}
}

func (p *Printer) note(what, line string) {
	p.breakLine()
	fmt.Fprintf(p.opts.Err, "%s: %s\n", what, skill.Sanitize(line))
}

func (p *Printer) breakLine() {
	if p.midLine {
		_, _ = io.WriteString(p.opts.Out, "\n")
		p.midLine = false
	}
}

// Clean takes out of a text what controls a terminal or reorders what is shown,
// and keeps its lines and tabs.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ', r >= 0x7f && r <= 0x9f, // C0, DEL, C1
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, // bidi
			r == 0x200e, r == 0x200f, r == 0x061c,
			r >= 0xe0000 && r <= 0xe007f: // tags
			return -1
		}
		return r
	}, text)
}
