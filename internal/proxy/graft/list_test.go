// SPDX-License-Identifier: Apache-2.0

package graft

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// A list of the agent has the disk looked at, whatever the watcher knows: what
// changed for the agent has changed for us (C03, DSC-9).
func TestAListLooksAtTheDisk(t *testing.T) {
	ws := t.TempDir()
	store := catalog.NewStore(&catalog.StoreOptions{MaxWatches: -1, PollInterval: time.Hour})
	defer func() { _ = store.Close() }()
	got := make(chan string, 8)
	s := New(Options{ToAgent: func(jsonrpc.Message) {}, ToClient: func(m jsonrpc.Message) { got <- string(m.Raw) }, Store: store})
	defer s.Close()
	call := func(request, response, method string) string {
		s.FromClient(jsonrpc.Scan([]byte(request)))
		s.FromAgent(new(jsonrpc.Scan([]byte(response))), &Call{Method: method})
		return <-got
	}
	call(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"session":{"commands":{"skill":{}}}}}}`,
		`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}}}}`, "initialize")
	call(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":`+string(rawjson.Quote(ws))+`}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","availableCommands":[]}}`, "session/new")
	dir := filepath.Join(ws, ".agents", "skills", "new")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("---\nname: new\ndescription: Does it.\n---\nBODY\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.FromAgent(new(jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"c","description":"d"}]}}}`))), nil)
	line := <-got
	if !strings.Contains(line, `"name":"c"`) {
		line = <-got // the catalog had told of the new skill before
	}
	if !strings.Contains(line, `"name":"c"`) || !strings.Contains(line, `"name":"new"`) {
		t.Errorf("the client gets %s", line)
	}
}
