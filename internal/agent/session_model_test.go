// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/internal/scriptmodel"
)

// A model is told of a workspace's skills only when the user trusts that, and is asked
// once (B11, ACT-1).
func TestTrustIsAskedOnce_B11(t *testing.T) {
	for option, want := range map[string]struct{ told, kept bool }{
		trustAlways: {true, true}, trustNow: {true, false}, trustNot: {false, false},
	} {
		t.Run(option, func(t *testing.T) {
			var kept []string
			opts := Options{KeepTrust: func(dir string) error { kept = append(kept, dir); return nil }}
			opts.Catalog.Trusted = func(string) bool { return false }
			m := answering(t, nil)
			m.use(&opts)
			p := serve(t, newWorkspace(t), opts)
			writeSkill(t, p.ws, "tdd", "", "Test first.")
			p.initialize(withSkills)
			p.call(1, "session/new", `{"cwd":"$WS"}`)
			p.response(1)
			p.say(2, "go")
			id, question := p.asked()
			if !strings.Contains(question, "Trust the workspace $WS?") || !strings.Contains(question, "such as tdd") {
				t.Errorf("got %s", question)
			}
			p.answer(id, option)
			p.until(`"end_turn"`)
			p.say(3, "again")
			if all := strings.Join(p.until(`"end_turn"`), "\n"); strings.Contains(all, "request_permission") {
				t.Error("asked again")
			}
			for _, r := range m.Turns() {
				if _, tool := r.Tool(activateName); tool != want.told || (r.Count("<name>tdd</name>") == 1) != want.told {
					t.Errorf("the model is told: %v, %v", tool, r.Texts())
				}
			}
			if (len(kept) == 1) != want.kept || want.kept && kept[0] != p.ws {
				t.Errorf("kept %v", kept)
			}
			p.quiet()
		})
	}
}

// What the user invokes is there whether or not the workspace is trusted: that is the
// user's own choice. The model does not see the skill otherwise.
func TestTheUsersChoiceNeedsNoTrust(t *testing.T) {
	m := script(t, calls("read_skill_file", `{"skill":"tdd","path":"more.md"}`)+calls(activateName, `{"name":"other"}`)+`{"text":"ok"}`)
	opts := Options{}
	m.use(&opts)
	p := serve(t, newWorkspace(t), opts)
	writeSkill(t, p.ws, "tdd", "", "Test first.")
	writeSkill(t, p.ws, "other", "", "Other.")
	write(t, p.ws, ".agents/skills/tdd/more.md", "more of it")
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	p.call(2, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"skill","name":"tdd"}]}`)
	p.until(`"end_turn"`)
	p.response(2)
	m.check(t, p.ws, "1 +Test first.\n1 -available_skills>\n1 -tool: activate_skill\n2 +more of it\n3 -Other.\n3 +there is no tool \"activate_skill\"")
	p.quiet()
}

// The flags that say who may use a skill hold in the loop, too (ACT-10).
func TestWhoMayUseASkill_ACT_10(t *testing.T) {
	m := script(t, calls(activateName, `{"name":"mine"}`)+calls(activateName, `{"name":"yours"}`)+`{"text":"ok"}`)
	p := serveWith(t, m, func(ws string) {
		writeSkill(t, ws, "mine", "disable-model-invocation: true\n", "Mine alone.")
		writeSkill(t, ws, "yours", "user-invocable: false\n", "Yours alone.")
	})
	p.say(2, "go")
	p.until(`"end_turn"`)
	p.call(3, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"skill","name":"yours"}]}`)
	if got := p.response(3); !strings.Contains(got, "-32602") {
		t.Errorf("got %s", got)
	}
	m.check(t, p.ws, "1 -mine\n1 +<name>yours</name>\n2 +there is no skill \"mine\"\n3 +Yours alone.")
	p.quiet()
}

// serveWith is withModel with skills that are there from the start.
func serveWith(t *testing.T, m *scripted, fill func(ws string)) *peer {
	t.Helper()
	opts := Options{}
	m.use(&opts)
	opts.Catalog.Trusted = func(string) bool { return true }
	p := serve(t, newWorkspace(t), opts)
	fill(p.ws)
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	return p
}

// A skill that comes while the session runs can be activated in the next request, and one
// that has changed is given anew (DSC-9, ACT-2, ACT-5).
func TestSkillsComeAndChange(t *testing.T) {
	m := script(t, `{"text":"ok"}`+"\n"+calls(activateName, `{"name":"tdd"}`)+`{"text":"ok"}`+"\n"+calls(activateName, `{"name":"tdd"}`)+`{"text":"ok"}`)
	p := serveWith(t, m, func(string) {})
	p.say(2, "one")
	p.until(`"end_turn"`)
	writeSkill(t, p.ws, "tdd", "", "Test first.")
	p.until("available_commands_update")
	p.say(3, "two")
	p.until(`"end_turn"`)
	writeSkill(t, p.ws, "tdd", "", "Test last.")
	p.say(4, "three")
	p.until(`"end_turn"`)
	m.check(t, p.ws, "1 -tdd\n1 -tool: activate_skill\n2 +<name>tdd</name>\n3 +tool: <skill_content name=\"tdd\">\n3 +Test first.\n5 +Test last.")
	p.quiet()
}

// When the conversation has filled the model's window it is summarised. The active
// skills stay, word for word (ACT-6), and are not given again (ACT-5).
func TestCompactionKeepsSkills_ACT_6(t *testing.T) {
	m := script(t, calls(activateName, `{"name":"tdd"}`)+`{"text":"ok"}`+"\n"+
		`{"text":"They talked about tests."}`+"\n"+calls(activateName, `{"name":"tdd"}`)+`{"text":"still there"}`)
	p := serveWith(t, m, func(ws string) { writeSkill(t, ws, "tdd", "", "Test first.") })
	p.say(2, "a first prompt")
	p.until(`"end_turn"`)
	s := p.session("S1")
	s.mu.Lock()
	s.used = 190_000 // as if the server had counted so many
	s.mu.Unlock()
	p.say(3, "a second prompt")
	all := strings.Join(p.until(`"end_turn"`), "\n")
	if !strings.Contains(all, `"compaction_update"`) || !strings.Contains(all, "They talked about tests.") {
		t.Errorf("the client is not told: %s", all)
	}
	m.check(t, p.ws, "3 +user: Summarise\n3 -Test first.\n4 +They talked about tests.\n4 +<skill_content name=\"tdd\">\n4 +Test first.\n4 +a second prompt\n4 -a first prompt\n5 +already")
	p.quiet()
}

// After a restart the model is told what it was told before, and the client is replayed
// what it saw, tool calls included. A fork goes its own way.
func TestResumeWithAModel(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	ws := newWorkspace(t)
	writeSkill(t, ws, "tdd", "", "Test first.")
	start := func(lines, id string) (*peer, *scripted) {
		m := script(t, lines)
		opts := Options{StateDir: state, Mode: ModeEdits, Models: nil}
		m.use(&opts)
		opts.Models = append(opts.Models, "openai:other")
		opts.Catalog.Trusted = func(string) bool { return true }
		p := serve(t, ws, opts)
		p.initialize(withSkills)
		return p, m
	}
	p, _ := start(calls(activateName, `{"name":"tdd"}`)+calls("write_file", `{"path":"a.txt","content":"x"}`)+`{"text":"written"}`, "")
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	p.call(2, "session/set_config_option", `{"sessionId":"S1","configId":"mode","type":"id","value":"ask"}`)
	p.response(2)
	p.call(3, "session/set_config_option", `{"sessionId":"S1","configId":"mode","type":"id","value":"never"}`)
	if got := p.response(3); !strings.Contains(got, "the modes are ask, edits and read") {
		t.Errorf("got %s", got)
	}
	p.call(4, "session/set_config_option", `{"sessionId":"S1","configId":"model","type":"id","value":"openai:other"}`)
	p.response(4)
	p.say(5, "write it")
	id, _ := p.asked()
	p.answer(id, optionOnce)
	saw := strings.Join(p.until(`"end_turn"`), "\n")
	session := p.real("S1")
	p.stop()

	p, m := start(`{"text":"I remember"}`+"\n"+`{"text":"the fork, too"}`, session)
	p.call(1, "session/resume", `{"sessionId":"`+session+`","cwd":"$WS","replayFrom":{"type":"start"}}`)
	got := strings.Join(p.until("state_update"), "\n")
	if resumed := p.response(1); !strings.Contains(resumed, `"currentValue":"ask"`) || !strings.Contains(resumed, `"currentValue":"openai:other"`) {
		t.Errorf("what was chosen is lost: %s", resumed)
	}
	for _, part := range []string{`"name":"write_file"`, `"type":"diff"`, `"status":"completed"`, "written"} {
		if !strings.Contains(got, part) || !strings.Contains(saw+got, part) {
			t.Errorf("%s is not replayed: %s", part, got)
		}
	}
	p.call(2, "session/fork", `{"sessionId":"`+session+`","cwd":"$WS"}`)
	p.response(2)
	p.say(3, "and now?")
	p.until(`"end_turn"`)
	p.call(4, "session/prompt", `{"sessionId":"S2","prompt":[{"type":"text","text":"you?"}]}`)
	p.until(`"end_turn"`)
	p.response(4)
	m.check(t, ws, "1 +user: write it\n1 +<skill_content name=\"tdd\">\n1 +tool: The file is written.\n1 +assistant: written\n1 +user: and now?\n2 +tool: The file is written.\n2 +user: you?\n2 -and now?")
	p.quiet()
}

// A command's output is streamed to the client and told to the model, and the keys of
// model servers are not in its environment.
func TestCommands(t *testing.T) {
	if !onUnix() {
		t.Skip("the commands are those of a Unix shell")
	}
	t.Setenv("ANTHROPIC_API_KEY", "the key")
	run := func(command string, more string) string {
		return calls("run_command", fmt.Sprintf(`{"command":%q%s}`, command, more))
	}
	m := script(t, run("echo out; echo err >&2; echo \"<$ANTHROPIC_API_KEY>\"; pwd; exit 3", "")+run("kill -9 $$", "")+run("sleep 1000 & sleep 1000", `,"timeout_seconds":1`)+
		run("head -c 3000000 /dev/zero | tr '\\0' x; echo end", "")+`{"text":"ok"}`)
	p := withModel(t, m, Options{})
	p.say(2, "go")
	for range 4 {
		id, question := p.asked()
		if !strings.Contains(question, `"type":"command"`) {
			t.Errorf("got %s", question)
		}
		p.answer(id, optionOnce)
	}
	all := strings.Join(p.until(`"end_turn"`), "\n")
	if !strings.Contains(all, `"exitCode":0`) {
		t.Errorf("got %.3000s", all)
	}
	m.check(t, p.ws, "2 +out\\nerr\\n<>\\n$WS\\n[exit status 3]\n3 +[ended by signal SIGKILL]\n4 +[ended: it took longer than 1s]\n5 +bytes are left out\n5 +end")
	p.quiet()
}

// A lasting permission holds for the skill as it was, in every session and after a
// restart, and for nothing else (ACT-8).
func TestLastingPermissions_ACT_8(t *testing.T) {
	state, ws := t.TempDir(), newWorkspace(t)
	writeSkill(t, ws, "tdd", "", "Run it.")
	write(t, ws, ".agents/skills/tdd/scripts/a.sh", "#!/bin/sh\n. ./b.sh\n")
	write(t, ws, ".agents/skills/tdd/scripts/b.sh", "echo b\n")
	start := func(trusted bool) *peer {
		m := answering(t, func(r scriptmodel.Request) scriptmodel.Answer {
			if n := r.New(); n[len(n)-1].Role == "tool" {
				return scriptmodel.Answer{Text: "ok"}
			}
			return scriptmodel.Answer{Calls: []scriptmodel.Call{{Name: scriptName, Arguments: `{"skill":"tdd","script":"scripts/a.sh"}`}}}
		})
		opts := Options{StateDir: state, GrantsDir: state}
		m.use(&opts)
		opts.Catalog.Trusted = func(string) bool { return trusted }
		p := serve(t, ws, opts)
		p.h.scripts.fake = func(_ context.Context, r scriptRun, out io.Writer) end {
			_, _ = out.Write([]byte(r.permitted))
			return end{}
		}
		p.initialize(withSkills)
		p.call(1, "session/new", `{"cwd":"$WS"}`)
		p.response(1)
		return p
	}
	ids := 1
	run := func(p *peer, option string) {
		t.Helper()
		ids++
		p.call(ids, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"skill","name":"tdd"}]}`)
		p.response(ids)
		if option != "" {
			id, question := p.asked()
			if !strings.Contains(question, optionAlways) {
				t.Errorf("got %s", question)
			}
			p.answer(id, option)
		}
		if all := strings.Join(p.until(`"end_turn"`), "\n"); strings.Contains(all, "request_permission") {
			t.Errorf("asked: %s", all)
		}
	}
	p := start(true)
	run(p, optionOnce)
	run(p, optionAlways)
	run(p, "")
	p.stop()
	p = start(true)
	run(p, "")
	// Also a file beside the script counts: the script runs it.
	write(t, ws, ".agents/skills/tdd/scripts/b.sh", "echo another\n")
	run(p, optionOnce)
	write(t, ws, ".agents/skills/tdd/scripts/b.sh", "echo b\n")
	run(p, "")
	p.stop()
	// Nobody can grant it for the user.
	if onUnix() {
		if err := os.Chmod(filepath.Join(state, "grants.jsonl"), 0o666); err != nil {
			t.Fatal(err)
		}
		p = start(true)
		run(p, optionOnce)
		p.stop()
	}
	// In a workspace that is not trusted nothing lasts.
	p = start(false)
	p.call(2, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"skill","name":"tdd"}]}`)
	id, question := p.asked()
	if strings.Contains(question, optionAlways) || !strings.Contains(question, "do not trust") {
		t.Errorf("got %s", question)
	}
	p.answer(id, optionReject)
	p.until(`"end_turn"`)
	p.response(2)
	p.quiet()
}

// Whatever a turn leaves, the conversation is one that servers take.
func TestMended(t *testing.T) {
	call := func(ids ...string) model.Message {
		m := model.Message{Role: model.Assistant}
		for _, id := range ids {
			m.Parts = append(m.Parts, model.Part{Type: model.Call, ID: id})
		}
		return m
	}
	user := model.Message{Role: model.User, Parts: []model.Part{model.TextPart("u")}}
	result := model.Message{Role: model.User, Parts: []model.Part{model.ResultPart("a", "r", false)}}
	for _, in := range [][]model.Message{
		{user, call("a")}, {user, call("a", "b"), result}, {user, call("a"), user}, {user, user, user, call("a")}, {user, {Role: model.Assistant}, user}, {user, call("a"), result, call("a")},
	} {
		out := mended(in)
		for i, m := range out {
			if len(m.Parts) == 0 {
				t.Errorf("%v: an empty message", in)
			}
			if i > 0 && isSaid(m) && isSaid(out[i-1]) {
				t.Errorf("%v: the user speaks twice", in)
			}
			for _, c := range m.Calls() {
				found := false
				for _, p := range out[i+1].Parts {
					found = found || p.Type == model.Result && p.ID == c.ID
				}
				if !found {
					t.Errorf("%v: the call %s has no result", in, c.ID)
				}
			}
		}
	}
}

// Two processes do not write into one session.
func TestOpenElsewhere(t *testing.T) {
	if !onUnix() {
		t.Skip("there is no lock for it on Windows")
	}
	ws := newWorkspace(t)
	dir, id := kept(t, ws)
	a, _ := resume(t, ws, dir, id, withSkills)
	a.response(1)
	a.say(2, "mine")
	a.until(`"idle"`)
	b, _ := resume(t, ws, dir, id, withSkills)
	b.response(1)
	b.call(2, "session/prompt", `{"sessionId":"S1","prompt":[{"type":"text","text":"no, mine"}]}`)
	if got := b.response(2); !strings.Contains(got, "another process has the session open") {
		t.Errorf("got %s", got)
	}
	a.call(3, "session/close", `{"sessionId":"S1"}`)
	a.response(3)
	b.say(3, "now")
	b.until(`"idle"`)
	b.quiet()
	a.quiet()
}

// A plan is shown, and shown again in a replay; thoughts are, too.
func TestPlan(t *testing.T) {
	m := script(t, calls("update_plan", `{"entries":[{"content":"look","status":"completed"},{"content":"act","status":"odd"}]}`)+`{"text":"ok"}`)
	p := withModel(t, m, Options{})
	p.say(2, "go")
	all := strings.Join(p.until(`"end_turn"`), "\n")
	for _, want := range []string{`"plan_update"`, `{"content":"look","priority":"medium","status":"completed"}`, `{"content":"act","priority":"medium","status":"pending"}`} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing in %s", want, all)
		}
	}
	p.call(3, "session/resume", `{"sessionId":"S1","cwd":"$WS","replayFrom":{"type":"start"}}`)
	if got := strings.Join(p.until("state_update"), "\n"); !strings.Contains(got, `"plan_update"`) {
		t.Errorf("got %s", got)
	}
	p.response(3)
	p.quiet()
}

// A model that never stops calling is stopped.
func TestTooManyRequests(t *testing.T) {
	m := answering(t, func(scriptmodel.Request) scriptmodel.Answer {
		return scriptmodel.Answer{Calls: []scriptmodel.Call{{Name: "list_directory"}}}
	})
	p := withModel(t, m, Options{MaxRequests: 3})
	p.say(2, "go")
	if all := p.until(`"idle"`); !strings.Contains(all[len(all)-1], `"max_turn_requests"`) || len(m.Turns()) != 3 {
		t.Errorf("got %s after %d requests", all[len(all)-1], len(m.Turns()))
	}
	p.quiet()
}

// Without a sandbox scripts do not run, unless that was allowed by the flag's name.
func TestScriptsWithoutASandbox_ACT_8(t *testing.T) {
	if !onUnix() {
		t.Skip("the script is one of a Unix shell")
	}
	run := calls(activateName, `{"name":"tdd"}`)
	for _, script := range []string{"a.sh", "b", "c.sh", "d"} {
		run += calls(scriptName, `{"skill":"tdd","script":"scripts/`+script+`","args":["one two"],"stdin":"in"}`)
	}
	opts := Options{Unsandboxed: true}
	opts.Catalog.Trusted = func(string) bool { return true }
	m := script(t, run+`{"text":"ok"}`)
	m.use(&opts)
	p := serve(t, newWorkspace(t), opts)
	writeSkill(t, p.ws, "tdd", "", "Run it.")
	write(t, p.ws, ".agents/skills/tdd/scripts/a.sh", "echo \"<$1>\"; cat; echo; pwd; exit 4\n")
	write(t, p.ws, ".agents/skills/tdd/scripts/b", "#!/usr/bin/env sh\necho b\n")
	write(t, p.ws, ".agents/skills/tdd/scripts/c.sh", "#!/no/such/interpreter\n")
	write(t, p.ws, ".agents/skills/tdd/scripts/d", "echo d\n")
	p.initialize(withSkills)
	p.call(1, "session/new", `{"cwd":"$WS"}`)
	p.response(1)
	p.say(2, "go")
	for range 2 {
		id, question := p.asked()
		if !strings.Contains(question, "WITHOUT a sandbox") {
			t.Errorf("got %s", question)
		}
		p.answer(id, optionOnce)
	}
	p.until(`"end_turn"`)
	m.check(t, p.ws, `3 +<one two>\nin\n/
3 -\n$WS\n
3 +[exit status 4]
4 +tool: b
5 +needs /no/such/interpreter, which is not installed
6 +names no interpreter`)
	p.quiet()
}

// A client ends one call, or what runs in its terminal, and the turn goes on.
func TestOneCallIsEnded(t *testing.T) {
	if !onUnix() {
		t.Skip("the commands are those of a Unix shell")
	}
	m := script(t, calls("run_command", `{"command":"echo begun; sleep 1000"}`)+calls("run_command", `{"command":"echo begun; sleep 1001"}`)+`{"text":"without it"}`)
	p := withModel(t, m, Options{})
	p.say(2, "go")
	for n, cancel := range []string{`tool_call/cancel {"sessionId":"S1","toolCallId":"C1"}`, `terminal/cancel {"sessionId":"S1","terminalId":"T2"}`} {
		id, _ := p.asked()
		p.answer(id, optionOnce)
		p.until("YmVndW4K")
		method, params, _ := strings.Cut(cancel, " ")
		p.call(10+n, method, params)
		p.response(10 + n)
		p.until(`"status":"cancelled"`)
	}
	p.until(`"end_turn"`)
	m.check(t, p.ws, "2 +begun\n3 +The user has ended this call")
	for n, params := range []string{`{"sessionId":"S1","toolCallId":"gone"}`, `{"sessionId":"none","toolCallId":"gone"}`, `{}`} {
		p.call(20+n, "tool_call/cancel", params)
		if got := p.response(20 + n); strings.Contains(got, []string{`"result"`, "-32002", "-32602"}[n]) == false {
			t.Errorf("%s: got %s", params, got)
		}
	}
	p.call(30, "_other", `{}`)
	if got := p.response(30); !strings.Contains(got, "-32601") {
		t.Errorf("got %s", got)
	}
	p.quiet()
}
