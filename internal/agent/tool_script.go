// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/skill"
)

const (
	scriptName = "run_skill_script"
	maxScript  = 4 << 20 // bytes
	// scriptTime is how long a script may take.
	scriptTime = 2 * time.Minute
)

// scriptTool runs a script of an active skill (ACT-8).
func scriptTool() *tool {
	return &tool{Tool: model.Tool{Name: scriptName, Description: "Run a script of an active skill, in a sandbox: it has no network, and can write to a scratch directory, which it starts in, and to the session's directories. The user is asked.", Schema: schema(
		property{name: "skill", kind: "string", description: "The skill's name. The skill has to be active."},
		property{name: "script", kind: "string", description: "The script's path, relative to the skill's directory."},
		property{name: "args", kind: "array", description: "The script's arguments.", optional: true, items: map[string]any{"type": "string"}},
		property{name: "stdin", kind: "string", description: "The script's input.", optional: true},
	)}, run: func(ctx context.Context, c *call) outcome {
		var args struct {
			Skill, Script, Stdin string
			Args                 []string
		}
		if problem, ok := c.args(&args); !ok {
			return problem
		}
		return c.runScript(ctx, args.Skill, args.Script, args.Args, args.Stdin)
	}}
}

// A scriptRun is a script that is about to run.
type scriptRun struct {
	session   string
	skill     string // its name
	key       string
	dir       string // of the skill
	script    string // in it, with slashes
	content   []byte // as the user has permitted it
	hash      string // of the content
	args      []string
	stdin     string
	cwd       string
	writable  []string // the session's directories
	permitted string   // how: once, always, or before
	limit     time.Duration
}

// line is the run as a command line, for showing.
func (r scriptRun) line() string {
	words := []string{r.script}
	for _, a := range r.args {
		words = append(words, quotedArg(a))
	}
	return strings.Join(words, " ")
}

// quotedArg is an argument as a shell would need it. It is for showing: no shell is
// involved.
func quotedArg(a string) string {
	if a != "" && !strings.ContainsFunc(a, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,+@%", r))
	}) {
		return a
	}
	return "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
}

// runScript runs a script when the user agrees.
func (c *call) runScript(ctx context.Context, name, script string, args []string, stdin string) outcome {
	title := inTitle("Run %s of the skill %s", script, name)
	active, ok := c.s.history.activated()[name]
	if !ok {
		c.open(acp.ToolKindExecute, title, false)
		return failure("the skill %q is not active; activate it first, and follow its instructions", skill.Sanitize(name))
	}
	e, problem := c.s.skillOf(name)
	if e == nil {
		c.open(acp.ToolKindExecute, title, false)
		return problem
	}
	script = path.Clean(inDir(e.Dir, strings.ReplaceAll(script, `\`, "/")))
	run := scriptRun{
		session: c.s.client.ID(), skill: name, key: active.Skill, dir: e.Dir, script: script, args: args, stdin: stdin,
		cwd: c.s.skills().roots[0], writable: c.s.skills().roots, limit: scriptTime,
	}
	content, err := e.ReadFile(script, maxScript)
	if err != nil || e.Dir == "" {
		c.open(acp.ToolKindExecute, title, false)
		if err == nil {
			err = skill.ErrNoFiles
		}
		return failure("%s of the skill %q cannot be run: %s", skill.Sanitize(script), skill.Sanitize(name), why(err))
	}
	run.content, run.hash = content, hashOf(content)
	file := filepath.Join(e.Dir, filepath.FromSlash(script))
	if err := c.s.handler.scripts.ready(run); err != nil {
		c.open(acp.ToolKindExecute, title, false, file)
		return failure("%v", err)
	}

	// A permission lasts only where the user trusts, and for what can be compared.
	lasting := grant{Skill: active.Skill, Script: script}
	if e.Trusted {
		lasting.Digest, _ = digest(e.Skill) // without one nothing lasts, and the user is asked
	}
	if lasting.Digest != "" {
		before, err := c.s.handler.grants.has(lasting)
		if err != nil {
			c.s.handler.log.Warn("lasting permissions cannot be read, and the user is asked", "error", err)
		}
		if before {
			run.permitted = "before"
		}
	}
	c.open(acp.ToolKindExecute, title, run.permitted == "", file)
	if run.permitted == "" {
		q := request{
			title:       title + "?",
			description: "It runs in a sandbox: no network, and it can write to the session's directories alone.",
			subject:     &acp.CommandSubject{Command: run.line(), Cwd: e.Dir, ToolCallID: c.id},
		}
		if !c.s.handler.scripts.sandboxed() {
			q.description = "It runs WITHOUT a sandbox, with all of your rights."
		}
		if !e.Trusted {
			q.description += " The skill lies in a workspace that you do not trust."
		}
		if lasting.Digest != "" {
			q.always = "Always allow this script, while nothing in the skill changes"
		}
		said, no := c.ask(ctx, q)
		switch said {
		case denied:
			return no
		case allowedAlways:
			run.permitted = "always"
			if err := c.s.handler.grants.add(lasting); err != nil {
				c.s.handler.log.Warn("a lasting permission could not be kept beyond this process", "error", err)
			}
		default:
			run.permitted = "once"
		}
		c.begin()
		// What the user has agreed to must still be that.
		if now, err := e.ReadFile(script, maxScript); err != nil || hashOf(now) != run.hash {
			return failure("%s has been changed meanwhile; it was not run", skill.Sanitize(script))
		}
	}
	term := c.terminal(run.line(), e.Dir)
	return term.outcome(ctx, c.s.handler.scripts.run(ctx, run, term), run.limit)
}
