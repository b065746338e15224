// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"bytes"
	"strings"
	"sync"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// PXY-5 and ACP-P through a proxy: a prompt with skills at an agent that has none.
func proxyPromptChecks() []Check {
	return []Check{
		{ID: "PXY-5/others", Rule: "PXY-5", Title: "touches nothing of a prompt but its skill blocks", run: expandOthers},
		{ID: "PXY-5/echo", Rule: "PXY-5", Title: "shows the client its own blocks in the user message", run: expandEcho},
		{ID: "PXY-5/replay", Rule: "PXY-5", Title: "shows the client its own blocks in a replay", run: func(t *T) { expandReplay(t, false) }},
		{ID: "PXY-5/restart", Rule: "PXY-5", Title: "shows the client its own blocks in a replay after a restart", run: func(t *T) { expandReplay(t, true) }},
		{ID: "PXY-P4/unknown", Rule: "ACP-P4", Title: "refuses a skill that is not in the list, and tells the agent nothing", run: proxyUnknownSkill},
	}
}

// A store is the memory of an agent behind a proxy: the prompts that it got.
type store struct {
	mu      sync.Mutex
	content [][]byte
}

// scene is an agent without skills that replays what it was given.
func (s *store) scene() scene {
	replay := answersResume(`{}`, func() []string {
		s.mu.Lock()
		defer s.mu.Unlock()
		var out []string
		for _, c := range s.content {
			out = append(out, `{"sessionUpdate":"user_message","messageId":"conform-u1","content":`+string(c)+`}`)
		}
		return append(out, `{"sessionUpdate":"state_update","state":"idle"}`)
	})
	return scene{support: supportNone, also: func(w *Wire, f Frame) bool {
		if f.Method == acp.MethodPrompt {
			s.mu.Lock()
			s.content = append(s.content, bytes.Clone(rawjson.Get(f.Params(), "prompt")))
			s.mu.Unlock()
		}
		return replay(w, f)
	}}
}

func (s *store) last() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.content) == 0 {
		return nil
	}
	return s.content[len(s.content)-1]
}

// expanded has a prompt with a skill in the middle said.
func expanded(t *T) (b *bridge, c *chat, memory *store, blocks []string, req, resp Frame) {
	memory = new(store)
	b = t.bridge(memory.scene(), knowsSkills)
	b.mustGraft()
	c = b.chat()
	c.awaitList(c.from, skillOne, true)
	blocks = []string{
		`{"text":"Do it with ","type":"text"}`, skillBlock(skillOne),
		`{"type":"resource_link","uri":"file:///conform/a%20b","name":"a b","size":1e3,"_meta":{"k":[ ]}}`,
		`{"type":"text","text":" and \u0061 link.","annotations":{"priority":1.0}}`,
	}
	req, resp = c.tell(blocks...)
	c.mustIdle(req)
	return b, c, memory, blocks, req, resp
}

func expandOthers(t *T) {
	_, _, memory, blocks, req, _ := expanded(t)
	var got [][]byte
	for _, e := range rawjson.Elements(memory.last()) {
		if kind, _ := rawjson.GetString(e.Value, "type"); kind == "skill" {
			t.Failf([]Frame{req}, "the agent, which takes no skill blocks, gets one")
		}
		got = append(got, e.Value)
	}
	next := 0
	others := []string{blocks[0], blocks[2], blocks[3]}
	for _, g := range got {
		if next < len(others) && string(g) == others[next] {
			next++
		}
	}
	if next < len(others) {
		t.Failf([]Frame{req}, "the block %s does not reach the agent as it was, or at its place: the agent got %.300s", others[next], memory.last())
	}
	if len(got) == len(others) {
		t.Failf([]Frame{req}, "the agent gets the prompt without its skill")
	}
}

func (c *chat) mustBeRestored(frames []Frame, blocks []string, req Frame, where string) {
	m := c.message(frames, "conform-u1")
	var got []string
	for _, b := range m.blocks {
		got = append(got, string(b))
	}
	if len(got) != len(blocks) {
		c.t.Failf(append([]Frame{req}, m.frames...), "%s has %d blocks, and the client sent %d", where, len(got), len(blocks))
	}
	for i := range got {
		if !same([]byte(got[i]), []byte(blocks[i])) {
			c.t.Failf(append([]Frame{req}, m.frames...), "block %d of %s is not what the client sent", i, where)
		}
	}
}

func expandEcho(t *T) {
	_, c, _, blocks, req, _ := expanded(t)
	c.mustBeRestored(c.since(req.n), blocks, req, "the user message")
}

func expandReplay(t *T, restart bool) {
	b, c, memory, blocks, req, _ := expanded(t)
	c.close()
	if restart {
		b.Wire.close()
		b.back.close()
		b = t.bridge(memory.scene(), knowsSkills)
	}
	again, frames, resp, ok := c.resume(b.driver, true)
	if !ok || resp.ErrorValue() != nil {
		t.Failf([]Frame{resp}, "session/resume does not come through")
	}
	again.mustBeRestored(frames, blocks, req, "the replayed message")
}

func proxyUnknownSkill(t *T) {
	b := t.bridge(scene{support: supportNone, setup: listCommand}, knowsSkills)
	b.mustGraft()
	c := b.chat()
	c.settle()
	from := b.back.mark()
	c.mustRefuse("a skill that is not in the list", true, skillBlock(unknownSkill), textBlock(plainText))
	c.sync()
	for _, f := range b.back.since(from) {
		if !f.Sent && (f.Method == acp.MethodPrompt || strings.Contains(string(f.Raw), unknownSkill)) {
			t.Failf([]Frame{f}, "a prompt that is refused reaches the agent")
		}
	}
}
