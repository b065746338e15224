// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"errors"

	"github.com/skillgraft/skillgraft/internal/cli"
	"github.com/skillgraft/skillgraft/internal/client"
)

// List is the list command: what is on the disk, or with an agent what its
// session offers.
func List(ctx context.Context, o VisitOptions, l ListOptions, std cli.Streams) error {
	if len(o.Agent) > 0 && (l.All || l.Tree) {
		return cli.Usagef("--all and --tree are about what lies on the disk: leave the agent out, or see what doctor says of both")
	}
	if err := o.prepare(std); err != nil {
		return err
	}
	if len(o.Agent) > 0 {
		done := cli.Progress(std.Err, "asking the agent")
		v, err := Visit(ctx, o)
		done()
		switch {
		case err != nil:
			return ended(ctx, err)
		case l.JSON:
			return cli.WriteJSON(std.Out, v)
		}
		PrintVisited(std.Out, v)
		return nil
	}
	where, err := o.Choices.Catalog()
	if err != nil {
		return err
	}
	where.Workspace = o.Place.Workspace()
	done := cli.Progress(std.Err, "looking for skills")
	found, err := Look(ctx, where)
	done()
	switch {
	case err != nil:
		return ended(ctx, err)
	case l.JSON && l.All:
		err = cli.WriteJSON(std.Out, listed{found, found.Places()})
	case l.JSON:
		err = cli.WriteJSON(std.Out, found)
	default:
		PrintList(std.Out, found, l)
	}
	return verdict(err, found)
}

// listed is the object that list --all --json prints.
type listed struct {
	*Found
	Places []Place `json:"places"`
}

// Doctor is the doctor command.
func Doctor(ctx context.Context, o VisitOptions, asJSON bool, std cli.Streams) error {
	if err := o.prepare(std); err != nil {
		return err
	}
	done := cli.Progress(std.Err, "examining")
	r, err := Examine(ctx, o)
	done()
	switch {
	case err != nil:
		return ended(ctx, err)
	case asJSON:
		err = cli.WriteJSON(std.Out, r)
	default:
		r.Print(std.Out)
	}
	return verdict(err, r)
}

// verdict is the end of a command that has shown what it found, which may be bad.
func verdict(err error, shown interface{ Bad() bool }) error {
	if err == nil && shown.Bad() {
		return cli.Silent(cli.ExitFailure)
	}
	return err
}

// Show is the doctor command for a prompt: what the agent would get of it.
func Show(ctx context.Context, o VisitOptions, name, text string, asJSON bool, std cli.Streams) error {
	blocks, err := client.Parse(text, []string{name}, false)
	if err != nil {
		return cli.Usagef("%w", err)
	}
	o.Show = blocks
	if err := o.prepare(std); err != nil {
		return err
	}
	done := cli.Progress(std.Err, "asking the agent")
	v, err := Visit(ctx, o)
	done()
	switch {
	case err != nil:
		return ended(ctx, err)
	case asJSON:
		return cli.WriteJSON(std.Out, v.Prompt)
	}
	clean := func(s string) string { return s }
	if cli.IsTerminal(std.Out) {
		clean = client.Clean
	}
	return PrintPrompt(std.Out, v.Prompt, clean)
}

// prepare fills in what follows from the streams and the flags.
func (o *VisitOptions) prepare(std cli.Streams) (err error) {
	if o.Wait < 0 {
		return cli.Usagef("--wait %v is less than nothing: give a time such as 500ms, or leave it out", o.Wait)
	}
	o.Err = std.Err
	if o.Log, _, err = cli.OpenLog(std.Err, ""); err != nil {
		return err
	}
	if _, err := cli.PickProfile(o.Choices.Profile); err != nil {
		return err
	}
	o.Place, err = o.Place.Resolve()
	return err
}

// ended is why a visit ended, with the status that a failure has here: an
// agent's own one would be taken for a verdict.
func ended(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cli.Silent(cli.Status(cause))
	}
	var exit *cli.ExitError
	if errors.As(err, &exit) {
		return err
	}
	return &cli.ExitError{Status: cli.ExitFailure, Err: err}
}
