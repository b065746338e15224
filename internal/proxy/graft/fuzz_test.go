// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/profile"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// FuzzStage feeds lines of any content to an open session, from the client those
// that begin with '>', from the agent the others. Nothing panics or blocks; what
// comes out is a message; and a notification that is none of the stage's
// business arrives byte for byte (PXY-1).
func FuzzStage(f *testing.F) {
	ws := f.TempDir()
	dir := filepath.Join(ws, ".claude", "skills", "one")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("---\nname: one\ndescription: Does it.\n---\nBODY\n"), 0o644); err != nil {
		f.Fatal(err)
	}
	store := catalog.NewStore(&catalog.StoreOptions{MaxWatches: -1})
	f.Cleanup(func() { _ = store.Close() })
	for _, seed := range []string{
		`>{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"skill","name":"one"},{"type":"text","text":"go"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"m","content":[{"type":"text","text":"/one go"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","messageId":"m","content":{"type":"text","text":"x"},"_meta":{}}}}
{"jsonrpc":"2.0","id":1,"result":{"messageId":"m"}}`,
		`>{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"skill","name":7}]}}
>{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}
>{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`,
		`>{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"t","cwd":"/","additionalDirectories":[1,"/x"],"replayFrom":{}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"one","description":"d"},{},null]}}}
{"jsonrpc":"2.0","id":3,"result":{"availableCommands":null}}
>{"jsonrpc":"2.0","id":4,"method":"session/close","params":{"sessionId":"t"}}
{"jsonrpc":"2.0","id":4,"result":null}`,
		`>{"jsonrpc":"2.0","id":5,"method":"session/list"}
{"jsonrpc":"2.0","id":5,"result":{"sessions":[{"sessionId":"s","title":"/one go"},7]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"/one go…"}}}
>{"jsonrpc":"2.0","id":6,"method":"initialize","params":null}
{"jsonrpc":"2.0","id":6,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":7}}}}`,
		`>{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":1}}
>{"jsonrpc":"2.0","id":8,"method":"session/load","params":{"sessionId":"t","cwd":"/"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"<skill_content name=\"one\" id=\"N\">x</skill_content>"}}}}
{"jsonrpc":"2.0","id":8,"result":null}
>{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"/one go"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"go"}}}}
{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"no"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		var mu sync.Mutex
		open := map[jsonrpc.ID]*Call{}
		var out [2][]jsonrpc.Message // to the client, to the agent
		queue := func(i int) func(jsonrpc.Message) {
			return func(m jsonrpc.Message) {
				mu.Lock()
				defer mu.Unlock()
				if i == 0 && m.Kind == jsonrpc.Response {
					delete(open, m.ID)
				}
				out[i] = append(out[i], m.Clone())
			}
		}
		s := New(Options{ToClient: queue(0), ToAgent: queue(1), Store: store, Profile: profile.ByName(profile.Known(), "claude")})
		client := func(m jsonrpc.Message) {
			if m.Kind == jsonrpc.Request {
				mu.Lock()
				_, dup := open[m.ID]
				open[m.ID] = &Call{Method: m.Method, SessionID: m.SessionID}
				mu.Unlock()
				if dup {
					return
				}
			}
			s.FromClient(m)
		}
		agent := func(m jsonrpc.Message) {
			var call *Call
			if m.Kind == jsonrpc.Response {
				mu.Lock()
				call = open[m.ID]
				mu.Unlock()
				if call == nil && m.ID != jsonrpc.NullID {
					return
				}
			}
			s.FromAgent(&m, call)
		}
		client(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"capabilities":{"session":{"commands":{"skill":{}}}}}}`)))
		agent(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"capabilities":{"session":{}}}}`)))
		client(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"` + filepath.ToSlash(ws) + `"}}`)))
		agent(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":"n","result":{"sessionId":"s","availableCommands":[{"type":"command","name":"one","description":"d"}]}}`)))
		s.work.Wait()

		var pass [2][]string
		for line := range bytes.Lines(script) {
			line = bytes.TrimRight(line, "\r\n")
			fromClient := bytes.HasPrefix(line, []byte(">"))
			m := jsonrpc.Scan(bytes.TrimPrefix(line, []byte(">")))
			if m.Kind == jsonrpc.Invalid {
				continue
			}
			if m.Kind == jsonrpc.Notification && m.Method != "session/cancel" && m.Method != "$/cancel_request" && m.Variant == "" {
				i := 0
				if fromClient {
					i = 1
				}
				pass[i] = append(pass[i], string(m.Raw))
			}
			if fromClient {
				client(m)
			} else {
				agent(m)
			}
		}
		s.work.Wait()
		s.Close()
		for i := range out {
			for _, m := range out[i] {
				if again := jsonrpc.Scan(m.Raw); again.Kind != m.Kind || bytes.ContainsAny(m.Raw, "\n") {
					t.Errorf("this is no %v: %s", m.Kind, m.Raw)
				}
				if len(pass[i]) > 0 && string(m.Raw) == pass[i][0] {
					pass[i] = pass[i][1:]
				}
			}
			if len(pass[i]) > 0 {
				t.Errorf("this did not arrive, or changed, or out of order: %s", pass[i][0])
			}
		}
	})
}
