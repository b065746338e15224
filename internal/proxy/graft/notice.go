// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"slices"
	"strings"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// tellLost says, once a session, that a skill of the agent was written into the
// prompt where only the agent itself could have applied all of it.
func (s *Stage) tellLost(sess *session, lost []string) {
	if len(lost) == 0 || sess.noticed {
		return
	}
	sess.noticed = true
	slices.Sort(lost)
	what := strings.Join(slices.Compact(lost), ", ")
	params := append([]byte(`{"sessionId":`), rawjson.Quote(sess.id)...)
	params = append(params, `,"update":{"sessionUpdate":"notice","severity":"info","title":"A skill is applied as instructions only","description":`...)
	params = append(params, rawjson.Quote("At this place of a prompt the agent cannot run its own skill, so its instructions were put into the prompt. What the agent alone applies is not in effect: "+what+". Use the skill alone, at the start of a prompt, to have it.")...)
	params = append(params, "}}"...)
	s.reply(jsonrpc.EncodeNotification("session/update", params))
}
