// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"fmt"
	"strings"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// A fakeBlock is a block of a prompt as the fake agent sees it.
type fakeBlock struct {
	kind, name, text string
	named, meta      bool
}

func fakeBlocks(prompt []byte) []fakeBlock {
	var out []fakeBlock
	for _, e := range rawjson.Elements(prompt) {
		var b fakeBlock
		b.kind, _ = rawjson.GetString(e.Value, "type")
		b.name, b.named = rawjson.GetString(e.Value, "name")
		b.text, _ = rawjson.GetString(e.Value, "text")
		b.meta = rawjson.Get(e.Value, "_meta") != nil
		out = append(out, b)
	}
	return out
}

func (a *fakeAgent) prompt(id []byte, session string, s *fakeSession, prompt []byte, result func(string)) {
	switch {
	case s == nil && a.is("error/session") && session == noSuchSession:
		s = &fakeSession{id: session}
	case s == nil && a.is("error/session-code"):
		a.fail(id, -32602, "no such session")
		return
	case s == nil:
		a.print(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"no such session","data":{"sessionId":%s}}}`, id, rawjson.Quote(session))
		return
	case !rawjson.IsArray(prompt):
		code := -32602
		if a.is("prompt/shape") {
			code = -32603
		}
		a.fail(id, code, "prompt is no array")
		return
	case s.refuse:
		a.fail(id, -32800, "cancelled")
		return
	}
	blocks := fakeBlocks(prompt)
	if why := a.refuses(s, blocks); why != "" {
		if a.is("P4/nothing-inserted") && strings.Contains(string(prompt), unknownSkill) {
			a.update(session, `{"sessionUpdate":"user_message","messageId":"x","content":`+string(prompt)+`}`)
		}
		if a.is("P4/reason") {
			why = "bad prompt"
		}
		a.fail(id, -32602, why)
		return
	}
	a.disk.mu.Lock()
	a.disk.n++
	m := fakeMessage{fmt.Sprint("u", a.disk.n), string(prompt)}
	if session != noSuchSession {
		a.disk.sessions[session] = append(a.disk.sessions[session], m)
	}
	a.disk.mu.Unlock()
	if a.is("prompt/answer") {
		result(`{}`)
	} else {
		result(`{"messageId":"` + m.id + `"}`)
	}
	plain := len(blocks) == 1 && blocks[0].kind == "text"
	content := m.content
	switch {
	case a.is("prompt/echo") && plain:
		content = `[{"type":"text","text":"something"}]`
	case a.is("P6/echo"):
		content = asText(content)
	case a.is("P8/link") && strings.Contains(content, "resource_link"):
		content = `[{"type":"skill","name":"` + skillOne + `"}]`
	}
	echo := func(id string) {
		a.update(session, `{"sessionUpdate":"user_message","messageId":"`+id+`","content":`+content+`}`)
	}
	echo(m.id)
	if a.is("prompt/once") && plain {
		echo(m.id + "b")
	}
	a.update(session, `{"sessionUpdate":"state_update","state":"running"}`)
	if plain && strings.HasPrefix(blocks[0].text, "Count") {
		s.busy = true
		return
	}
	a.say(session, "OK")
	reason := `,"stopReason":"end_turn"`
	if a.is("prompt/running") {
		reason = ""
	}
	a.update(session, `{"sessionUpdate":"state_update","state":"idle"`+reason+`}`)
}

// refuses is ACP-P1 to ACP-P4, in the fake's own words, and each fault of them.
func (a *fakeAgent) refuses(s *fakeSession, blocks []fakeBlock) string {
	skills, resolved := 0, 0
	why := ""
	for i, b := range blocks {
		switch b.kind {
		case "text", "resource_link", "image":
			continue
		case "skill":
		default:
			if a.is("prompt/unknown-block") {
				continue
			}
			return "content of unknown type"
		}
		skills++
		no := func(reason string) {
			if why == "" {
				why = fmt.Sprintf("prompt[%d]: %s: %s", i, b.name, reason)
			}
		}
		support := a.level
		if a.is("C3/advertised") {
			support = "none"
		}
		if a.is("C2/shape") {
			support = "skill"
		}
		switch {
		case support == "none":
			if !a.is("P4/unsupported") {
				no("no skills here")
			}
			continue
		case support == "skill" && skills > 1 && i == skills-1 && !a.is("P2/second"),
			support == "skill" && i >= skills && !a.is("P2/place"):
			no("one skill, in front")
			continue
		}
		if a.resolves(s, b, len(blocks)) {
			resolved++
		} else {
			no("no such skill")
		}
	}
	switch {
	case a.is("P4/whole") && resolved > 0:
		return ""
	case a.is("P2/first") && len(blocks) == 2 && blocks[0].kind == "skill" && !blocks[0].meta && blocks[1].text == plainText && resolved > 0,
		a.is("P2/alone") && len(blocks) == 1 && skills == 1,
		a.is("P3/anywhere") && len(blocks) == 2 && blocks[1].kind == "skill",
		a.is("P3/several") && skills > 2,
		a.is("P1/meta") && blocks[0].meta:
		return "not like this"
	}
	return why
}

func (a *fakeAgent) resolves(s *fakeSession, b fakeBlock, blocks int) bool {
	if !b.named || b.name == "" {
		return a.is("P1/nameless")
	}
	for _, e := range rawjson.Elements([]byte(a.entries(s, true))) {
		name, _ := rawjson.GetString(e.Value, "name")
		kind, _ := rawjson.GetString(e.Value, "type")
		switch {
		case kind != "skill" && !(a.is("P4/command") && kind == "command"):
		case name == b.name,
			a.is("P1/case") && strings.EqualFold(name, b.name),
			a.is("P1/blank") && name == strings.TrimSpace(b.name),
			a.is("P1/slash") && name == strings.TrimPrefix(b.name, "/"):
			return true
		}
	}
	return a.is("P4/unknown") && b.name == unknownSkill && blocks == 2 || a.is("P4/model-only") && b.name == skillHidden
}
