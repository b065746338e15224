// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// An image of 3 MiB beside a skill reaches the agent as it is and comes back in
// the echo; a prompt without skills passes byte for byte at any size (PXY-5,
// PXY-7).
func TestPXY7LargeImage(t *testing.T) {
	image := `{"type":"image", "mimeType":"image/png","data":"` + strings.Repeat("iVBORw0K", 3<<17) + `"}`
	const files = "-- ws/.agents/skills/one/SKILL.md --\n---\nname: one\ndescription: Does it. Use when asked.\n---\nBODY-one\n"
	script := strings.ReplaceAll(`-- script --
hello skill plain
new s []
client<~ "name":"one"
client> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"x"}, IMAGE]}}
agent< {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"x"}, IMAGE]}}
agent> {"jsonrpc":"2.0","id":1,"result":{"messageId":"m1"}}
client<~ "id":1
client> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"skill","name":"one"},IMAGE]}}
agent<~ BODY-one && IMAGE
agent> {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"m2","content":[{"type":"text","text":"y"}]}}}
client< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"m2","content":[{"type":"skill","name":"one"},IMAGE]}}}
agent> {"jsonrpc":"2.0","id":2,"result":{"messageId":"m2"}}
client<~ "id":2
`, "IMAGE", image)
	playArchive(t, txtar.Parse([]byte(files+script)))
}
