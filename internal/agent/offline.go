// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/skillgraft/skillgraft/internal/agent/model"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// workOffline answers a prompt without a model, piece by piece: it shows the
// instructions of the skills that the user names, or else of the one that fits the
// words best, and runs a script of them when the prompt asks for that.
func (s *session) workOffline(t *turn, in *input) {
	messageID := newMessageID()
	said := 0
	var all strings.Builder
	say := func(piece string) bool {
		if said++; said > 1 && !pause(t.ctx, s.handler.opts.ChunkPause) || t.ctx.Err() != nil {
			return false
		}
		s.say(messageID, piece)
		all.WriteString(piece)
		return true
	}
	defer func() {
		// A model that is chosen later is told of it.
		if all.Len() > 0 {
			s.remember(model.Message{Role: model.Assistant, Parts: []model.Part{model.TextPart(all.String())}})
		}
	}()
	matched := false
	if len(in.skills) == 0 && s.handler.opts.Level != LevelNone {
		matched = s.pick(t.ctx, in)
	}
	for _, piece := range s.answer(in, matched) {
		if !say(piece) {
			return
		}
	}
	if run := asked(in); run != nil && t.ctx.Err() == nil {
		if mode, _ := s.setting(); mode == ModeRead {
			say("The script was not run: the session's mode is read only.\n")
			return
		}
		args, _ := json.Marshal(run.arguments()) // strings can always be written
		result := s.perform(t.ctx, []*tool{scriptTool()}, model.Part{Type: model.Call, ID: "offline", Name: scriptName, Input: args})
		if t.ctx.Err() == nil {
			messageID = newMessageID() // what comes after a call is another message
			say(run.report(result))
		}
	}
}

// pause waits, and reports whether it was let to.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// enough is the score from which a skill fits a prompt: a word of its name that few have,
// or several of its description.
const enough = 1.5

// pick takes up the skill that fits the prompt's words best, if one does.
func (s *session) pick(ctx context.Context, in *input) bool {
	text := withoutCommands(in.text)
	best := func() (match, bool) {
		found := s.skills().offer().match(text)
		return first(found), len(found) > 0 && found[0].score >= enough
	}
	m, ok := best()
	if !ok && s.handler.opts.KeepTrust != nil && s.fitsWithheld(text) {
		s.gate(ctx)
		m, ok = best()
	}
	if !ok || ctx.Err() != nil {
		return false
	}
	i, _ := s.takeUp(ctx, m.name)
	if i == nil {
		return false
	}
	if !i.known {
		s.keep(i.record())
	}
	in.skills = append(in.skills, i)
	return true
}

// withoutCommands is a text without words that look like commands or paths: those do
// not invoke a skill (ACP-P8), and do not say what the prompt is about.
func withoutCommands(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(w string) bool { return strings.HasPrefix(w, "/") }), " ")
}

func first(m []match) match {
	if len(m) == 0 {
		return match{}
	}
	return m[0]
}

// fitsWithheld reports whether a skill of a workspace that is not trusted fits.
func (s *session) fitsWithheld(text string) bool {
	o := &offered{byName: map[string]*catalog.Entry{}}
	for _, e := range s.skills().Catalog().All() {
		if !e.Trusted && e.ModelInvocable() {
			o.names, o.byName[e.ID] = append(o.names, e.ID), e
		}
	}
	found := o.match(text)
	return len(found) > 0 && found[0].score >= enough
}

// A scriptWish is a script that a prompt asks to run.
type scriptWish struct {
	skill, script string
	args          []string
}

// asked finds the script that a prompt asks to run: it says "run", and names a file of an
// invoked skill, or the skill has one script alone. Arguments are what stands behind the
// file's name in backticks.
func asked(in *input) *scriptWish {
	if !slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(in.text), func(r rune) bool { return r < 'a' || r > 'z' }), func(w string) bool {
		return w == "run" || w == "runs" || w == "execute" || w == "start"
	}) {
		return nil
	}
	for _, i := range in.skills {
		if i.err != nil {
			continue
		}
		var scripts []string
		for _, f := range i.Files {
			if strings.HasPrefix(f, "scripts/") {
				scripts = append(scripts, f)
			}
		}
		for _, f := range scripts {
			if w := named(in.text, f); w != nil {
				w.skill = i.name
				return w
			}
		}
		if len(scripts) == 1 && strings.Contains(strings.ToLower(in.text), "script") {
			return &scriptWish{skill: i.name, script: scripts[0]}
		}
	}
	return nil
}

// named finds a file in a text, by its path or its name.
func named(text, file string) *scriptWish {
	for n, part := range strings.Split(text, "`") {
		words := strings.Fields(part)
		for at, w := range words {
			w = strings.Trim(w, `.,;:!?"'()`)
			if w != file && w != path.Base(file) && w != "./"+file {
				continue
			}
			wish := &scriptWish{script: file}
			if n%2 == 1 {
				wish.args = words[at+1:]
			}
			return wish
		}
	}
	return nil
}

func (w *scriptWish) arguments() map[string]any {
	args := w.args
	if args == nil {
		args = []string{}
	}
	return map[string]any{"skill": w.skill, "script": w.script, "args": args}
}

// report says what came of a run.
func (w *scriptWish) report(result model.Part) string {
	var b strings.Builder
	line := strings.Join(append([]string{w.script}, w.args...), " ")
	if result.Error {
		b.WriteString("The script `" + inCode(line) + "` was not run, or failed:\n\n")
	} else {
		b.WriteString("The script `" + inCode(line) + "` was run. It says:\n\n")
	}
	for l := range strings.Lines(capLines(result.Text, 40)) {
		b.WriteString("    " + strings.TrimRight(shown(l), "\n") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
