// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"strings"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// resolve says what a name means in the list that the client has (ACP-P1).
func (s *Stage) resolve(sess *session) acp.SkillResolver {
	return func(name string) acp.Resolution {
		if sess == nil {
			return acp.Resolution{}
		}
		if e := sess.list().entries[name]; e != nil {
			if e.asCommand {
				return acp.Resolution{State: acp.SkillIsCommand}
			}
			return acp.Resolution{State: acp.SkillInvocable}
		}
		for _, tok := range sess.agent {
			if n, _ := rawjson.GetString(tok, "name"); n == name {
				return acp.Resolution{State: acp.SkillIsCommand}
			}
		}
		if sess.watch != nil {
			if e, ok := sess.watch.cat.Snapshot().Lookup(name); ok && !e.UserInvocable() {
				return acp.Resolution{State: acp.SkillModelOnly}
			}
		}
		for n, e := range sess.list().entries {
			if strings.EqualFold(n, name) && !e.asCommand {
				return acp.Resolution{Hint: n}
			}
		}
		return acp.Resolution{}
	}
}
