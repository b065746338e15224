// SPDX-License-Identifier: Apache-2.0

package acp

import (
	"context"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// prompt hands a prompt on once its skill blocks stand (ACP-P1 to ACP-P4). The
// rules are asked when its turn has come, not when it arrives: the list that
// counts is the one at that time.
func (c *agentConn) prompt(r *jsonrpc.IncomingRequest) {
	id, ok := rawjson.GetString(r.Params(), "sessionId")
	if !ok {
		r.Reply(nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "params.sessionId: expected a string"))
		return
	}
	s := c.session(id)
	if s == nil {
		r.Reply(nil, sessionNotFound(id))
		return
	}
	s.inTurn(r, s.untilCancel(), func(ctx context.Context) (any, error) {
		p, err := s.readPrompt(r.Params())
		if err != nil {
			return nil, err
		}
		resp, err := c.agent.handler.Prompt(ctx, s, p)
		if err == nil && resp == nil {
			err = errNoResponse
		}
		return resp, err
	})
}

// readPrompt asks the rules first, on the raw blocks: a skill block whose name
// is no string is told so by its rule, and not by the reader of blocks.
func (s *AgentSession) readPrompt(params []byte) (*UserPrompt, error) {
	skills, err := CheckPrompt(rawjson.Get(params, "prompt"), s.conn.agent.opts.Skills, s.resolve)
	if err != nil {
		return nil, err
	}
	p := &UserPrompt{Skills: skills}
	if err := decodeParams(params, &p.PromptRequest); err != nil {
		return nil, err
	}
	if len(p.Prompt) == 0 {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "params.prompt: has no content block")
	}
	return p, nil
}

// resolve looks a name up in the list that the client was given, and asks the
// handler if it has something to say.
func (s *AgentSession) resolve(name string) Resolution {
	s.mu.Lock()
	listed := s.lookup(name)
	s.mu.Unlock()
	checker, ok := s.conn.agent.handler.(SkillChecker)
	if !ok || listed.State == SkillIsCommand {
		return listed
	}
	said := checker.CheckSkill(s, name)
	switch {
	case listed.State == SkillInvocable:
		return said
	case said.State == SkillModelOnly:
		return said
	}
	return listed
}
