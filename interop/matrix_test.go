// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/internal/scriptmodel"
)

// The steps of the script, by kind of client: the columns of the tables.
var (
	plainSteps = []string{"list", "/added", "own", "text", "replay"}
	skillSteps = []string{"list", "first", "middle", "two", "link", "resource", "unknown", "echo", "replay"}
)

func (ro role) steps() []string {
	if ro.skills {
		return skillSteps
	}
	return plainSteps
}

// TestMatrix runs every agent with each kind of client through the same script,
// and compares with what is recorded in testdata/matrix.json and docs/agents.md;
// -update records.
func TestMatrix(t *testing.T) {
	for _, k := range everyone() {
		t.Run(k.name, func(t *testing.T) {
			k.need(t)
			row := record{Agent: k.name, Version: k.version(), Date: today(), Cells: map[string]map[string]string{}}
			for _, ro := range roles {
				row.Cells[ro.key] = measure(t, k, ro)
			}
			keep(t, row)
		})
	}
}

// rigFor is a rig for one of the agents.
func rigFor(t *testing.T, k known, script scriptmodel.Script) *rig {
	t.Helper()
	model, err := scriptmodel.Start(&scriptmodel.Options{Script: script})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := model.Close(); err != nil {
			t.Error(err)
		}
	})
	return &rig{t: t, agent: k.prepare(t, model), model: model, ws: newWorkspace(t), tee: filepath.Join(t.TempDir(), "tee.txt")}
}

// board collects the cells of one row.
type board struct {
	t     *testing.T
	cells map[string]string
}

func (b board) set(step string, err error) {
	b.t.Helper()
	cell := "yes"
	switch {
	case errors.Is(err, errCannot):
		cell = "- " + err.Error()
	case err != nil:
		cell = "no: " + err.Error()
	}
	if was := b.cells[step]; was == "" || was == "yes" {
		b.cells[step] = cell
	}
	b.t.Logf("%s: %s", step, cell)
}

func measure(t *testing.T, k known, ro role) map[string]string {
	b := board{t, map[string]string{}}
	t.Run(ro.key, func(t *testing.T) {
		b.t = t
		r := rigFor(t, k, nil)
		root, added := team(t, r.ws)
		tk, err := dial(r, ro, how{flags: []string{"--root", root}})
		if err == nil {
			err = tk.open()
		}
		if err != nil {
			b.set("list", err)
			return
		}
		var sent [][]any
		if ro.skills {
			sent = b.blocks(tk, k, added)
		} else {
			sent = b.plain(tk, k, added)
		}
		b.replay(tk, k, added, sent)
	})
	return b.cells
}

// errs joins what went wrong with the words that say at what.
func at(where string, err error) error {
	if err == nil || errors.Is(err, errCannot) {
		return err
	}
	return fmt.Errorf("%s: %w", where, err)
}

// blocks is the script of a client with skills.
func (b board) blocks(tk *talk, k known, added pick) (sent [][]any) {
	list, err := tk.waitList(added.name)
	for _, p := range []pick{k.own[0], k.own[1], added} {
		if e := list[p.name]; err == nil && (e.Type != "skill" || e.Path == "" || e.Description == "") {
			err = fmt.Errorf("%s is listed as %+v", p.name, e)
		}
	}
	for name := range list {
		if err == nil && strings.ContainsAny(name, ":$") {
			err = fmt.Errorf("the entry %s is left as the agent has it", name)
		}
	}
	b.set("list", err)

	notes := "file://" + filepath.ToSlash(tk.r.ws.writeFile(filepath.Join(tk.r.ws.dir, "notes.txt"), "NOTES\n"))
	n := 0
	word := func() string { n++; return fmt.Sprintf("word-%d.", n) }
	try := func(step, what string, blocks []any, markers []string, texts ...string) {
		s, err := tk.prompt(blocks...)
		if err == nil {
			if err = s.gave(markers, texts...); err != nil && step == "resource" && !takesResources(tk, k) {
				err = fmt.Errorf("%w give embedded resources to its model, also without us", errCannot)
			}
			b.set("echo", at(step+", "+what, tk.echoed(s)))
			sent = append(sent, blocks)
		}
		b.set(step, at(what, err))
	}
	for _, p := range []struct {
		what string
		pick
	}{{"its own", k.own[0]}, {"an added one", added}} {
		w1, w2 := word(), word()
		try("first", p.what, []any{skill(p.name), text(" " + w1)}, []string{p.marker}, w1)
		w1 = word()
		try("middle", p.what, []any{text(w1 + " "), skill(p.name), text(" " + w2)}, []string{p.marker}, w1, w2)
		w1 = word()
		try("link", p.what, []any{skill(p.name), text(" " + w1 + " "), link(notes)}, []string{p.marker}, w1, "notes.txt")
		w1, w2 = word(), word()
		try("resource", p.what, []any{skill(p.name), text(" " + w1 + " "), embed("file:///r/in.txt", "inside-"+w2)},
			[]string{p.marker}, w1, "inside-"+w2)
	}
	w1 := word()
	try("two", "two of its own", []any{skill(k.own[0].name), text(" " + w1 + " "), skill(k.own[1].name)},
		[]string{k.own[0].marker, k.own[1].marker}, w1)
	w1 = word()
	try("two", "its own and an added one", []any{skill(k.own[1].name), text(" " + w1 + " "), skill(added.name)},
		[]string{k.own[1].marker, added.marker}, w1)

	b.set("unknown", tk.refused(skill("no-such-skill"), text(" go")))
	return sent
}

// refused checks that a prompt gets -32602 and does not reach the model.
func (k *talk) refused(blocks ...any) error {
	asked := len(k.r.model.Requests())
	_, err := k.prompt(blocks...)
	var rpc *callError
	switch {
	case err == nil:
		return errors.New("it was accepted")
	case !errors.As(err, &rpc) || rpc.Code != -32602:
		return err
	case len(k.r.model.Requests()) > asked:
		return errors.New("it reached the model")
	}
	return nil
}

// echoed checks that the turn shows the client's own message, once, and no body.
func (k *talk) echoed(s said) error {
	ms := userMessages(k.r.t, s.frames, k.session)
	if len(ms) != 1 || ms[0].ID != s.id {
		return fmt.Errorf("the turn shows %d user messages", len(ms))
	}
	return same([][]any{ms[0].Blocks}, [][]any{decoded(k.r.t, s.blocks).([]any)}, s.frames)
}

// same compares messages, and looks for bodies in what the client was told.
func same(got, want [][]any, frames []frame) error {
	for _, f := range frames {
		u, _ := f.update()
		if f.FromAgent && u.Kind != "available_commands_update" && strings.Contains(f.Raw, "BODY-") {
			return errors.New("a skill's text is shown")
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d of %d messages are shown", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			return fmt.Errorf("message %d is shown as %.200v", i+1, got[i])
		}
	}
	return nil
}

// plain is the script of a client without skills.
func (b board) plain(tk *talk, k known, added pick) (sent [][]any) {
	list, err := tk.waitList(added.name)
	for _, e := range list {
		if err == nil && e.Type == "skill" {
			err = fmt.Errorf("the skill entry %s reached the client", e.Name)
		}
	}
	b.set("list", at("list", err))

	say := func(step, line string, markers []string, texts ...string) {
		s, err := tk.prompt(text(line))
		if err == nil {
			err = s.gave(markers, texts...)
			sent = append(sent, []any{text(line)})
			if tk.role.version == 2 && err == nil {
				err = at("echo", tk.echoed(s))
			}
		}
		b.set(step, err)
	}
	say("text", "plain-words", nil, "plain-words")
	say("/added", "/"+added.name+" rest-1", []string{added.marker}, "rest-1")
	say("own", invocation(list, k.own[0].name)+" rest-2", []string{k.own[0].marker}, "rest-2")
	if tk.role.version == 2 {
		b.set("list", at("a skill block", tk.refused(skill(added.name), text(" go"))))
	}
	return sent
}

// invocation is how a user invokes a skill that a list has under some name.
func invocation(list map[string]command, name string) string {
	for listed := range list {
		if listed == "$"+name {
			return listed
		}
		if _, last, _ := strings.Cut(listed, ":"); last == name {
			return "/" + listed
		}
	}
	return "/" + name
}

// replay opens the session in a new process and looks at what it shows.
//
// A client without skills that sends the agent's own command gets of it what it gets
// without us, which some agents show as the instructions.
func (b board) replay(tk *talk, k known, added pick, sent [][]any) {
	id := tk.session
	tk.c.close()
	again, err := dial(tk.r, tk.role, tk.how)
	if err == nil {
		err = again.reopen(id)
	}
	if err == nil {
		_, err = again.waitList(added.name) // comes behind what is replayed
	}
	if err == nil {
		frames := again.c.since(again.from)
		want := decoded(again.r.t, sent)
		var list [][]any
		if all, ok := want.([]any); ok {
			for _, m := range all {
				list = append(list, m.([]any))
			}
		}
		got := again.users(frames)
		if !again.role.skills {
			got, list = texts(got), texts(list)
		}
		own := -1
		if k.expands && !again.role.skills && len(got) == len(list) {
			own = len(list) - 1 // the last one that the script sends
			got[own], frames = list[own], nil
		}
		err = same(got, list, frames)
	}
	b.set("replay", err)
	again.c.close()
}

// texts are messages by their text alone: how an agent of version 1 cuts what the
// user typed into chunks is its own affair.
func texts(messages [][]any) [][]any {
	out := slices.Clone(messages)
	for i, m := range messages {
		var b strings.Builder
		for _, block := range m {
			if o, ok := block.(map[string]any); ok {
				s, _ := o["text"].(string)
				b.WriteString(s)
			}
		}
		out[i] = []any{b.String()}
	}
	return out
}

// takesResources reports whether an embedded resource reaches the model when nothing
// stands between client and agent.
func takesResources(tk *talk, k known) bool {
	alone, err := dial(tk.r, roles[0], how{direct: true})
	if err == nil {
		err = alone.open()
	}
	if err != nil {
		return true // then nothing is known, and the fault counts as ours
	}
	defer alone.c.close()
	s, err := alone.prompt(text("see "), embed("file:///r/alone.txt", "inside-alone"))
	return err != nil || s.count("inside-alone") > 0
}
