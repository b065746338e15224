// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Kimi sends its list to every open session whenever there is a new one. Each
// client reads each list once (ACP-A8).
func TestTwentySessionsWithKimi(t *testing.T) {
	for _, version := range []string{"v1", "v2"} {
		t.Run(version, func(t *testing.T) {
			var out strings.Builder
			out.WriteString("profile kimi\n")
			list := `[{"name":"compact","description":"d"},{"name":"skill:own","description":"d"}]`
			shown := `"name":"skill:own" && "name":"one"`
			if version == "v1" {
				out.WriteString("hello v1\n")
			} else {
				out.WriteString("hello skill plain\n")
				list = strings.ReplaceAll(list, `{"name"`, `{"type":"command","name"`)
				shown = `"type":"skill","name":"own" && "type":"skill","name":"one" && !skill:own`
			}
			for i := range 20 {
				fmt.Fprintf(&out, "new s%d\nclient<~ \"id\":\"new-s%[1]d\"\nclient<~ \"sessionId\":\"s%[1]d\" && \"name\":\"own\" && \"name\":\"one\"\n", i)
				for j := range i + 1 {
					out.WriteString(listUpdate(fmt.Sprintf("s%d", j), list))
				}
				fmt.Fprintf(&out, "client<~ \"sessionId\":\"s%d\" && \"name\":\"compact\" && %s\n", i, shown)
			}
			playKimi(t, out.String())
		})
	}
}

// However many updates come, and even when the client has read none of them, a prompt
// goes to the agent; and what the client gets is still in order (PXY-2).
func TestFloodDelaysNoPrompt(t *testing.T) {
	const n = 300
	var out, lists, want strings.Builder
	out.WriteString("profile kimi\nhello skill plain\nnew s\nclient<~ \"id\":\"new-s\"\nclient<~ \"name\":\"own\"\nnew t\nclient<~ \"id\":\"new-t\"\nclient<~ \"name\":\"own\"\n")
	for i := range n {
		lists.WriteString(listUpdate("s", fmt.Sprintf(`[{"type":"command","name":"c%d","description":"d"}]`, i)))
		fmt.Fprintf(&lists, `agent> {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"a","content":{"type":"text","text":"chunk %d."}}}}`+"\n", i)
		fmt.Fprintf(&want, "client<~ \"name\":\"c%d\" && \"name\":\"own\"\nclient<~ \"chunk %[1]d.\"\n", i)
	}
	out.WriteString(lists.String())
	for id, session := range []string{"t", "s"} {
		fmt.Fprintf(&out, `client> {"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"%s","prompt":[{"type":"skill","name":"one"},{"type":"text","text":"go"}]}}`+"\n", id, session)
		fmt.Fprintf(&out, "agent<~ BODY-one && \"id\":%d\n", id)
	}
	out.WriteString(want.String())
	playKimi(t, out.String())
}

func listUpdate(session, list string) string {
	return fmt.Sprintf(`agent> {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"available_commands_update","availableCommands":%s}}}`+"\n", session, list)
}

// playKimi plays a script behind which nothing else may come.
func playKimi(t *testing.T, script string) {
	playArchive(t, &txtar.Archive{Files: []txtar.File{
		{Name: "ws/.agents/skills/one/SKILL.md", Data: []byte(oneSkill)},
		{Name: "ws/.kimi-code/skills/own/SKILL.md", Data: []byte(strings.ReplaceAll(oneSkill, "one", "own"))},
		{Name: "script", Data: []byte(script + `agent= {"jsonrpc":"2.0","method":"_barrier"}` + "\n")},
	}})
}
