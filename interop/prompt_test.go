// SPDX-License-Identifier: Apache-2.0

//go:build interop

package interop

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// pick is a skill with the marker of its body.
type pick struct{ name, marker string }

// own are skills that the agent finds by itself.
func own(r *rig) [2]pick {
	if r.agent.name == "claude" {
		return [2]pick{{"cl-one", "BODY-cl-one-claude"}, {"cl-two", "BODY-cl-two-claude"}}
	}
	return [2]pick{{"ag-one", "BODY-ag-one-agents"}, {"ag-two", "BODY-ag-two-agents"}}
}

// foreign is a skill that the agent does not see.
func foreign(r *rig) pick {
	if r.agent.name == "claude" {
		return pick{"ext-one", "BODY-ext-one-agents"} // must show 4
	}
	return pick{"ext-two", "BODY-ext-two-claude"}
}

// Must show 2, 3 and 4: wherever a block stands, its skill's body reaches the
// model exactly once, nothing beside it is lost, and the client sees its own
// blocks, now and when the session is resumed in a new process.
func TestBlocksReachTheModel(t *testing.T) {
	each(t, func(r *rig) {
		mine, other := own(r), foreign(r)
		pixel, _ := base64.StdEncoding.DecodeString(png)
		prompts := []struct {
			name   string
			blocks []any
			bodies []string
			also   []string // texts that have to arrive as well; claude repeats a command's arguments
			image  bool
		}{
			{name: "first", blocks: []any{skill(mine[0].name), text(" please, A1")},
				bodies: []string{mine[0].marker}, also: []string{"please, A1"}},
			{name: "middle", blocks: []any{text("before-B1 "), skill(mine[0].name), text(" after-B2")},
				bodies: []string{mine[0].marker}, also: []string{"before-B1", "after-B2"}},
			{name: "last", blocks: []any{text("before-C1 "), skill(mine[1].name)},
				bodies: []string{mine[1].marker}, also: []string{"before-C1"}},
			{name: "two", blocks: []any{skill(mine[0].name), text(" and-D1 "), skill(mine[1].name), text(" now-D2")},
				bodies: []string{mine[0].marker, mine[1].marker}, also: []string{"and-D1", "now-D2"}},
			{name: "alone", blocks: []any{skill(mine[0].name)}, bodies: []string{mine[0].marker}},
			{name: "foreign", blocks: []any{skill(other.name), text(" go-E1")},
				bodies: []string{other.marker}, also: []string{"go-E1"}},
			{name: "own and foreign", blocks: []any{skill(mine[0].name), skill(other.name), text(" both-F1")},
				bodies: []string{mine[0].marker, other.marker}, also: []string{"both-F1"}},
			{name: "beside everything", blocks: []any{skill(mine[0].name), text(" see-G1"), image(),
				link("file:///g/linked.txt"), embed("file:///g/embedded.txt", "inside-G2")},
				bodies: []string{mine[0].marker}, also: []string{"see-G1", "file:///g/linked.txt", "inside-G2"}, image: true},
			{name: "beside image and link", blocks: []any{image(), link("file:///h/linked.txt"), skill(mine[1].name), text(" see-H1")},
				bodies: []string{mine[1].marker}, also: []string{"see-H1", "file:///h/linked.txt"}, image: true},
			{name: "foreign beside everything", blocks: []any{text("see-I1 "), skill(other.name), image(),
				link("file:///i/linked.txt"), embed("file:///i/embedded.txt", "inside-I2")},
				bodies: []string{other.marker}, also: []string{"see-I1", "file:///i/linked.txt", "inside-I2"}, image: true},
			{name: "with _meta", blocks: []any{map[string]any{"type": "skill", "name": mine[0].name, "_meta": map[string]any{"k": 1}}, text(" J1")},
				bodies: []string{mine[0].marker}, also: []string{"J1"}},
			{name: "no block", blocks: []any{text("plain-K1")}, also: []string{"plain-K1"}},
		}

		c, _ := r.client(how{})
		s := r.open(c)
		shown := map[string][]any{}
		images := 0
		for _, p := range prompts {
			r.run(c, p.name, func(t *testing.T) {
				tn := s.prompt(p.blocks...)
				for _, m := range p.bodies {
					tn.gave(m, 1)
				}
				for _, a := range p.also {
					tn.gaveSome(a)
				}
				tn.gave("BODY-", len(p.bodies)) // and no other skill's
				if p.name == "alone" || p.name == "first" {
					native(tn, r, mine[0].name)
				}
				if p.image {
					images++
				}
				if got := tn.given[len(tn.given)-1].Images(); len(got) != images {
					t.Errorf("the model has %d images, want %d", len(got), images)
				} else if p.image && string(got[len(got)-1]) != string(pixel) {
					t.Logf("the agent re-encoded the image: %d bytes", len(got[len(got)-1]))
				}
				tn.echoed(s, p.blocks...)
				shown[tn.messageID] = p.blocks
			})
		}
		c.close()

		c, _ = r.client(how{})
		_, replay := r.resume(c, s.id)
		r.t.Run("replay", func(t *testing.T) {
			for id, blocks := range shown {
				shows(t, replay, s.id, id, blocks...)
			}
			if got := len(userMessages(t, replay, s.id)); got != len(prompts) {
				t.Errorf("%d user messages are replayed, want %d", got, len(prompts))
			}
			noBodies(t, replay)
		})
	})
}

// native checks that a skill of the agent's own went through the agent's own way,
// so that what only the agent can apply is applied (PXY-4).
func native(tn turn, r *rig, name string) {
	tn.t.Helper()
	if r.agent.name == "claude" {
		tn.gave("<command-name>/"+name+"</command-name>", 1)
	} else {
		tn.gave("<skill>\n<name>"+name+"</name>", 1)
	}
}

// Must show 3: a $name that an embedded file merely mentions does what it does
// without us, no more.
func TestMentionsInFiles(t *testing.T) {
	each(t, func(r *rig) {
		mine := own(r)
		blocks := []any{text("look at this"), embed("file:///m/costs.md", "it costs $"+mine[0].name+" or /"+mine[0].name)}
		count := func(h how) int {
			c, _ := r.client(h)
			defer c.close()
			n := 0
			for _, q := range r.open(c).prompt(blocks...).given {
				n += q.CountNew(mine[0].marker)
			}
			return n
		}
		without, with := count(how{direct: true}), count(how{})
		r.t.Logf("%s: the body reaches the model %d times without and %d times with skillgraft", r.agent.name, without, with)
		if with > without {
			r.t.Errorf("%d activations with skillgraft, %d without", with, without)
		}
	})
}

// Must show 11: prompts of the same text, one of them with a block, sent while
// the first one still runs: each is shown as it was sent.
func TestQueuedPromptsOfTheSameText(t *testing.T) {
	each(t, func(r *rig) {
		other := foreign(r)
		c, _ := r.client(how{})
		s := r.open(c)
		s.hold()
		at := c.mark()
		sent := [][]any{{text("same")}, {text("same")}, {skill(other.name), text("same")}, {text("same")}}
		var ids []int
		for _, blocks := range sent {
			ids = append(ids, s.send(blocks...))
		}
		r.release()
		var messages []string
		for _, id := range ids {
			f := c.response(id)
			if f.Error != nil {
				r.t.Fatalf("a queued prompt: %s", f.Error)
			}
			messages = append(messages, messageID(f))
		}
		c.idle(responseAt(c, ids[len(ids)-1]), s.id)
		for i, blocks := range sent {
			shows(r.t, c.since(at), s.id, messages[i], blocks...)
		}
		noBodies(r.t, c.since(at))
		given := 0
		for _, q := range r.model.Turns() {
			given += q.CountNew(other.marker)
		}
		if given != 1 {
			r.t.Errorf("the skill reached the model %d times, want 1", given)
		}
		c.close()

		c, _ = r.client(how{})
		_, replay := r.resume(c, s.id)
		noBodies(r.t, replay)
		// Claude joins what was queued into one message under the last one's id;
		// what it replays holds all blocks, in order, whoever cuts it.
		var all []any
		for _, m := range userMessages(r.t, replay, s.id) {
			all = append(all, m.Blocks...)
		}
		skills := strings.Count(string(raw(r.t, all)), `"type":"skill"`)
		if skills != 1 {
			r.t.Errorf("the replay shows %d skill blocks, want 1: %s", skills, raw(r.t, all))
		}
		if got := strings.Count(string(raw(r.t, all)), "same"); got != 4 {
			r.t.Errorf("the replay shows %d of the 4 queued texts: %s", got, raw(r.t, all))
		}
	})
}

// responseAt is the position of the response to a request.
func responseAt(c *client, id int) int {
	for i, f := range c.since(0) {
		if f.FromAgent && f.Method == "" && string(f.ID) == fmt.Sprint(id) {
			return i
		}
	}
	return 0
}
