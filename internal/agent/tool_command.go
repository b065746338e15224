// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/agent/model"
)

// Times that a command may take.
const (
	commandTime    = 2 * time.Minute
	maxCommandTime = 30 * time.Minute
)

// commandTool runs a command line as the user would, with the user's rights: there is
// nothing between the user's yes and the command but what the user has read.
func commandTool() *tool {
	return &tool{Tool: model.Tool{Name: "run_command", Description: fmt.Sprintf("Run a command line in the working directory. The user is asked. It gets no input, and ends after %d seconds unless another time is given.", commandTime/time.Second), Schema: schema(
		property{name: "command", kind: "string", description: "The command line, for the system's shell."},
		property{name: "timeout_seconds", kind: "integer", description: "How long it may take.", optional: true},
	)}, run: func(ctx context.Context, c *call) outcome {
		var args struct {
			Command string
			Timeout int `json:"timeout_seconds"`
		}
		if problem, ok := c.args(&args); !ok {
			return problem
		}
		if args.Command == "" {
			return failure("there is no command")
		}
		cwd := c.s.skills().roots[0]
		grant := "command " + cwd + "\x00" + args.Command
		free := c.s.isAllowed(grant)
		c.open(acp.ToolKindExecute, inTitle("Run %s", args.Command), !free)
		if !free {
			said, no := c.ask(ctx, request{
				title: "Run a command?", always: "Allow this very command in this session",
				subject: &acp.CommandSubject{Command: args.Command, Cwd: cwd, ToolCallID: c.id},
			})
			if said == denied {
				return no
			}
			if said == allowedAlways {
				c.s.allow(grant)
			}
			c.begin()
		}
		limit := commandTime
		if args.Timeout > 0 {
			limit = min(time.Duration(args.Timeout)*time.Second, maxCommandTime)
		}
		term := c.terminal(args.Command, cwd)
		end := runShell(ctx, args.Command, cwd, limit, term)
		return term.outcome(ctx, end, limit)
	}}
}
