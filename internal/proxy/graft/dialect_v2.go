// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// v2 is version 2: entries have types, a list may come with the setup response,
// an answer to a prompt means that it was inserted, and messages have ids.
type v2 struct{}

func (v2) terms(hello clientHello, result []byte) terms {
	t := terms{
		clientSkill: hello.skill,
		agentSkill: acp.SkillSupport{
			Skill:  isObject(result, "capabilities", "session", "prompt", "skill"),
			Inline: isObject(result, "capabilities", "session", "prompt", "skill", "inline"),
		},
		noSessions: !isObject(result, "capabilities", "session"),
		servers:    isObject(result, "capabilities", "session", "mcp", "stdio"),
	}
	t.agent, _ = rawjson.GetString(result, "info", "name")
	return t
}

func (v2) advertise(result []byte, t terms) []byte {
	if t.agentSkill.Inline {
		return result
	}
	return rawjson.Set(result, []byte("{}"), "capabilities", "session", "prompt", "skill", "inline")
}

func (v2) opening(method string, params []byte) opening {
	switch method {
	case "session/new":
		return opening{kind: opensNew}
	case "session/fork":
		return opening{kind: opensFork}
	case "session/resume":
		return opening{kind: opensKnown, replays: isObject(params, "replayFrom")}
	}
	return opening{}
}

func (v2) setupList(result []byte) []byte {
	if list := rawjson.Get(result, "availableCommands"); rawjson.IsArray(list) {
		return list
	}
	return nil
}

func (v2) listsLater() bool { return false }

func (v2) read(tok []byte) (kind string, shown []byte) {
	kind, _ = rawjson.GetString(tok, "type")
	return kind, tok
}

func (v2) asCommand(tok []byte) []byte {
	tok = rawjson.Set(tok, []byte(`"command"`), "type")
	return rawjson.Delete(tok, "path")
}

func (v2) command(name, description string, _ *catalog.Entry) []byte {
	tok := append([]byte(`{"type":"command","name":`), rawjson.Quote(name)...)
	tok = append(append(tok, `,"description":`...), rawjson.Quote(description)...)
	return append(tok, '}')
}

// blocks: whatever the agent takes, a block can be had everywhere.
func (v2) blocks() acp.SkillSupport { return acp.SkillSupport{Skill: true, Inline: true} }

func (v2) cancelled(id jsonrpc.ID) []byte {
	return jsonrpc.EncodeError(id, jsonrpc.Errorf(jsonrpc.CodeCancelled, "the prompt was cancelled before it was sent to the agent"))
}

func (v2) answered(s *Stage, sess *session, p *sentPrompt, m jsonrpc.Message) { s.inserted(sess, p, m) }

func (v2) userMessage(s *Stage, sess *session, m jsonrpc.Message) {
	if sess == nil {
		s.passUserMessage(s.forkOnItsWay(), m)
		return
	}
	s.userMessage(sess, m)
}

// question is about nothing but itself: a subject is optional.
func (v2) question(session, title, text string, options []byte) []byte {
	q := append([]byte(`{"sessionId":`), rawjson.Quote(session)...)
	q = append(append(q, `,"title":`...), rawjson.Quote(title)...)
	q = append(append(q, `,"description":`...), rawjson.Quote(text)...)
	return append(append(append(q, `,"options":`...), options...), '}')
}

func (v2) server(name string, program ModelServer) []byte {
	return append([]byte(`{"type":"stdio",`), program.members(name)...)
}
