// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

const (
	// downMaxOutput is how many bytes of a terminal's output are kept; of more
	// the end is shown.
	downMaxOutput = 128 << 10
	// downMaxTerminals is how many terminals of a session are kept.
	downMaxTerminals = 128
)

// A downTerminal is a terminal of the agent. Version 1 knows only terminals that
// the client runs, so the client is shown its transcript as a text.
type downTerminal struct {
	id      string
	command string
	output  []byte
	cut     bool // the start of the output is gone
	exit    *acp.TerminalExitStatus
	tools   []string // the tool calls that show it
}

func (d *Down) terminal(s *downSession, id string) *downTerminal {
	t := s.terminals[id]
	if t == nil {
		if len(s.opened) >= downMaxTerminals {
			delete(s.terminals, s.opened[0])
			s.opened = s.opened[1:]
		}
		t = &downTerminal{id: id}
		s.terminals[id] = t
		s.opened = append(s.opened, id)
	}
	return t
}

// refer notes which terminals a tool call shows.
func (d *Down) refer(s *downSession, t *downTool, items [][]byte) {
	for _, item := range items {
		var c acp.ToolTerminal
		if c.UnmarshalJSON(item) != nil {
			continue
		}
		if term := d.terminal(s, c.TerminalID); !slices.Contains(term.tools, t.id) {
			term.tools = append(term.tools, t.id)
		}
	}
}

// terminalUpdate takes over the change of a terminal.
func (d *Down) terminalUpdate(s *downSession, update []byte) {
	var u acp.TerminalUpdate
	if u.UnmarshalJSON(update) != nil {
		return // checked by the caller
	}
	t := d.terminal(s, u.TerminalID)
	t.command = u.Command.Apply(t.command)
	before := len(t.output)
	if out, ok := u.Output.Get(); ok {
		t.output, t.cut = nil, false
		d.append(t, out.Data)
	} else if u.Output.Clears() {
		t.output, t.cut = nil, false
	}
	if exit, ok := u.ExitStatus.Get(); ok {
		t.exit = &exit
	} else if u.ExitStatus.Clears() {
		t.exit = nil
	}
	d.terminalGrown(s, t, len(t.output)-before, true)
}

func (d *Down) terminalOutput(s *downSession, update []byte) {
	id, _ := rawjson.GetString(update, "terminalId")
	data, _ := rawjson.GetString(update, "data")
	t := d.terminal(s, id)
	d.terminalGrown(s, t, d.append(t, data), false)
}

func (d *Down) terminalGrown(s *downSession, t *downTerminal, n int, must bool) {
	for _, id := range t.tools {
		d.grown(s, s.tool(id), n, must)
	}
}

// append adds output, and reports how much it was.
func (d *Down) append(t *downTerminal, data string) int {
	out, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		d.opts.Log.Warn("a piece of a terminal's output is not base64; it was left out", "error", err)
		return 0
	}
	t.output = append(t.output, out...)
	// Cut when it is twice as long, so that the cost of it does not matter.
	if len(t.output) > 2*downMaxOutput {
		t.output = append([]byte(nil), t.output[len(t.output)-downMaxOutput:]...)
		t.cut = true
	}
	return len(out)
}

// transcript is what a person sees of a terminal, as Markdown. It is empty as
// long as nothing is known.
func (t *downTerminal) transcript() string {
	if t == nil || t.command == "" && len(t.output) == 0 && t.exit == nil {
		return ""
	}
	output, cut := t.output, t.cut
	if len(output) > downMaxOutput {
		output, cut = output[len(output)-downMaxOutput:], true
	}
	var b strings.Builder
	if t.command != "" {
		b.WriteString("$ " + downVisible(t.command, true) + "\n")
	}
	if cut {
		b.WriteString("[the start of the output is left out]\n")
	}
	b.WriteString(downPlain(output))
	text := downFenced("console", b.String())
	if t.exit != nil {
		text += "\n" + downExit(t.exit)
	}
	return text
}

func downExit(e *acp.TerminalExitStatus) string {
	switch {
	case e.ExitCode != nil && *e.ExitCode == 0:
		return "It ended without an error."
	case e.ExitCode != nil:
		return fmt.Sprintf("It ended with the exit code %d.", *e.ExitCode)
	case e.Signal != "":
		return "It was ended by the signal " + downVisible(e.Signal, false) + "."
	}
	return "It has ended."
}
