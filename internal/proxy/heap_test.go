// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/proxy/graft"
	"github.com/skillgraft/skillgraft/skill/catalog"
)

// Sessions on the same roots share what was read there: a hundred of them with a
// thousand skills each live in 60 MB.
func TestHundredSessionsOfThousandSkills(t *testing.T) {
	const sessions, skills, limit = 100, 1000, 60 << 20
	ws := t.TempDir()
	for i := range skills {
		dir := filepath.Join(ws, ".agents", "skills", fmt.Sprintf("skill-%04d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("---\nname: skill-%04d\ndescription: Does the thing number %d, and explains at some length when a person would want to use it, as descriptions do.\n---\nBody\n", i, i)
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	store := catalog.NewStore(nil)
	defer func() { _ = store.Close() }()
	answered := make(chan int, 1)
	stage := graft.New(graft.Options{
		ToClient: func(m jsonrpc.Message) {
			if m.Kind == jsonrpc.Response {
				answered <- len(m.Raw)
			}
		},
		ToAgent: func(jsonrpc.Message) {}, Store: store, Log: slog.New(slog.DiscardHandler),
	})
	defer stage.Close()
	ask := func(request, response string, call graft.Call) int {
		stage.FromClient(jsonrpc.Scan([]byte(request)))
		stage.FromAgent(new(jsonrpc.Scan([]byte(response))), &call)
		return <-answered
	}
	before := liveHeap()
	ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"session":{"commands":{"skill":{}}}}}}`,
		`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}}}}`, graft.Call{Method: "initialize"})
	for i := range sessions {
		size := ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/new","params":{"cwd":%q}}`, i+1, ws),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"sessionId":"s%d","availableCommands":[]}}`, i+1, i), graft.Call{Method: "session/new"})
		if size < skills*100 {
			t.Fatalf("session %d: the list has %d bytes", i, size)
		}
	}
	used := liveHeap() - before
	t.Logf("%d sessions of %d skills: %.1f MB live", sessions, skills, float64(used)/1e6)
	if used > limit {
		t.Errorf("%d bytes live, more than %d", used, limit)
	}
	runtime.KeepAlive(stage)
}

func liveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
