// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"strconv"
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// v1 is version 1, which knows no skills (ACP-C4): to both sides they are plain
// commands, invoked by their name at the start of a prompt. Lists come as updates
// alone, a prompt is answered when its turn is over, and messages need no ids.
type v1 struct{}

func (v1) terms(_ clientHello, result []byte) (t terms) {
	t.agent, _ = rawjson.GetString(result, "agentInfo", "name")
	t.servers = true // every agent of version 1 starts programs
	return t
}

func (v1) advertise(result []byte, _ terms) []byte { return result }

func (v1) opening(method string, _ []byte) opening {
	switch method {
	case "session/new":
		return opening{kind: opensNew}
	case "session/fork":
		return opening{kind: opensFork}
	case "session/load":
		return opening{kind: opensKnown, replays: true}
	case "session/resume":
		return opening{kind: opensKnown}
	}
	return opening{}
}

// setupList: a member of that name in a response is somebody's own.
func (v1) setupList([]byte) []byte { return nil }

// listsLater: were names given for good before the agent has said what it has,
// it would be a matter of milliseconds who of the two gets the bare one.
func (v1) listsLater() bool { return true }

// read takes every entry for a command, which all are in version 1. One that
// calls itself a skill must not reach the client as that.
func (d v1) read(tok []byte) (kind string, shown []byte) {
	if kind, _ := rawjson.GetString(tok, "type"); kind == "skill" {
		tok = d.asCommand(tok)
	}
	return "command", tok
}

func (v1) asCommand(tok []byte) []byte {
	return rawjson.Delete(rawjson.Delete(tok, "type"), "path")
}

func (v1) command(name, description string, e *catalog.Entry) []byte {
	tok := append([]byte(`{"name":`), rawjson.Quote(name)...)
	tok = append(append(tok, `,"description":`...), rawjson.Quote(description)...)
	if hint := argumentHint(e.Skill); hint != "" {
		tok = append(append(tok, `,"input":{"hint":`...), rawjson.Quote(hint)...)
		tok = append(tok, '}')
	}
	return append(tok, '}')
}

// argumentHint is what a skill's author says about the text behind its name. In
// YAML, [file] is a list; the author meant the text (A18).
func argumentHint(sk *skill.Skill) string {
	if sk.Frontmatter == nil {
		return ""
	}
	v := sk.Frontmatter.Get("argument-hint")
	switch {
	case v.IsNull():
		return ""
	case v.Kind == skill.Scalar:
		return skill.Sanitize(v.Text)
	case v.Kind == skill.Sequence:
		var items []string
		for _, item := range v.Items {
			if item.Kind != skill.Scalar {
				return ""
			}
			items = append(items, item.Text)
		}
		return skill.Sanitize("[" + strings.Join(items, ", ") + "]")
	}
	return ""
}

// blocks: there are none in version 1. One that is sent all the same is refused,
// and so is its prompt: an agent that drops it would run half of it.
func (v1) blocks() acp.SkillSupport { return acp.SkillSupport{} }

// cancelled is no error in version 1: clients show errors to the user.
func (v1) cancelled(id jsonrpc.ID) []byte {
	return jsonrpc.EncodeResult(id, []byte(`{"stopReason":"cancelled"}`))
}

// answered: the answer ends the turn. An error before the agent has said
// anything means that the prompt became no message. One that comes after the
// turn had begun says nothing of the kind, and neither does a cancellation: the
// prompt may well be in the conversation.
func (v1) answered(s *Stage, sess *session, p *sentPrompt, m jsonrpc.Message) {
	sess.settle(p)
	if m.Result() != nil || !p.changed || p.ran || sess.alive {
		return
	}
	if code := string(rawjson.Get(m.ErrorValue(), "code")); code != strconv.Itoa(jsonrpc.CodeCancelled) {
		s.void(sess, p.record)
	}
}

// userMessage restores a piece of a message, live or replayed: what it belongs
// to is told by its text, since there need be no id.
func (v1) userMessage(s *Stage, sess *session, m jsonrpc.Message) {
	if sess == nil {
		sess = s.forkOnItsWay()
	}
	content := rawjson.Get(m.Params(), "update", "content")
	if m.Variant != "user_message_chunk" || sess.past == nil || !rawjson.IsObject(content) {
		s.opts.ToClient(m)
		return
	}
	id, _ := rawjson.GetString(m.Params(), "update", "messageId")
	restored := sess.past.chunk(id, content)
	if len(restored) == 1 && &restored[0][0] == &content[0] {
		s.opts.ToClient(m)
		return
	}
	s.sendChunks(m, restored)
}

// question has to be about a tool call. It is one that nobody makes.
func (v1) question(session, title, text string, options []byte) []byte {
	q := append([]byte(`{"sessionId":`), rawjson.Quote(session)...)
	q = append(append(q, `,"toolCall":{"toolCallId":"skillgraft-trust","title":`...), rawjson.Quote(title)...)
	q = append(append(q, `,"kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":`...), rawjson.Quote(text)...)
	return append(append(append(q, `}}]},"options":`...), options...), '}')
}

// server: a program is what has no type.
func (v1) server(name string, program ModelServer) []byte {
	return append([]byte("{"), program.members(name)...)
}
