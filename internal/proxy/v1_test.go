// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

const oneSkill = "---\nname: one\ndescription: About one. Use when asked for one.\n---\nBODY-one\n"

// TestRecordedV1Sessions plays sessions that real agents of version 1 had with a
// client through the relay. What arrives is what was sent but for the lists, which
// have our command besides, and for the mark on the initialize response (PXY-1,
// PXY-8).
func TestRecordedV1Sessions(t *testing.T) {
	files, err := filepath.Glob("../../acp/v1/testdata/recorded/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ar := &txtar.Archive{Files: []txtar.File{
				{Name: "ws/.agents/skills/one/SKILL.md", Data: []byte(oneSkill)},
				{Name: "script", Data: []byte(scriptOf(t, name, data))},
			}}
			playArchive(t, ar)
		})
	}
}

// scriptOf makes a script of a recording, whose messages have no ids and whose
// paths are of another machine.
func scriptOf(t *testing.T, agent string, recording []byte) string {
	var out strings.Builder
	fmt.Fprintf(&out, "profile %s\n", agent)
	open := map[string]string{} // the last request of a side and method
	lists, setups := 0, 0
	for line := range bytes.Lines(recording) {
		line = bytes.ReplaceAll(bytes.TrimSpace(line), []byte(`"/ws"`), []byte(`"$WS"`))
		from, _ := rawjson.GetString(line, "from")
		method, _ := rawjson.GetString(line, "method")
		other := map[string]string{"client": "agent", "agent": "client"}[from]
		message := rawjson.Delete(line, "from")
		result := rawjson.Get(line, "result")
		switch answer := result != nil || rawjson.Get(line, "error") != nil; {
		case answer:
			message = rawjson.Set(rawjson.Delete(message, "method"), []byte(open[other+method]), "id")
		case !strings.HasSuffix(method, "update") && method != "session/cancel" && rawjson.Get(line, "params") != nil:
			id := fmt.Sprintf(`"%s-%d"`, from, len(open)+out.Len())
			open[from+method] = id
			message = rawjson.Set(message, []byte(id), "id")
		}
		message = rawjson.Set(message, []byte(`"2.0"`), "jsonrpc")
		variant, _ := rawjson.GetString(line, "params", "update", "sessionUpdate")
		switch {
		case method == "initialize" && result != nil:
			fmt.Fprintf(&out, "agent> %s\nclient<~ \"skillgraft\" && %s\n", message, rawjson.Get(result, "agentCapabilities"))
		case variant == "available_commands_update":
			lists++
			tokens := rawjson.Get(line, "params", "update", "availableCommands")
			fmt.Fprintf(&out, "agent> %s\nclient<~ %s && {\"name\":\"one\"\n", message, bytes.TrimSuffix(tokens, []byte("]")))
		default:
			fmt.Fprintf(&out, "%s= %s\n", from, message)
			if result != nil && (method == "session/new" || method == "session/load") {
				setups++
				out.WriteString("client<~ {\"name\":\"one\"\n")
			}
		}
	}
	if lists == 0 || setups < 2 {
		t.Fatalf("the recording has %d lists and %d setups", lists, setups)
	}
	return out.String()
}

// TestTwentySessionsTwentyLists: an agent that sends its list to every open
// session whenever there is a new one makes no client read it again (ACP-A8).
func TestTwentySessionsTwentyLists(t *testing.T) {
	for _, version := range []string{"v1", "v2"} {
		t.Run(version, func(t *testing.T) {
			var out strings.Builder
			list := `[{"name":"cmd","description":"d"},{"name":"skill:own","description":"d"}]`
			out.WriteString("hello v1\n")
			if version == "v2" {
				out.Reset()
				out.WriteString("hello skill plain\n")
				list = strings.ReplaceAll(list, `{"name"`, `{"type":"command","name"`)
			}
			for i := range 20 {
				fmt.Fprintf(&out, "new s%d\nclient<~ \"id\":\"new-s%[1]d\"\nclient<~ \"sessionId\":\"s%[1]d\" && \"name\":\"one\" && !cmd\n", i)
				for j := range i + 1 {
					fmt.Fprintf(&out, `agent> {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s%d","update":{"sessionUpdate":"available_commands_update","availableCommands":%s}}}`+"\n", j, list)
				}
				fmt.Fprintf(&out, "client<~ \"sessionId\":\"s%d\" && \"name\":\"one\" && \"name\":\"cmd\"\n", i)
			}
			// And nothing came besides: the player looks.
			out.WriteString(`agent= {"jsonrpc":"2.0","method":"_barrier"}` + "\n")
			playArchive(t, &txtar.Archive{Files: []txtar.File{
				{Name: "ws/.agents/skills/one/SKILL.md", Data: []byte(oneSkill)}, {Name: "script", Data: []byte(out.String())},
			}})
		})
	}
}
