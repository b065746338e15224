// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"fmt"
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
)

// A probe is what the agent said of itself when it was started for the first time.
// It decides which checks apply; whether what it says is right is for them.
type probe struct {
	name       string
	version    string // the number as it stood
	sessions   bool
	support    acp.SkillSupport
	raw        []byte // its capabilities
	additional bool
	fork       bool
	del        bool
	commands   bool // it listed a plain command to a client that knows skills
	skills     bool // it listed a skill
}

// probeAgent starts the agent, looks at it and ends it. An agent that does not start
// or wants a login is an error; one that breaks rules is not.
func probeAgent(opts Options) (p probe, err error) {
	t := &T{check: Check{ID: "probe"}, opts: opts}
	if t.places, err = newPlaces(opts.Dir); err != nil {
		return p, err
	}
	defer t.places.remove()
	defer catchStart(&err)
	t.check.run = func(t *T) { p, err = look(t) }
	t.do()
	if err == nil {
		return p, nil
	}
	for _, w := range t.wires {
		if w.gone && w.how != "" {
			err = &SetupError{fmt.Sprintf("%v; the agent ended: %s", err, skill.Sanitize(w.how))}
		}
	}
	return p, err
}

func look(t *T) (probe, error) {
	var p probe
	d := t.start()
	if err := d.initialize(knowsSkills); err != nil {
		return p, &SetupError{skill.Sanitize(err.Error()) + ": is it an ACP agent?"}
	}
	result := d.init.Result()
	name, _ := rawjson.GetString(result, "info", "name")
	version, _ := rawjson.GetString(result, "info", "version")
	p.name = skill.Sanitize(strings.TrimSpace(name + " " + version))
	p.version = string(rawjson.Get(result, "protocolVersion"))
	p.raw = rawjson.Get(result, "capabilities")
	p.sessions = rawjson.IsObject(rawjson.Get(p.raw, "session"))
	p.support = supportOf(p.raw)
	p.additional = rawjson.IsObject(rawjson.Get(p.raw, "session", "additionalDirectories"))
	p.fork = rawjson.IsObject(rawjson.Get(p.raw, "session", "fork"))
	p.del = rawjson.IsObject(rawjson.Get(p.raw, "session", "delete"))
	if p.version != "2" || !p.sessions {
		return p, nil
	}
	t.probe = p
	from := d.mark()
	f, ok := d.ask(acp.MethodNewSession, "{"+d.setupParams()+"}")
	if !ok || f.ErrorValue() == nil {
		c := &chat{driver: d, id: f.SessionID, from: from, setup: f}
		for _, e := range c.list() {
			p.skills = p.skills || e.kind() == "skill"
			p.commands = p.commands || e.kind() == "command"
		}
		return p, nil
	}
	if f.errorCode() == jsonrpc.CodeAuthRequired {
		return p, &SetupError{"the agent wants a login before it opens a session: name one of its methods with --login" + methodsOf(result)}
	}
	return p, nil
}

func methodsOf(result []byte) string {
	var names []string
	for _, m := range rawjson.Elements(rawjson.Get(result, "authMethods")) {
		if id, ok := rawjson.GetString(m.Value, "methodId"); ok {
			names = append(names, skill.Sanitize(id))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// supportOf is ACP-C2, read from the raw capabilities.
func supportOf(capabilities []byte) acp.SkillSupport {
	s := rawjson.Get(capabilities, "session", "prompt", "skill")
	if !rawjson.IsObject(s) {
		return acp.SkillSupport{}
	}
	return acp.SkillSupport{Skill: true, Inline: rawjson.IsObject(rawjson.Get(s, "inline"))}
}

// Levels of an agent, as Options.Level and Report.Level have them.
const (
	levelNone   = "none"
	levelSkill  = "skill"
	levelInline = "inline"
	levelAuto   = "auto"
)

func (p probe) level() string {
	switch {
	case p.support.Inline:
		return levelInline
	case p.support.Skill:
		return levelSkill
	}
	return levelNone
}

// lacks says why a check does not apply, or nothing.
func (p probe) lacks(n need) string {
	if n == 0 {
		return ""
	}
	switch {
	case p.version != "2":
		return "the agent answers initialize with protocol version " + skill.Sanitize(p.version) + ", and skills exist in version 2 only (ACP-C4)"
	case !p.sessions:
		return "the agent has no sessions: it does not advertise session"
	case n&(needSkill|needInline|needFirst) != 0 && !p.support.Skill:
		return "the agent has no skills: it does not advertise session.prompt.skill"
	case n&needInline != 0 && !p.support.Inline:
		return "the agent takes skill blocks at the start of a prompt only: it does not advertise session.prompt.skill.inline"
	case n&needFirst != 0 && p.support.Inline:
		return "the agent takes skill blocks anywhere (ACP-P3)"
	}
	return ""
}
