// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/internal/scriptmodel"
)

// every runs a test with each agent that is installed.
func every(t *testing.T, script scriptmodel.Script, test func(*rig, known), names ...string) {
	for _, k := range everyone() {
		if len(names) > 0 && !slices.Contains(names, k.name) {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			k.need(t)
			test(rigFor(t, k, script), k)
		})
	}
}

// begin starts a client of a role and opens a session.
func (r *rig) begin(ro role, h how) *talk {
	r.t.Helper()
	tk, err := dial(r, ro, h)
	if err == nil {
		err = tk.open()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return tk
}

func (k *talk) say(blocks ...any) said {
	k.r.t.Helper()
	s, err := k.prompt(blocks...)
	if err != nil {
		k.r.t.Fatal(err)
	}
	return s
}

// A session of version 1 through run differs from the one without it in the lists and
// in the prompt that names an added skill, and in nothing else: every other line
// arrives byte for byte and in order (PXY-1, PXY-8). The connection's initialize has our
// mark.
func TestV1ByteForByte(t *testing.T) {
	every(t, nil, func(r *rig, k known) {
		root, added := team(r.t, r.ws)
		tk := r.begin(roles[0], how{flags: []string{"--root", root}})
		list, err := tk.waitList(added.name)
		if err != nil {
			r.t.Fatal(err)
		}
		tk.say(text("plain words \u2028 and $here /slashes"))
		tk.say(text(invocation(list, k.own[0].name) + " go"))
		tk.c.line(`{"jsonrpc":"2.0","method":"_interop/note","params":{"n":9007199254740993,"s":"\u2028","list":[1.50,1e3]}}`)
		tk.c.line(`{"id":"x-1","method":"_interop/unknown","jsonrpc":"2.0","params":{"sessionId":"` + tk.session + `","a":  1}}`)
		tk.c.wait(0, "the answer to an unknown method", func(f frame) bool { return f.FromAgent && string(f.ID) == `"x-1"` })
		if s := tk.say(text("/" + added.name + " added-here")); s.count(added.marker) != 1 {
			r.t.Errorf("the added skill reached the model %d times", s.count(added.marker))
		}
		tk.say(text("more plain words"))
		tk.c.close()
		// An agent that lists no skills gets its own as added ones.
		lists := slices.ContainsFunc(r.teed(), func(f frame) bool {
			u, ok := f.update()
			return ok && u.Kind == "available_commands_update" && strings.Contains(f.Raw, k.own[0].name)
		})
		adds := func(f frame) bool {
			return bytes.Contains(f.Params, []byte("added-here")) || !lists && bytes.Contains(f.Params, []byte(k.own[0].name))
		}

		ours := func(f frame) bool {
			u, ok := f.update()
			switch {
			case f.Method == "initialize", f.Method == "" && bytes.Contains(f.Result, []byte(`"protocolVersion"`)):
				return true
			case ok && u.Kind == "available_commands_update":
				return true
			case f.Method == "session/prompt" && adds(f):
				return true
			}
			return ok && strings.HasPrefix(u.Kind, "user_message") && adds(f)
		}
		for _, fromAgent := range []bool{false, true} {
			sent, got := tk.c.since(0), r.teed()
			if fromAgent {
				sent, got = got, sent
			}
			pick := func(frames []frame) (lines [][]byte) {
				for _, f := range frames {
					if f.FromAgent == fromAgent && !ours(f) {
						lines = append(lines, []byte(f.Raw))
					}
				}
				return lines
			}
			a, b := pick(sent), pick(got)
			r.t.Logf("from agent %v: %d lines, %d bytes", fromAgent, len(a), len(bytes.Join(a, nil)))
			if len(a) < 6 {
				r.t.Errorf("only %d lines were compared", len(a))
			}
			if !slices.EqualFunc(a, b, bytes.Equal) {
				r.t.Errorf("lines changed on the way%s", difference(a, b))
			}
		}
	})
}

// With --model-skills the model is offered the tool, calls it, and gets the
// instructions with the directory and the file list (ACT-1, ACT-3, ACT-4).
func TestModelSkills(t *testing.T) {
	var called string
	script := func(q scriptmodel.Request) scriptmodel.Answer {
		if q.Kind != scriptmodel.Turn || q.CountNew("USE-A-SKILL") == 0 {
			return scriptmodel.Answer{}
		}
		for _, tool := range q.Tools() {
			if strings.Contains(tool.Name, "skillgraft") && strings.HasSuffix(tool.Name, "activate_skill") {
				called = tool.Name
				return scriptmodel.Answer{Calls: []scriptmodel.Call{{Name: tool.Name, Arguments: `{"name":"home-one"}`}}}
			}
		}
		return scriptmodel.Answer{Text: "there is no such tool"}
	}
	every(t, script, func(r *rig, _ known) {
		called = ""
		dir := filepath.Join(r.agent.home, ".agents", "skills", "home-one")
		r.ws.writeFile(filepath.Join(dir, "SKILL.md"), "---\nname: home-one\ndescription: Says home-one. Use when asked for it.\n---\n\nBODY-home-one: say it.\n")
		r.ws.writeFile(filepath.Join(dir, "references", "more.md"), "more\n")
		tk := r.begin(roles[2], how{flags: []string{"--model-skills"}})
		if _, err := tk.waitList("home-one"); err != nil {
			r.t.Fatal(err)
		}
		asked := len(r.model.Requests())
		tk.say(text("USE-A-SKILL please"))
		if called == "" {
			r.t.Fatal("the model was not offered the tool")
		}
		r.t.Logf("the tool is called %s", called)
		var got bool
		for _, q := range r.model.Requests()[asked:] {
			got = got || q.CountNew("BODY-home-one") > 0 && q.CountNew(dir) > 0 && q.CountNew("references/more.md") > 0
		}
		if !got {
			r.t.Error("the instructions, the directory and the file list did not reach the model")
		}
	}, "gemini", "opencode")
}

// Claude, told by its own environment to speak version 1, is the same to a client of
// version 2 with skills.
func TestClaudeInVersion1(t *testing.T) {
	every(t, nil, func(r *rig, k known) {
		shows := map[string]string{}
		for _, version := range []string{"v2", "v1"} {
			env := r.agent.env
			r.agent.env = append(slices.Clone(env), "CLAUDE_AGENT_ACP_PROTOCOL="+version)
			root, added := team(r.t, r.ws)
			tk := r.begin(roles[2], how{flags: []string{"--root", root}})
			list, err := tk.waitList(added.name)
			if err != nil {
				r.t.Fatal(err)
			}
			var out strings.Builder
			names := make([]string, 0, len(list))
			for name := range list {
				names = append(names, name)
			}
			slices.Sort(names)
			for _, name := range names {
				e := list[name]
				fmt.Fprintf(&out, "%s %s %s\n", e.Type, e.Name, e.Description)
			}
			for _, p := range []pick{k.own[0], added} {
				s := tk.say(text("see "), skill(p.name), text(" now"))
				if err := s.gave([]string{p.marker}, "see", "now"); err != nil {
					r.t.Errorf("%s: %v", version, err)
				}
				if err := tk.echoed(s); err != nil {
					r.t.Errorf("%s: %v", version, err)
				}
			}
			if err := tk.refused(skill("no-such-skill")); err != nil {
				r.t.Errorf("%s: %v", version, err)
			}
			tk.c.close()
			shows[version], r.agent.env = out.String(), env
		}
		if shows["v1"] != shows["v2"] {
			r.t.Errorf("the lists differ:\n%s\nand\n%s", shows["v2"], shows["v1"])
		}
	}, "claude")
}

// Kimi sends every open session's list again whenever there is a new one. Twenty
// sessions get a list each, not twenty.
func TestTwentySessions(t *testing.T) {
	every(t, nil, func(r *rig, k known) {
		tk := r.begin(roles[2], how{})
		ids := []string{tk.session}
		for len(ids) < 20 {
			if err := tk.open(); err != nil {
				r.t.Fatal(err)
			}
			ids = append(ids, tk.session)
		}
		tk.from = 0
		for _, id := range ids {
			tk.session = id
			tk.setup = nil
			if _, err := tk.waitList(k.own[0].name); err != nil {
				r.t.Fatalf("session %s: %v", id, err)
			}
		}
		theirs := 0
		for _, f := range r.teed() {
			if u, ok := f.update(); ok && u.Kind == "available_commands_update" {
				theirs++
			}
		}
		most := 0
		for _, id := range ids {
			n := 0
			for _, u := range updates(tk.c.since(0), id) {
				if u.Kind == "available_commands_update" {
					n++
				}
			}
			most = max(most, n)
		}
		r.t.Logf("the agent sent %d lists for 20 sessions; the client got at most %d for one", theirs, most)
		if most > 2 { // ours at first, and the agent's own when it is there
			r.t.Errorf("%d lists for one session", most)
		}
		if s := tk.say(skill(k.own[0].name), text(" go")); s.count(k.own[0].marker) != 1 {
			r.t.Error("the skill did not reach the model")
		}
	}, "kimi")
}

// The checker, behind run, finds nothing wrong about skills with any of the agents,
// and nothing about the core that the agent does not do alone.
func TestConformEveryone(t *testing.T) {
	every(t, nil, func(r *rig, k known) {
		start := time.Now()
		// An agent of version 1 has nothing by which a client of version 2 could sign in,
		// and no verdicts of its own that could become worse.
		login := r.agent.conformFlags
		if k.name != "claude" && k.name != "codex" {
			r.agent.conformFlags = nil
		}
		alone := r.checkConform("alone", r.agent.argv...)
		r.agent.conformFlags = login
		grafted := r.checkConform("run", append([]string{skillgraft(r.t), "run", "--"}, r.agent.argv...)...)
		before := alone.verdicts()
		rank := map[string]int{"pass": 0, "not applicable": 1, "warn": 2, "fail": 3}
		var skills, core, theirs []string
		for _, x := range grafted.Results {
			switch ours := strings.HasPrefix(x.Rule, "ACP"); {
			case ours && (x.Verdict == "fail" || x.Verdict == "warn"):
				skills = append(skills, x.ID)
				r.t.Errorf("%s %s %s: %s\n%s", x.Verdict, x.ID, x.Rule, x.Reason, x.Evidence)
			case !ours && before[x.ID] == "not applicable":
				if x.Verdict == "fail" || x.Verdict == "warn" {
					theirs = append(theirs, x.ID)
				}
			case !ours && rank[x.Verdict] > rank[before[x.ID]]:
				core = append(core, x.ID)
				r.t.Errorf("%s is %s alone and %s behind run: %s\n%s", x.ID, before[x.ID], x.Verdict, x.Reason, x.Evidence)
			}
		}
		if grafted.Level != "inline" {
			r.t.Errorf("behind run it is at level %s", grafted.Level)
		}
		r.t.Logf("alone %s, behind run %s, %d checks, %s", alone.Level, grafted.Level, len(grafted.Results), time.Since(start).Round(time.Second))
		none := func(ids []string) string {
			if len(ids) == 0 {
				return "none"
			}
			return strings.Join(ids, ", ")
		}
		keep(r.t, record{Agent: k.name, Version: k.version(), Date: today(),
			Conform: map[string]string{"alone": alone.Level, "run": grafted.Level, "skills": none(skills), "core": none(core), "first": none(theirs)}})
	})
}
