// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/client"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/skill"
)

// VisitOptions say which agent is visited, and where.
type VisitOptions struct {
	Choices cli.Choices
	Place   cli.Place // resolved
	Agent   []string  // empty: the built-in one, or for Show one without skills
	Login   string
	// Wait is how long the agent's list must not have changed to be taken for
	// the whole; 0 means a second.
	Wait time.Duration
	// Show, if not empty, is the prompt whose form at the agent is wanted. It
	// is not sent to the agent.
	Show []acp.ContentBlock
	// Record has the agent's own answers kept, before skills were added.
	Record bool
	Err    io.Writer // gets what the agent writes to its standard error, if the choices say so
	Log    *slog.Logger
}

// Visited is what an agent's session offers through the proxy.
type Visited struct {
	Command  []string           `json:"command"`
	Info     acp.Implementation `json:"info"`
	Protocol int                `json:"protocolVersion"`
	// Capabilities are the agent's own, as on the wire. Nil without Record.
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
	// Blocks says which skill blocks the agent takes itself: none, first or
	// anywhere. Empty without Record.
	Blocks   string    `json:"blocks,omitempty"`
	Profile  string    `json:"profile"`
	Skills   []Offered `json:"skills"`
	Commands []Offered `json:"commands"`
	// Prompt is the array of blocks that the agent would get for Show.
	Prompt json.RawMessage `json:"prompt,omitempty"`
}

// An Offered is an entry of a session's list.
type Offered struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Path        string `json:"path,omitempty"`
}

// Visit starts an agent behind the proxy, opens a session, and says what it has.
// The agent is stopped again. With an error, what was learnt until then is
// returned, too.
func Visit(ctx context.Context, o VisitOptions) (*Visited, error) {
	v := &Visited{Command: o.Agent, Skills: []Offered{}, Commands: []Offered{}}
	o.Choices.NoJournal = true // nothing is said that could be resumed
	o.Choices.AskNobody = true // there is nobody who could answer
	command := o.Agent
	recording := o.Record && len(o.Agent) > 0 || o.Show != nil
	if recording {
		self, err := os.Executable()
		if err != nil {
			return v, fmt.Errorf("the recorder cannot be started: %w", err)
		}
		command = []string{self, RecorderCommand}
		if len(o.Agent) > 0 {
			command = append(append(command, "--"), o.Agent...)
		}
	}
	link, err := cli.Start(ctx, o.Choices, command, o.Err, o.Log)
	if err != nil {
		return v, err
	}
	session, closeAll, err := link.Connect(ctx, client.Options{Cwd: o.Place.Cwd, Add: o.Place.Add, Login: o.Login})
	defer closeAll()
	if err != nil {
		return v, err
	}
	v.agent(session, o, command)
	if recording {
		if err := v.recorded(ctx, session); err != nil {
			return v, err
		}
	}
	if err := session.Open(ctx); err != nil {
		return v, err
	}
	session.Settle(ctx, o.Wait, client.Names(o.Show)...)
	v.list(session.Commands())
	if o.Show == nil {
		return v, ctx.Err()
	}
	// The recorder refuses the prompt, so an error is what is expected here;
	// one that came before is that nothing was recorded.
	_, promptErr := session.Prompt(ctx, o.Show, nil)
	if err := v.recorded(ctx, session); err != nil {
		return v, err
	}
	if v.Prompt == nil {
		return v, promptErr
	}
	return v, nil
}

// RecorderCommand is the name of the command that runs [Record].
const RecorderCommand = "doctor-recorder"

func (v *Visited) agent(s *client.Session, o VisitOptions, command []string) {
	a := s.Agent()
	v.Info, v.Protocol = a.Info, a.ProtocolVersion
	if v.Profile = o.Choices.Profile; v.Profile == "" {
		profiles, _ := cli.Profiles() // what is wrong with one was said when the agent started
		v.Profile = profile.For(profiles, a.Info.Name, command).Name
	}
}

// recorded asks the recorder what it has.
func (v *Visited) recorded(ctx context.Context, s *client.Session) error {
	var got struct {
		Initialized struct {
			Capabilities json.RawMessage `json:"capabilities"`
		} `json:"initialized"`
		Prompt json.RawMessage `json:"prompt"`
	}
	if err := s.Conn().Call(ctx, methodRecorded, nil, &got); err != nil {
		return fmt.Errorf("the recorder did not answer: %w", err)
	}
	v.Capabilities = got.Initialized.Capabilities
	if string(got.Prompt) != "null" {
		v.Prompt = got.Prompt
	}
	var own acp.AgentCapabilities
	_ = json.Unmarshal(v.Capabilities, &own) // what cannot be read means no
	switch support := own.SkillSupport(); {
	case support.Inline:
		v.Blocks = "anywhere"
	case support.Skill:
		v.Blocks = "first"
	default:
		v.Blocks = "none"
	}
	return nil
}

func (v *Visited) list(list []acp.AvailableCommand) {
	for _, entry := range list {
		switch e := entry.(type) {
		case *acp.Skill:
			v.Skills = append(v.Skills, Offered{Name: e.Name, Description: e.Description, Path: e.Path})
		case *acp.Command:
			v.Commands = append(v.Commands, Offered{Name: e.Name, Description: e.Description})
		}
	}
}

// Name is how the agent calls itself.
func (v *Visited) Name() string {
	name := v.Info.Title
	if name == "" {
		name = v.Info.Name
	}
	if name == "" {
		name = strings.Join(v.Command, " ")
	}
	if v.Info.Version != "" {
		name += " " + v.Info.Version
	}
	return skill.Sanitize(name)
}
